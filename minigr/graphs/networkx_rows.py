"""The adjacency of a graph of NetworkX as arrays: one pass over its dicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import methodcaller
from typing import Any

import numpy as np

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
    """

    nodes: Sequence[Any]
    offsets: Any
    targets: Any
    parallel: Any

    def sources(self) -> Any:
        """int32: whose neighbor each of `targets` is."""
        return np.repeat(np.arange(len(self.nodes), dtype=np.int32), np.diff(self.offsets))

    def arcs(self) -> tuple[Any, Any]:
        """The ends of all arcs, parallel ones too: two int32 arrays, with the elements of `edge_data`."""
        src, dst = self.sources(), self.targets
        return (src, dst) if self.parallel is None else (np.repeat(src, self.parallel), np.repeat(dst, self.parallel))


def rows_of_networkx(graph: Any) -> NetworkXRows:
    """The rows of a Graph, DiGraph, MultiGraph or MultiDiGraph, or a view of one; O(nodes + edges)."""
    nodes: Sequence[Any] = list(graph)
    # A view of some edges of a multigraph counts neighbors in a row that it doesn't list.
    rows = [row if isinstance(row, dict) else dict(row.items()) for _, row in graph.adjacency()]
    if nodes == list(range(len(nodes))) and set(map(type, nodes)) <= {int}:
        nodes = range(len(nodes))
    offsets = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=offsets[1:])
    targets = _places(nodes, chain.from_iterable(rows), int(offsets[-1]))
    parallel = None
    if graph.is_multigraph():
        parallel = np.fromiter(map(len, chain.from_iterable(map(methodcaller("values"), rows))), np.int64, len(targets))
    return NetworkXRows(nodes, offsets, targets, parallel)


def edge_data(graph: Any) -> Iterator[dict[Any, Any]]:
    """The attributes of each arc, parallel ones too, in the order of `NetworkXRows.arcs`."""
    rows: Iterator[Any] = (row for _, row in graph.adjacency())
    if graph.is_multigraph():
        rows = chain.from_iterable(map(methodcaller("values"), rows))
    return chain.from_iterable(map(methodcaller("values"), rows))


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
