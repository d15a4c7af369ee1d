"""What a reader hands back, and the graph made of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import CPU, Device
from minigr.errors import FormatError, GraphError
from minigr.graphs import Graph
from minigr.graphs.checks import WEIGHT_DTYPES, as_ids, as_vector, as_vertex_count
from minigr.graphs.convert import edge_arrays
from minigr.io.sizes import refuse_sparse, require_rows

_REMEDY = "pass relabel=True to number those that have edges, or num_vertices={} if there are so many"


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
    num_vertices : int, optional
        How many vertices there are, as the caller knows.
    """

    columns: tuple[str, ...] | None = None
    weights: bool = True
    relabel: bool = False
    progress: bool | None = None
    times: bool = False
    num_vertices: int | None = None


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
    contents: Edges | Rows, path: Path, *, options: Options, directed: bool | None, weight_dtype: Any, device: Device
) -> Graph:
    """The graph of what was read; `GraphError` becomes a `FormatError` that names the file."""
    try:
        weights = contents.weights
        if weights is not None and weight_dtype is not None:
            weights = cast(as_vector(CPU, weights, "weights"), np.dtype(weight_dtype), ": choose another weight_dtype")
        if isinstance(contents, Rows):
            graph = Graph.from_csr(
                contents.offsets, contents.indices, weights, directed=contents.directed, device=device
            )
            if not options.relabel:
                _check_agrees(path, graph.num_vertices, options)
                return _redirected(graph, directed)
            src, dst, weights = edge_arrays(graph)
            contents = Edges(src, dst, weights, directed=graph.directed)
        src, dst, count = vertices_of(contents, path, options)
        if contents.directed is None:  # then it is for the caller to say
            contents = replace(contents, directed=bool(directed))
        as_arcs = bool(contents.directed) or contents.both_ways
        require_rows(path, count, len(src) * (1 if as_arcs else 2), weights, device)
        graph = Graph.from_edges(src, dst, weights, num_vertices=count, directed=as_arcs, device=device)
        if as_arcs and not contents.directed:  # raises if an edge stands there one way only
            graph = Graph.from_csr(graph.offsets, graph.indices, graph.weights)
        return _redirected(graph, directed)
    except GraphError as error:
        raise FormatError(path, str(error)) from error


def vertices_of(contents: Edges, path: Path, options: Options) -> tuple[Any, Any, int]:
    """The ends of the edges as int32 in host memory, and the number of vertices, which is plausible.

    Raises
    ------
    FormatError
        If the number is out of proportion, or not that which the caller gave.
    GraphError
        If an end is no vertex.
    """
    if options.relabel:
        return _ranks(*(_as_labels(ids, name) for ids, name in ((contents.src, "src"), (contents.dst, "dst"))))
    count = contents.num_vertices
    if count is not None:
        count = as_vertex_count(count, "the number of vertices")
        _check_agrees(path, count, options)
    count = options.num_vertices if count is None else count
    src, dst = (as_ids(CPU, ids, name, count) for ids, name in ((contents.src, "src"), (contents.dst, "dst")))
    if count is None:
        count = 1 + max((int(ids.max()) for ids in (src, dst) if len(ids)), default=-1)
    if options.num_vertices is None:
        refuse_sparse(path, count, len(src), _REMEDY.format(count))
    return src, dst, count


def _check_agrees(path: Path, count: int, options: Options) -> None:
    if options.num_vertices not in (None, count):
        raise FormatError(path, f"it has {count} vertices, but num_vertices={options.num_vertices} was asked for")


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


def cast(weights: Any, dtype: np.dtype, remedy: str) -> Any:
    """Weights as another dtype; `GraphError` if a whole number changes or a finite one becomes infinite."""
    if dtype.name not in WEIGHT_DTYPES:
        raise GraphError(f"weights can't be {dtype}; the dtypes supported are {', '.join(WEIGHT_DTYPES)}")
    with np.errstate(invalid="ignore", over="ignore"):  # what is out of range is found by the comparison
        found = weights.astype(dtype)
    wrong = found != weights if dtype.kind == "i" else np.isinf(found) & ~np.isinf(weights)
    if wrong.any():
        first = int(wrong.argmax())
        raise GraphError(f"the weight {weights[first]} of edge {first} is no {dtype}{remedy}")
    return found


def _as_labels(array: Any, name: str) -> Any:
    """`array` as int64, for ids that will be replaced by ranks."""
    ids = as_vector(CPU, array, name)
    if ids.dtype.kind not in "iu":
        raise GraphError(f"{name} must hold integer vertex ids, but its dtype is {ids.dtype}; see minigr.from_table")
    bad = (ids < 0) | (ids > np.iinfo(np.int64).max)
    if bad.any():
        raise GraphError(f"{name}[{int(bad.argmax())}] is {ids[bad.argmax()]}: ids are between 0 and 2^63 - 1")
    return ids.astype(np.int64, copy=False)


def _ranks(src: Any, dst: Any) -> tuple[Any, Any, int]:
    """The vertices numbered by rank among all ids, and how many there are."""
    ids, rank = np.unique(np.concatenate([src, dst]), return_inverse=True)
    ranks = rank.astype(np.int32)
    return ranks[: len(src)], ranks[len(src) :], len(ids)
