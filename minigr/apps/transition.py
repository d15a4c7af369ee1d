"""The chances of a random walk: each out-edge of a vertex is followed in proportion to its weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.problem import Problem, vertex_field
from minigr.jit.functor import Functor
from minigr.operators import neighbor_reduce
from minigr.operators.frontier import Frontier


class OutWeight(Problem):
    total = vertex_field(np.float64)


class Weight(Functor):
    def map(weight):
        return weight


def chance_per_weight(graph: Any) -> Any:
    """1 over the total weight of each vertex's out-edges (without weights, over their number), 0 where that is 0.

    Returns a float64 array on the graph's device. Takes O(vertices + edges) work.

    Examples
    --------
    >>> import minigr as mg
    >>> chance_per_weight(mg.Graph.from_edges([0, 0], [1, 2], [1.0, 3.0], directed=True, device="cpu"))
    array([0.25, 0.  , 0.  ])
    """
    problem = OutWeight(graph)
    if graph.weighted:
        neighbor_reduce(problem, Frontier.all_vertices(), Weight, reduce="add", into="total")
    else:
        problem.total = graph.out_degree()
    ends = problem.total == 0
    return ~ends / (problem.total + ends)
