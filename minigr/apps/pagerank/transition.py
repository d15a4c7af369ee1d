"""The probabilities of a random walk: a walk follows each out-edge of a vertex in proportion to its weight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minigr.apps.common.checks import require_nonnegative_weights
from minigr.apps.pagerank.personalization import teleport_distribution
from minigr.errors import GraphError
from minigr.graphs.graph import Graph
from minigr.graphs.partitioned.graph import PartitionedGraph
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.primitives.transform import transform
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

_SKEWED = 64  # times the mean degree: in a graph with such a vertex, few vertices have many of the edges
_LEAST_SINGLE, _MOST_SINGLE = 1e-25, 1e35  # times a rank, which is from 1e-11 to 1, they are normal numbers of float32
_LARGE = {"cuda": 1 << 22, "cpu": 1 << 20}  # arcs: in larger graphs, the nearest caches are too small for gathers


class OutWeight(Problem):
    chance = vertex_field(np.float64)


class Count(Functor):
    def map(src):
        return 1.0

    def apply_reduce(vertex, value, chance):
        chance[vertex] = 1.0 / value if 0.0 < value < np.inf else value


class Weight(Count):
    def map(src, weight):
        return np.float64(weight)  # so that weights are summed in float64


def chance_per_weight(graph: Any) -> Any:
    """1 divided by the total weight of each vertex's out-edges, or by their number without weights; 0 if that is 0.

    Returns a float64 array on the graph's device, which has inf if float64 cannot hold the sum, or 1 over it. Takes
    O(vertices + edges) work.

    Examples
    --------
    >>> import minigr as mg
    >>> chance_per_weight(mg.Graph.from_edges([0, 0], [1, 2], [1.0, 3.0], directed=True, device="cpu"))
    array([0.25, 0.  , 0.  ])
    """
    if not graph.weighted and graph.layout != "parts":
        return transform(_one_over_degree, count=graph.num_vertices, dtype=np.float64, degrees=graph.out_degree())
    problem = OutWeight(graph)
    neighbor_reduce(problem, Frontier.all_vertices(), Weight if graph.weighted else Count, reduce="add")
    return problem.chance


def weigh_again(graph: Any, chance: Any, vertices: Frontier) -> None:
    """Recompute the chances of some vertices of a weighted graph; takes O(their edges) work."""
    neighbor_reduce(OutWeight(graph, chance=chance), vertices, Weight, reduce="add")


def _one_over_degree(i, degrees):
    return 1.0 / degrees[i] if degrees[i] > 0 else 0.0


@dataclass(frozen=True)
class Walk:
    """A random walk over a graph.

    Attributes
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
        The graph of the walk: the given graph, or the same graph with vertices numbered by degree.
    place : int32[n] or None
        The number in `graph` of each vertex of the given graph; None if vertices keep their numbers.
    chance : float64[n]
        See `chance_per_weight`.
    single : bool
        Whether float32 can hold the rank that a vertex gives to an edge per unit of weight.
    dead_ends : int
        The number of vertices whose chance is 0, because they have no out-edge with a weight above 0. Deleted vertices
        do not count.
    jumps : float64[n] or None
        The probability that the walk restarts at each vertex; None if it is the same for all vertices.
    """

    graph: Any
    place: Any
    chance: Any
    single: bool
    dead_ends: int
    jumps: Any

    def in_place(self, values: Any) -> Any:
        """Reorder values of the vertices of the given graph to the order of `graph`, on its device."""
        values = self.graph._device.asarray(values)
        if self.place is None:
            return values
        moved = self.graph._device.xp.empty_like(values)
        moved[self.place.gather() if self.graph.layout == "parts" else self.place] = values
        return moved

    def as_given(self, values: Any) -> Any:
        """Reorder values of the vertices of `graph` to the order of the given graph."""
        if self.place is None:
            return values
        if self.graph.layout == "parts":
            return self.place.with_each(lambda place, theirs: theirs[place], values)
        return values[self.place]


def _is_skewed(graph: Any) -> bool:
    return graph.max_degree() * graph.num_vertices > _SKEWED * graph.num_arcs


def kept_chances(graph: Any, algorithm: str) -> tuple[Any, bool, int]:
    """The values of `chance_per_weight`, `Walk.single` and `Walk.dead_ends`, which are kept with a static graph.

    Raises
    ------
    GraphError
        If float64 cannot hold the sum of the weights at a vertex, or 1 over the sum.
    """
    if graph.layout == "slabs":
        return _checked_chances(graph, algorithm)
    if graph.layout == "parts":
        copies, *facts = graph._kept.get("chances", graph.version, lambda: _copies_of_chances(graph, algorithm))
        return (copies.of(graph), *facts)
    return graph._kept.get("chances", graph.version, lambda: _checked_chances(graph, algorithm))


def _copies_of_chances(graph: Any, algorithm: str) -> tuple[Any, bool, int]:
    chance, *facts = _checked_chances(graph, algorithm)
    return (chance.copies, *facts)


def _checked_chances(graph: Any, algorithm: str) -> tuple[Any, bool, int]:
    chance = chance_per_weight(graph)
    dead_ends = int((chance == 0.0).sum()) - (graph.num_vertices - graph.num_live_vertices)
    if not graph.weighted or not len(chance):
        return chance, True, dead_ends
    greatest = float(chance.max())
    if greatest == np.inf:
        raise GraphError(
            f"{algorithm}: the weights of vertex {int(chance.argmax())}'s out-edges are so large or small that float64 "
            "does not hold their sum, or 1 over it: divide all weights by a number near to them, e.g. their mean"
        )
    least = float((chance + (chance == 0.0)).min())
    return chance, least >= _LEAST_SINGLE and greatest <= _MOST_SINGLE, dead_ends


def random_walk(graph: Any, preferences: Any, algorithm: str) -> Walk:
    """The walk that follows edges in proportion to their weights, and restarts by `preferences` if they are given.

    Gathers over a large graph with hubs are faster if hubs have the first numbers, so such graphs are renumbered. A
    `DynamicGraph` is not renumbered. A graph whose arcs are on the host is not renumbered either, because reading the
    arcs takes longer than the gathers. The chances of a static graph, 8 bytes per vertex, are kept for the next walk.

    Raises
    ------
    GraphError
        For a negative or infinite edge weight, or if float64 cannot hold the sum of the weights at a vertex, or 1 over
        the sum.
    ProblemError
        For preferences that are not a distribution.
    """
    if graph.weighted:
        require_nonnegative_weights(graph, algorithm)
    jumps = None if preferences is None else teleport_distribution(graph, preferences)
    walked, place = graph, None
    static = isinstance(graph, (Graph, PartitionedGraph))
    large = graph.num_arcs >= _LARGE["cuda" if "cuda" in graph.device else "cpu"]
    if static and large and graph.arcs == "device" and _is_skewed(graph):
        found = graph.by_degree_if_it_fits()
        walked, place = (graph, None) if found is None else found
    walk = Walk(walked, place, *kept_chances(walked, algorithm), None)
    return walk if jumps is None else replace(walk, jumps=walk.in_place(jumps))
