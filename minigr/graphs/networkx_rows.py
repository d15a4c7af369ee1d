"""The adjacency of a NetworkX graph as arrays. Takes one pass over its dicts, and one pass for each attribute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from operator import methodcaller
from typing import Any

import numpy as np

from minigr.cached import cached_property
from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs.arcs import Arcs
from minigr.graphs.backend import builder

_LEAST_FOR_A_TABLE = 1000  # nodes; for fewer nodes, a dict is faster than a table of pandas


@dataclass(frozen=True)
class NetworkXRows:
    """Nodes in the order of a graph, and the neighbors of each node in the order of NetworkX.

    Attributes
    ----------
    nodes : list or range
        A range if the nodes are 0, 1, ... in this order.
    offsets : int64[n + 1]
        The beginning of each node's neighbors in `targets`.
    targets : int32 array
        Each neighbor once. Each edge of an undirected graph is here from both sides.
    parallel : int64 array or None
        The number of edges to each of `targets` in a multigraph, otherwise None.
    directed : bool
    """

    nodes: Sequence[Any]
    offsets: Any
    targets: Any
    parallel: Any
    directed: bool

    @cached_property
    def sources(self) -> Any:
        """int32: the node that has each of `targets` as a neighbor."""
        return np.repeat(np.arange(len(self.nodes), dtype=np.int32), np.diff(self.offsets))

    @cached_property
    def listed(self) -> Any:
        """bool: for which of `targets` NetworkX lists edges. If undirected, only from the node that comes first."""
        return np.ones(len(self.targets), np.bool_) if self.directed else self.sources <= self.targets

    @property
    def parallel_listed(self) -> Any:
        """int64, or None if all are 1: the number of parallel edges for each of `targets` that is `listed`."""
        return None if self.parallel is None else self.parallel[self.listed]

    def ends(self, *, parallel: bool = True) -> tuple[Any, Any]:
        """The ends of each edge, in the order of NetworkX: two int32 arrays. `parallel` lists each parallel edge."""
        src, dst = self.sources[self.listed], self.targets[self.listed]
        if self.parallel is None or not parallel:
            return src, dst
        return np.repeat(src, self.parallel_listed), np.repeat(dst, self.parallel_listed)

    @cached_property
    def transposed(self) -> Any:
        """int64: the indices of `targets`, sorted by target and then by source."""
        arcs = Arcs(self.targets, offsets=self.offsets, turn=True)
        return builder(CPU).rows(len(self.offsets) - 1, arcs, with_ids=True)[3]


def rows_of_networkx(graph: Any) -> NetworkXRows:
    """The rows of a Graph, DiGraph, MultiGraph or MultiDiGraph, or a view of one; O(nodes + edges).

    Raises
    ------
    GraphError
        If the class of the graph lists neighbors in another form.
    """
    nodes: Sequence[Any] = list(graph)
    rows: list[Any] = [row for _, row in graph.adjacency()]
    kinds = set(map(type, rows))
    for kind in kinds:
        if not issubclass(kind, Mapping):
            raise GraphError(
                f"a {type(graph).__name__} holds neighbors in a {kind.__name__}, but networkx.Graph holds them in a "
                "mapping to attributes: copy the graph to a networkx.Graph first"
            )
    if not all(issubclass(kind, dict) for kind in kinds):
        # A view of some edges of a multigraph counts neighbors in a row, even if it does not list them.
        rows = [dict(row.items()) for row in rows]
    if nodes == list(range(len(nodes))) and set(map(type, nodes)) <= {int}:
        nodes = range(len(nodes))
    offsets = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=offsets[1:])
    targets = _places(nodes, chain.from_iterable(rows), int(offsets[-1]))
    parallel = None
    if graph.is_multigraph():
        parallel = np.fromiter(map(len, chain.from_iterable(map(methodcaller("values"), rows))), np.int64, len(targets))
    return NetworkXRows(nodes, offsets, targets, parallel, graph.is_directed())


def edge_data(graph: Any, rows: NetworkXRows) -> Iterator[dict[Any, Any]]:
    """The attributes of each edge, in the order of ``rows.ends()``.

    Each edge of an undirected graph is looked up at one end. This halves the work, which is mostly waiting for memory.
    At that end, the edges are usually in the order in which they were added, and so in the order of memory.
    """
    data: Iterator[Any] = chain.from_iterable(row.values() for _, row in graph.adjacency())
    if not rows.directed:
        data = compress(data, rows.listed.tobytes())
    return chain.from_iterable(map(methodcaller("values"), data)) if graph.is_multigraph() else data


def _places(nodes: Sequence[Any], neighbors: Iterator[Any], count: int) -> Any:
    """The index in `nodes` of each of `count` neighbors, int32."""
    if isinstance(nodes, range):
        return np.fromiter(neighbors, np.int32, count)
    large = len(nodes) >= _LEAST_FOR_A_TABLE
    if large and set(map(type, nodes)) == {int} and min(nodes) >= -(2**63) and max(nodes) < 2**63:
        from pandas import Index

        labels = Index(np.fromiter(nodes, np.int64, len(nodes)))
        return labels.get_indexer(np.fromiter(neighbors, np.int64, count)).astype(np.int32)
    index = dict(zip(nodes, range(len(nodes)), strict=True))
    return np.fromiter(map(index.__getitem__, neighbors), np.int32, count)
