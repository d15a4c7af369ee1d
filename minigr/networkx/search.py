"""Searches: distances from a node or from the nearest of several, by `minigr.bfs` or `minigr.sssp`, as in NetworkX."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.cached import cached_property
from minigr.device import CPU
from minigr.networkx.graph import ConvertedGraph, nonnegative
from minigr.networkx.refusal import CannotAnswer

EXACT = 2.0**53  # below it, minigr's sums of doubles equal Python's sums of ints


class Search:
    """Distances along edges from the nearest of `sources`, which are different.

    Edges count as 1 if the graph does not have the weight.

    Raises
    ------
    CannotAnswer
        If weights are negative or infinite, a mixture of ints and floats, or ints with a sum that a double can't hold.
    """

    def __init__(self, graph: ConvertedGraph, *sources: Any, weight: Any = None):
        self.graph = graph
        self.sources = np.array([graph.index[source] for source in sources], np.int32)
        self._weight = weight
        self.weighted = graph.is_weighted(weight)
        if not self.weighted:
            self.distance = CPU.asarray(mg.bfs(graph.graph(), self.sources).depth)
            return
        self.whole = is_whole(graph, weight)
        # Parents are not requested, because NetworkX has other parents.
        self.distance = CPU.asarray(mg.sssp(nonnegative(graph.graph(weight)), self.sources).distance)
        if self.whole and self.distance.max(where=self.reached, initial=0.0) >= EXACT:
            raise CannotAnswer("a distance is 2**53 or more")

    @property
    def reached(self) -> Any:
        """Whether each node was reached, bool[n]."""
        return self.distance < np.inf if self.weighted else self.distance >= 0

    @cached_property
    def weights(self) -> Any:
        return self.graph.least_weights(self._weight) if self.weighted else None

    @cached_property
    def _visits(self) -> tuple[Any, Any]:
        from minigr.networkx.visits import visits  # with Numba, which is not needed before

        ranked = self._ranked if self.weighted else None
        return visits(self.graph, self.weights, self.distance, self.sources, ranked)

    @cached_property
    def _ranked(self) -> tuple[Any, Any]:
        from minigr.networkx.visits import by_distance

        return by_distance(self.distance)

    @cached_property
    def _order(self) -> Any:
        if self.weighted and self._ranked[1].all():  # all distances differ, so there is only one order
            return self._ranked[0]
        return self._visits[0]

    @property
    def parent(self) -> Any:
        """The predecessor of each node, int32[n]; of several predecessors, the one that NetworkX visits first."""
        return self._visits[1]

    def order(self, cutoff: Any = None) -> Any:
        """The nodes in the order of NetworkX's visits: sources first, then nodes that are not farther than `cutoff`."""
        order = self._order
        if cutoff is None:
            return order
        return order[: max(len(self.sources), np.count_nonzero(self.distance[order] <= cutoff))]

    def lengths_of(self, places: Any) -> list[Any]:
        """The distances of `places`, with ints for sources, as in NetworkX."""
        distance = self.distance[places]
        if not self.weighted:
            return distance.tolist()
        if self.whole:
            return distance.astype(np.int64).tolist()
        found = distance.tolist()
        for at in np.flatnonzero(np.isin(places, self.sources)).tolist():
            found[at] = 0
        return found

    def lengths(self, cutoff: Any = None) -> dict[Any, Any]:
        order = self.order(cutoff)
        return dict(zip(self.graph.labels(order), self.lengths_of(order), strict=True))

    def length_to(self, target: Any, cutoff: Any = None) -> Any:
        """The distance of `target`; None if it is out of reach or not a node."""
        place = self.graph.index.get(target)
        if place is None or not self.reached[place]:
            return None
        [length] = self.lengths_of(np.array([place]))
        return None if cutoff is not None and place not in self.sources and length > cutoff else length

    def paths(self, cutoff: Any = None, *, reverse: bool = False) -> dict[Any, list[Any]]:
        """A shortest path to each node; with `reverse`, the nodes of each path are in reverse order."""
        order, count = self.order(cutoff), len(self.sources)
        nodes = self.graph.labels(order)
        paths = {source: [source] for source in nodes[:count]}
        for node, before in zip(nodes[count:], self.graph.labels(self.parent[order[count:]]), strict=True):
            paths[node] = [node, *paths[before]] if reverse else [*paths[before], node]
        return paths

    def path_to(self, target: Any) -> list[Any]:
        """A shortest path to `target`, which must have been reached."""
        places = [self.graph.index[target]]
        while (before := int(self.parent[places[-1]])) >= 0:
            places.append(before)
        return self.graph.labels(np.array(places[::-1]))

    def tree(self, limit: Any = None) -> tuple[list[Any], list[Any]]:
        """The parents and the nodes of a tree of shortest paths, in the order of visits, without the sources."""
        order = self.order(limit)[len(self.sources) :]
        return self.graph.labels(self.parent[order]), self.graph.labels(order)

    def predecessors(self, cutoff: Any = None) -> dict[Any, list[Any]]:
        """For each node its predecessors on all shortest paths, both in NetworkX's order."""
        from minigr.networkx.visits import all_parents, first_seen

        order = self.order(cutoff)
        starts, rows = all_parents(self.graph, self.weights, self.distance, order)
        keys = order  # the order of a queue; a heap may find a shorter path to a node after it was seen
        if self.weighted:
            bound = np.inf if cutoff is None else cutoff
            keys = first_seen(self.graph, self.weights, self.distance, order, bound)
        parents, nodes = self.graph.labels(rows), self.graph.labels(keys)
        ends = zip(starts[keys].tolist(), starts[keys + 1].tolist(), strict=True)
        return {node: parents[begin:end] for node, (begin, end) in zip(nodes, ends, strict=True)}


def is_whole(graph: ConvertedGraph, weight: Any) -> bool:
    """Whether sums of the weights are ints.

    Raises
    ------
    CannotAnswer
        If some weights are ints and others are floats.
    """
    weights = graph.weights(weight)
    if weights is None:
        return True
    if weights.mixed:
        raise CannotAnswer(f"some edges have an int for {weight!r} and others a float")
    return bool(weights.values.dtype == np.int64)


def require_sums(graph: ConvertedGraph, weight: Any) -> None:
    """Check that no `Search` in the graph, from any source, will be refused."""
    if graph.is_weighted(weight):
        _, _, greatest = nonnegative(graph.graph(weight)).weight_summary()
        if is_whole(graph, weight) and greatest * len(graph) >= EXACT:
            raise CannotAnswer("a distance could be 2**53 or more")


_MISSING = "Node {} not found in graph"


def search(graph: ConvertedGraph, *sources: Any, weight: Any = None, missing: str = _MISSING) -> Search:
    """A `Search` from sources that may be missing.

    Raises
    ------
    networkx.NodeNotFound
        With the message `missing`. NetworkX has a message for each function, and its tests check the messages.
    """
    for source in sources:
        if source not in graph:
            raise nx.NodeNotFound(missing.format(source))
    return Search(graph, *sources, weight=weight)


def length_between(
    graph: ConvertedGraph, source: Any, target: Any, weight: Any = None, missing: str = _MISSING
) -> int | float | None:
    """The distance of `target` from `source`; None if it is out of reach or not a node.

    It is found by `minigr.shortest_path`, except if floats must be added up in NetworkX's order.

    Raises
    ------
    networkx.NodeNotFound
        As by `search`, for a source that does not exist.
    """
    weighted = graph.is_weighted(weight)
    if source not in graph or (weighted and not is_whole(graph, weight)):
        return search(graph, source, weight=weight, missing=missing).length_to(target)
    if target not in graph:
        return None
    ends = graph.index[source], graph.index[target]
    if not weighted:
        hops = mg.shortest_path(graph.graph(), *ends).length
        return None if hops < 0 else hops
    length = mg.shortest_path(nonnegative(graph.graph(weight)), *ends, weighted=True).length
    if length == np.inf:
        return None
    if length >= EXACT:
        raise CannotAnswer("a distance is 2**53 or more")
    return int(length)
