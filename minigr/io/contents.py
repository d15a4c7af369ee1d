"""What a reader hands back, and the graph made of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.errors import FormatError, GraphError
from minigr.graphs import Graph
from minigr.graphs.convert import edge_arrays

_DENSE_ENOUGH = 1 << 24
_VERTICES_PER_EDGE = 64


@dataclass(frozen=True)
class Options:
    """What the caller of `minigr.read` asked of a reader.

    Attributes
    ----------
    columns : tuple of str, optional
        What each column of a table holds.
    weights : bool
        Whether to read weights.
    relabel : bool
        Whether ids may be any whole numbers, to be replaced by ranks.
    progress : bool, optional
        Whether to show a bar; None decides by the file's size and whether somebody is watching.
    times : bool
        Whether the file must say when each edge was seen, for `minigr.io.read_timed`.
    """

    columns: tuple[str, ...] | None = None
    weights: bool = True
    relabel: bool = False
    progress: bool | None = None
    times: bool = False


@dataclass(frozen=True)
class Edges:
    """Edges as a file lists them.

    Attributes
    ----------
    src, dst : int32[m] or int64[m]
    weights : array[m] or None
    num_vertices : int, optional
        None: one more than the largest id.
    directed : bool, optional
        None: the file doesn't say.
    both_ways : bool
        The file lists each undirected edge in both directions.
    times : array[m] or None
        When each edge was seen, if that was asked for.
    """

    src: Any
    dst: Any
    weights: Any = None
    num_vertices: int | None = None
    directed: bool | None = None
    both_ways: bool = False
    times: Any = None


@dataclass(frozen=True)
class Rows:
    """Compressed sparse rows, as a file holds them."""

    offsets: Any
    indices: Any
    weights: Any = None
    directed: bool = False


def graph_of(
    contents: Edges | Rows, path: Path, *, directed: bool | None, weight_dtype: Any, relabel: bool, device: Device
) -> Graph:
    """The graph of what was read; `GraphError` becomes a `FormatError` that names the file."""
    try:
        weights = contents.weights
        if weights is not None and weight_dtype is not None:
            weights = _cast(weights, np.dtype(weight_dtype))
        if isinstance(contents, Rows):
            graph = Graph.from_csr(
                contents.offsets, contents.indices, weights, directed=contents.directed, device=device
            )
            if not relabel:
                return _redirected(graph, directed)
            src, dst, weights = edge_arrays(graph)
            contents = Edges(src, dst, weights, directed=graph.directed)
        src, dst, count = contents.src, contents.dst, contents.num_vertices
        if relabel:
            src, dst, count = ranks(src, dst)
        elif count is None:
            refuse_sparse_ids(src, dst, path)
        if contents.directed is None:  # then it is for the caller to say
            contents = replace(contents, directed=bool(directed))
        as_arcs = bool(contents.directed) or contents.both_ways
        graph = Graph.from_edges(src, dst, weights, num_vertices=count, directed=as_arcs, device=device)
        if as_arcs and not contents.directed:  # raises if an edge stands there one way only
            graph = Graph.from_csr(graph.offsets, graph.indices, graph.weights)
        return _redirected(graph, directed)
    except GraphError as error:
        raise FormatError(path, str(error)) from error


def _redirected(graph: Graph, directed: bool | None) -> Graph:
    """`graph` as it is, or with each edge as two arcs, or with each arc as an edge."""
    if directed is None or directed == graph.directed:
        return graph
    if directed:
        return Graph.from_csr(graph.offsets, graph.indices, graph.weights, directed=True, validate=False)
    src, dst, weights = edge_arrays(graph)
    return Graph.from_edges(src, dst, weights, num_vertices=graph.num_vertices, device=graph.device)


def narrowed(weights: Any) -> Any:
    """Weights read from text: whole numbers as int32 where they fit, everything else as it is; None stays None."""
    if weights is None or weights.dtype.kind != "i":
        return weights
    fits = weights.size == 0 or (weights.min() >= -(2**31) and weights.max() < 2**31)
    return weights.astype(np.int32 if fits else np.int64, copy=False)


def _cast(weights: Any, dtype: np.dtype) -> Any:
    with np.errstate(invalid="ignore"):  # a cast out of range is found by the comparison
        cast = weights.astype(dtype)
    if cast.dtype.kind in "iu" and not np.array_equal(cast, weights):
        first = int((cast != weights).argmax())
        raise GraphError(f"the weight {weights[first]} of edge {first} is no {cast.dtype}: choose another weight_dtype")
    return cast


def ranks(src: Any, dst: Any) -> tuple[Any, Any, int]:
    """The vertices numbered by rank among all ids, and how many there are."""
    ids, rank = np.unique(np.concatenate([src, dst]), return_inverse=True)
    return rank[: len(src)], rank[len(src) :], len(ids)


def refuse_sparse_ids(src: Any, dst: Any, path: Path) -> None:
    """Memory goes by the largest id; one that is out of all proportion is a mistake, or ids that want relabelling."""
    largest = max((int(ids.max()) for ids in (src, dst) if len(ids)), default=0)
    if largest >= max(_DENSE_ENOUGH, _VERTICES_PER_EDGE * len(src)):
        raise FormatError(
            path, f"the largest vertex id is {largest}, with only {len(src)} edges; pass relabel=True to number densely"
        )
