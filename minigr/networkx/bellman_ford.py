"""Shortest paths by Bellman and Ford's algorithm with a queue: see the functions of the same names in NetworkX.

If several paths are equally short, the queue decides between them, and it also decides the order of nodes. Each step of
the queue depends on the previous step, and weights may be negative. So a single thread runs the algorithm.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

import networkx as nx
import numpy as np

from minigr.networkx.graph import ConvertedGraph
from minigr.networkx.refusal import CannotAnswer
from minigr.networkx.search import is_whole


class Relaxation:
    """Distances from `source` after all relaxations, in the order in which NetworkX makes them.

    With `heuristic`, cycles of negative weight are often found earlier.

    Raises
    ------
    CannotAnswer
        If weights are infinite, a mixture of ints and floats, or so large that sums may overflow.
    networkx.NetworkXUnbounded
        If a cycle of negative weight is reachable.
    """

    def __init__(self, graph: ConvertedGraph, source: Any, weight: Any, heuristic: bool = True):
        from minigr.networkx.relaxation import relax  # with Numba

        weights = summable(graph, weight)
        if source not in graph:
            raise nx.NodeNotFound(f"Source {source} not in G")
        self.graph, self.source = graph, graph.index[source]
        found = relax(graph, weights, self.source, heuristic)
        if found is None:
            raise nx.NetworkXUnbounded("Negative cycle detected.")
        self.order, self.distance, self.starts, self.rows = found

    def lengths(self) -> dict[Any, Any]:
        found = self.distance[self.order].tolist()
        return dict(zip(self.graph.labels(self.order), [0, *found[1:]], strict=True))  # 0 for all kinds of weights

    def predecessors(self) -> dict[Any, list[Any]]:
        before = self.graph.labels(self.rows)
        ends = zip(self.starts[self.order].tolist(), self.starts[self.order + 1].tolist(), strict=True)
        return {node: before[a:b] for node, (a, b) in zip(self.graph.labels(self.order), ends, strict=True)}

    def chain(self, place: int, known: Container[int]) -> list[int]:
        """`place`, its first predecessor, and so on, down to the last place that is not in `known`."""
        places = []
        while place not in known:
            places.append(place)
            place = int(self.rows[self.starts[place]])
            if len(places) > len(self.order):
                raise CannotAnswer("a cycle has weights that are lost in rounding")
        return places

    def paths(self) -> dict[Any, list[Any]]:
        nodes = dict(zip(self.order.tolist(), self.graph.labels(self.order), strict=True))
        paths = {self.source: [nodes[self.source]]}
        for place in nodes:
            for after in reversed(self.chain(place, paths)):
                paths[after] = [*paths[int(self.rows[self.starts[after]])], nodes[after]]
        return {node: paths[place] for place, node in nodes.items()}

    def place_of(self, target: Any) -> int:
        """The place of `target`.

        Raises
        ------
        networkx.NetworkXNoPath
            If `target` was not reached.
        """
        place = self.graph.index.get(target)
        if place is None or not (self.order == place).any():
            raise nx.NetworkXNoPath(f"node {target} not reachable from {self.graph.nodes[self.source]}")
        return place


def summable(graph: ConvertedGraph, weight: Any) -> Any:
    """The weight of each of the graph's `targets`, if the sum of every path fits the type of the weights.

    Raises
    ------
    CannotAnswer
        If a sum might not fit.
    """
    if not graph.is_weighted(weight):
        return np.ones(len(graph.targets), np.int64)
    whole, weights = is_whole(graph, weight), graph.least_weights(weight)
    most = max(-weights.min().item(), weights.max().item()) * (len(graph) + 1)
    if most >= (2**63 if whole else float(np.finfo(weights.dtype).max)):
        raise CannotAnswer("a distance could be an int of more than 64 bits, or infinite")
    return weights


def single_source_bellman_ford(G, source, target=None, weight="weight") -> tuple[Any, Any]:
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} is not found in the graph")
        return 0, [source]
    found = Relaxation(G, source, weight)
    if target is None:
        return found.lengths(), found.paths()
    place = found.place_of(target)
    path = found.chain(place, [found.source])
    return found.distance[place].item(), G.labels(np.array([found.source, *reversed(path)]))


def single_source_bellman_ford_path(G, source, weight="weight") -> dict[Any, list[Any]]:
    return single_source_bellman_ford(G, source, weight=weight)[1]


def single_source_bellman_ford_path_length(G, source, weight="weight") -> dict[Any, Any]:
    return Relaxation(G, source, weight).lengths()


def bellman_ford_path(G, source, target, weight="weight") -> list[Any]:
    return single_source_bellman_ford(G, source, target, weight)[1]


def bellman_ford_path_length(G, source, target, weight="weight") -> Any:
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} not found in graph")
        return 0
    found = Relaxation(G, source, weight)
    return found.distance[found.place_of(target)].item()


def bellman_ford_predecessor_and_distance(
    G, source, target=None, weight="weight", heuristic=False
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} is not found in the graph")
    loops = G.rows.sources == G.targets
    if (summable(G, weight)[loops] < 0).any():  # even if it is not reachable
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    if len(G) == 1:
        return {source: []}, {source: 0}
    found = Relaxation(G, source, weight, heuristic)
    return found.predecessors(), found.lengths()


def all_pairs_bellman_ford_path_length(G, weight="weight") -> Iterator[tuple[Any, dict[Any, Any]]]:
    summable(G, weight)  # now, because no other backend is asked after the iterator is returned
    return ((node, Relaxation(G, node, weight).lengths()) for node in G)


def all_pairs_bellman_ford_path(G, weight="weight") -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    summable(G, weight)
    return ((node, Relaxation(G, node, weight).paths()) for node in G)
