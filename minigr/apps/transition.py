"""The chances of a random walk: each out-edge of a vertex is followed in proportion to its weight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from minigr.apps.common import require_nonnegative_weights
from minigr.apps.personalization import teleport_distribution
from minigr.enactor.problem import Problem, vertex_field
from minigr.graphs.graph import Graph
from minigr.jit.functor import Functor
from minigr.operators import neighbor_reduce
from minigr.operators.frontier import Frontier
from minigr.primitives.transform import transform

_SKEWED = 64  # times the mean degree: with such a vertex there is, few vertices have many of the edges
_LARGE = 1 << 22  # arcs whose gathers don't come from the caches anyhow
# Of graphs that were walked on, as long as they are there.
_chances: WeakKeyDictionary[Graph, Any] = WeakKeyDictionary()


class OutWeight(Problem):
    chance = vertex_field(np.float64)


class Weight(Functor):
    def map(weight):
        return weight

    def apply_reduce(vertex, value, chance):
        chance[vertex] = 1.0 / value if value > 0.0 else 0.0


def chance_per_weight(graph: Any) -> Any:
    """1 over the total weight of each vertex's out-edges (without weights, over their number), 0 where that is 0.

    Returns a float64 array on the graph's device. Takes O(vertices + edges) work.

    Examples
    --------
    >>> import minigr as mg
    >>> chance_per_weight(mg.Graph.from_edges([0, 0], [1, 2], [1.0, 3.0], directed=True, device="cpu"))
    array([0.25, 0.  , 0.  ])
    """
    if not graph.weighted:
        return transform(_one_over_degree, count=graph.num_vertices, dtype=np.float64, degrees=graph.out_degree())
    problem = OutWeight(graph)
    neighbor_reduce(problem, Frontier.all_vertices(), Weight, reduce="add")
    return problem.chance


def weigh_again(graph: Any, chance: Any, vertices: Frontier) -> None:
    """Find the chances of these vertices of a weighted graph anew; takes O(their edges) work."""
    neighbor_reduce(OutWeight(graph, chance=chance), vertices, Weight, reduce="add")


def _one_over_degree(i, degrees):
    return 1.0 / degrees[i] if degrees[i] > 0 else 0.0


@dataclass(frozen=True)
class Walk:
    """A random walk over a graph.

    Attributes
    ----------
    graph : Graph
        The one to walk on: that asked for, or the same with its vertices numbered by degree.
    place : int32[n] or None
        The number of each vertex in it; None where that is the same.
    chance : float64[n]
        See `chance_per_weight`.
    jumps : float64[n] or None
        Where the walk starts anew, a distribution; None: anywhere alike.
    """

    graph: Any
    place: Any
    chance: Any
    jumps: Any

    def in_place(self, values: Any) -> Any:
        """Values of the graph's vertices in the order of `graph`, on its device."""
        values = self.graph._device.asarray(values)
        if self.place is None:
            return values
        moved = self.graph._device.xp.empty_like(values)
        moved[self.place] = values
        return moved

    def as_given(self, values: Any) -> Any:
        """Values of the vertices of `graph` in the order of the graph that was asked for."""
        return values if self.place is None else values[self.place]


def _is_skewed(graph: Graph) -> bool:
    return graph.max_degree() * graph.num_vertices > _SKEWED * graph.num_arcs


def _kept_chance(graph: Any) -> Any:
    if not isinstance(graph, Graph):
        return chance_per_weight(graph)
    if graph not in _chances:
        _chances[graph] = chance_per_weight(graph)
    return _chances[graph]


def random_walk(graph: Any, preferences: Any, algorithm: str) -> Walk:
    """The walk that follows edges in proportion to their weights and starts anew by `preferences`, if there are any.

    On a GPU, gathers over a large graph with hubs are faster where the hubs have the first numbers. A `DynamicGraph` is
    walked as it is. What is found of a `Graph`, 8 bytes a vertex, is kept for the next walk.

    Raises
    ------
    GraphError
        For a negative or infinite edge weight.
    ProblemError
        For preferences that are no distribution.
    """
    if graph.weighted:
        require_nonnegative_weights(graph, algorithm)
    jumps = None if preferences is None else teleport_distribution(graph, preferences)
    walked, place = graph, None
    if isinstance(graph, Graph) and graph._device.is_cuda and graph.num_arcs >= _LARGE and _is_skewed(graph):
        walked, place = graph.by_degree()
    walk = Walk(walked, place, _kept_chance(walked), None)
    return walk if jumps is None else replace(walk, jumps=walk.in_place(jumps))
