"""The greatest sum of weights at a vertex, which is an upper bound of the eigenvalues of the adjacency matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.program.fields import parameter, scalar_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

_SURE = 0.9


class StrengthProblem(Problem):
    greatest = scalar_field(np.float64)
    scale = parameter(np.float64)  # the factor of weights


class Degree(Functor):
    def map(src):
        return 1.0

    def apply_reduce(value):
        return value


class Strength(Degree):
    def map(src, weight, scale):
        return weight * scale


def sure_attenuation(graph: Any, scale: float) -> float:
    """0.9 divided by the greatest sum of a vertex's out-edges: of their weights times `scale`, or of 1 for each edge.

    With this factor, walks of each length add at most 0.9 times as much as walks with one edge less. Takes
    O(vertices + edges) work.

    Examples
    --------
    >>> import minigr as mg
    >>> sure_attenuation(mg.Graph.from_edges([0, 0], [1, 2], [4.0, 2.0], device="cpu"), 0.5)
    0.3
    """
    problem, functor = StrengthProblem(graph, scale=scale), Strength if graph.weighted else Degree
    how: Any = {"reduce": "add", "scalar": "greatest", "scalar_reduce": "max", "scalar_initial": 0.0}
    neighbor_reduce(problem, Frontier.all_vertices(), functor, **how)
    return _SURE / (float(graph._device.number(problem.greatest)) or 1.0)
