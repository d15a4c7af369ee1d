"""The graphs from which a batch is made, in any form, as edges whose vertices are numbered consecutively."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs.checks import MAX_VERTICES, as_ids, as_vertex_count, as_weights
from minigr.graphs.convert import edge_arrays, edges_of_networkx
from minigr.graphs.graph import Graph
from minigr.missing import refuse_masked


@dataclass(frozen=True)
class Edges:
    """The edges of all graphs of a batch.

    Attributes
    ----------
    src, dst : int32[m]
    weights : array[m] or None
    vertex_offsets : int64[number of graphs + 1]
    directed : bool
    """

    src: Any
    dst: Any
    weights: Any
    vertex_offsets: Any
    directed: bool


@dataclass(frozen=True)
class Item:
    """One graph: its edges and its number of vertices."""

    src: Any
    dst: Any
    weights: Any
    count: int
    directed: bool


class Collection:
    """Graphs that will be put in one or more batches: all or none directed, and all or none with weights.

    Graphs without edges may be in both kinds: with or without weights.
    """

    def __init__(self, directed: bool | None, weight: str | None):
        self.items: list[Item] = []
        self._directed, self._weight = directed, weight
        self._kind: bool | None = None  # whether the first graph is directed
        self._weights: bool | None = None  # whether the first graph that has edges has weights

    def add(self, graph: Any, count: int | None = None) -> Item:
        """Add a graph in any of the forms of `GraphBatch.from_graphs`.

        Raises
        ------
        GraphError
            If `graph` is not a graph, or differs in kind from the graphs before it. The graph is then left out.
        """
        item = item_of(graph, count, self._directed, self._weight)
        if self._kind not in (None, item.directed):
            raise GraphError(f"the graph is {_kind(item)}, but the graphs before it are not: make a batch of each kind")
        has_weights = item.weights is not None
        if len(item.src):
            if self._weights not in (None, has_weights):
                has, have = ("weights", "none") if has_weights else ("no weights", "some")
                what = f"the graph has {has}, but the graphs before it have {have}"
                raise GraphError(f"{what}: give weights to all graphs or to none")
            self._weights = has_weights
        self._kind = item.directed
        self.items.append(item)
        return item

    def take(self) -> Edges:
        """Return the edges of all graphs that were added since the last call.

        Raises
        ------
        GraphError
            If the graphs have too many vertices for a batch.
        """
        items, self.items = self.items, []
        offsets = np.cumsum([0, *(item.count for item in items)], dtype=np.int64)
        if offsets[-1] > MAX_VERTICES:
            raise GraphError(
                f"the graphs have {offsets[-1]} vertices, but a batch has at most {MAX_VERTICES}: make several"
            )
        shift = np.repeat(offsets[:-1], [len(item.src) for item in items]).astype(np.int32)
        src, dst = (_concatenated([getattr(item, end) for item in items]) + shift for end in ("src", "dst"))
        weights = _joined_weights(items)
        if weights is None and self._weights:  # only graphs without edges, after graphs with weights
            weights = np.empty(0, np.float64)
        return Edges(src, dst, weights, offsets, bool(items and items[0].directed))


def joined(
    graphs: Iterable[Any], num_vertices: Sequence[int | None] | None, directed: bool | None, weight: str | None
) -> Edges:
    """All edges of `graphs`; see `GraphBatch.from_graphs`."""
    collection = Collection(directed, weight)
    if num_vertices is not None and not isinstance(num_vertices, Iterable):
        raise GraphError(f"num_vertices={num_vertices!r}: give a sequence with one number for each graph")
    counts = None if num_vertices is None else list(num_vertices)
    for position, graph in enumerate(graphs):
        if counts is not None and position >= len(counts):
            raise GraphError(f"num_vertices has {len(counts)} elements, but there are more graphs: give one for each")
        try:
            collection.add(graph, None if counts is None else counts[position])
        except GraphError as error:
            raise GraphError(f"graph {position}: {error}") from error
    if counts is not None and len(counts) != len(collection.items):
        raise GraphError(
            f"num_vertices has {len(counts)} elements, but there are {len(collection.items)} graphs: give one for each"
        )
    return collection.take()


def item_of(graph: Any, count: int | None, directed: bool | None, weight: str | None) -> Item:
    """One graph as an `Item`.

    Raises
    ------
    GraphError
        If `graph` is not a graph, or does not match `count` and `directed`.
    """
    if isinstance(graph, Graph):
        item = Item(*edge_arrays(graph), graph.num_vertices, graph.directed)
    elif hasattr(graph, "tocsr"):
        matrix = Graph.from_scipy(graph, directed=directed is not False, device="cpu")
        item = Item(*edge_arrays(matrix), matrix.num_vertices, matrix.directed)
    elif hasattr(graph, "is_directed") and hasattr(graph, "edges"):
        src, dst, weights, nodes = edges_of_networkx(graph, weight)
        checked = None if weights is None else as_weights(CPU, weights, len(src))
        item = Item(src, dst, checked, nodes, graph.is_directed())
    else:
        return _item_of_edges(graph, count, bool(directed))
    if directed is not None and directed != item.directed:
        raise GraphError(f"the graph is {_kind(item)}, but directed={directed} was asked for")
    if count is not None and count != item.count:
        raise GraphError(f"the graph has {item.count} vertices, but num_vertices says {count}")
    return item


def _item_of_edges(edges: Any, count: int | None, directed: bool) -> Item:
    number = None if count is None else as_vertex_count(count)
    if isinstance(edges, tuple):
        if len(edges) not in (2, 3):
            raise GraphError(f"a tuple is (src, dst) or (src, dst, weights), got {len(edges)} elements")
        src, dst = as_ids(CPU, edges[0], "src", number), as_ids(CPU, edges[1], "dst", number)
        if len(src) != len(dst):
            raise GraphError(f"src has length {len(src)}, but dst has length {len(dst)}: an edge needs both")
        weights = as_weights(CPU, edges[2], len(src)) if len(edges) == 3 else None
    else:
        pairs = _pairs(edges)
        src, dst = (as_ids(CPU, pairs[:, end], f"the {name}", number) for end, name in ((0, "sources"), (1, "targets")))
        weights = None
    if number is None:
        number = 1 + max(int(src.max()), int(dst.max())) if len(src) else 0
    return Item(src, dst, weights, number, directed)


def _pairs(edges: Any) -> Any:
    refuse_masked(edges, "edges")
    try:
        pairs = CPU.asarray(edges)
    except (ValueError, TypeError) as error:
        raise GraphError(f"not a graph: {type(edges).__name__} can't be read as pairs of vertices: {error}") from error
    if pairs.size == 0 and pairs.ndim <= 2 and not hasattr(edges, "dtype"):
        return np.empty((0, 2), np.int32)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise GraphError(
            "not a graph: expected pairs, a tuple of columns, a sparse matrix, a NetworkX graph or a Graph; "
            f"got {type(edges).__name__}" + (f" of shape {pairs.shape}" if pairs.ndim else "")
        )
    return pairs


def _joined_weights(items: list[Item]) -> Any:
    """The weights of all graphs, or None. If some graphs have edges, graphs without edges are ignored."""
    some = [item for item in items if len(item.src)] or items[:1]
    return np.concatenate([item.weights for item in some]) if some and some[0].weights is not None else None


def _kind(item: Item) -> str:
    return "directed" if item.directed else "undirected"


def _concatenated(columns: list[Any]) -> Any:
    return np.concatenate(columns) if columns else np.empty(0, np.int32)
