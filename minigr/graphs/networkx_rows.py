"""The adjacency of a graph of NetworkX as arrays: one pass over its dicts, and one for each attribute."""

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

_LEAST_FOR_A_TABLE = 1000  # nodes; for fewer a dict is sooner made than a table of pandas


@dataclass(frozen=True)
class NetworkXRows:
    """Nodes by their places in a graph's order, and the neighbors of each in the order in which NetworkX lists them.

    Attributes
    ----------
    nodes : list or range
        A range where they are 0, 1, ... in this order.
    offsets : int64[n + 1]
        Where the neighbors of each node begin in `targets`.
    targets : int32 array
        Each neighbor once; of an undirected graph, from both sides.
    parallel : int64 array or None
        In a multigraph, how many edges lead to each of `targets`.
    directed : bool
    """

    nodes: Sequence[Any]
    offsets: Any
    targets: Any
    parallel: Any
    directed: bool

    @cached_property
    def sources(self) -> Any:
        """int32: whose neighbor each of `targets` is."""
        return np.repeat(np.arange(len(self.nodes), dtype=np.int32), np.diff(self.offsets))

    @cached_property
    def listed(self) -> Any:
        """bool: at which of `targets` NetworkX lists edges; of an undirected graph, at the node that comes first."""
        return np.ones(len(self.targets), np.bool_) if self.directed else self.sources <= self.targets

    @property
    def parallel_listed(self) -> Any:
        """int64, or None where all are 1: how many edges there are at each place of `listed`."""
        return None if self.parallel is None else self.parallel[self.listed]

    def ends(self, *, parallel: bool = True) -> tuple[Any, Any]:
        """The ends of each edge, in NetworkX's order: two int32 arrays. Of parallel ones all, or one."""
        src, dst = self.sources[self.listed], self.targets[self.listed]
        if self.parallel is None or not parallel:
            return src, dst
        return np.repeat(src, self.parallel_listed), np.repeat(dst, self.parallel_listed)

    @cached_property
    def transposed(self) -> Any:
        """int64: the places in `targets`, by the node that is there and then by the one whose neighbor it is."""
        arcs = Arcs(self.targets, offsets=self.offsets, turn=True)
        return builder(CPU).rows(len(self.offsets) - 1, arcs, with_ids=True)[3]


def rows_of_networkx(graph: Any) -> NetworkXRows:
    """The rows of a Graph, DiGraph, MultiGraph or MultiDiGraph, or a view of one; O(nodes + edges).

    Raises
    ------
    GraphError
        If it is of a class that lists neighbors in another way.
    """
    nodes: Sequence[Any] = list(graph)
    rows: list[Any] = [row for _, row in graph.adjacency()]
    kinds = set(map(type, rows))
    for kind in kinds:
        if not issubclass(kind, Mapping):
            raise GraphError(
                f"a {type(graph).__name__} has a {kind.__name__} of neighbors where networkx.Graph has a mapping from "
                "them to attributes: copy it to a networkx.Graph first"
            )
    if not all(issubclass(kind, dict) for kind in kinds):
        # A view of some edges of a multigraph counts neighbors in a row that it doesn't list.
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

    Those of an undirected graph are looked up at one end alone: once is half the work, and most of it is waiting for
    memory, which at that end is in the order in which edges were added more often than not.
    """
    data: Iterator[Any] = chain.from_iterable(row.values() for _, row in graph.adjacency())
    if not rows.directed:
        data = compress(data, rows.listed.tobytes())
    return chain.from_iterable(map(methodcaller("values"), data)) if graph.is_multigraph() else data


def _places(nodes: Sequence[Any], neighbors: Iterator[Any], count: int) -> Any:
    """The place in `nodes` of each of `count` neighbors, int32."""
    if isinstance(nodes, range):
        return np.fromiter(neighbors, np.int32, count)
    large = len(nodes) >= _LEAST_FOR_A_TABLE
    if large and set(map(type, nodes)) == {int} and min(nodes) >= -(2**63) and max(nodes) < 2**63:
        from pandas import Index

        labels = Index(np.fromiter(nodes, np.int64, len(nodes)))
        return labels.get_indexer(np.fromiter(neighbors, np.int64, count)).astype(np.int32)
    index = dict(zip(nodes, range(len(nodes)), strict=True))
    return np.fromiter(map(index.__getitem__, neighbors), np.int32, count)
