"""The chances of a random walk: each out-edge of a vertex is followed in proportion to its weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.problem import Problem, vertex_field
from minigr.jit.functor import Functor
from minigr.operators import neighbor_reduce
from minigr.operators.frontier import Frontier
from minigr.primitives import transform

_SKEWED = 64  # times the mean degree: with such a vertex there is, few vertices have many of the edges
_LARGE = 1 << 22  # arcs whose gathers don't come from the caches anyhow


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
        return transform(_one_over_degree, count=graph.num_vertices, dtype=np.float64, offsets=graph.offsets)
    problem = OutWeight(graph)
    neighbor_reduce(problem, Frontier.all_vertices(), Weight, reduce="add")
    return problem.chance


def _one_over_degree(i, offsets):
    degree = offsets[i + 1] - offsets[i]
    return 1.0 / degree if degree > 0 else 0.0


def numbered_for_gathers(graph: Any) -> tuple[Any, Any]:
    """The graph to walk on instead of `graph`, and the number of each vertex in it; None where that is the same.

    On a GPU, gathers over a large graph with hubs are faster where the hubs have the first numbers.
    """
    skewed = graph.max_degree() * graph.num_vertices > _SKEWED * graph.num_arcs
    if graph._device.is_cuda and skewed and graph.num_arcs >= _LARGE:
        return graph.by_degree()
    return graph, None


def placed(values: Any, graph: Any, place: Any) -> Any:
    """An array of values of the graph's vertices, on its device and in the order of the graph that is walked on."""
    values = graph._device.asarray(values)
    if place is None:
        return values
    moved = graph._device.xp.empty_like(values)
    moved[place] = values
    return moved
