"""Weights as whole numbers, so that the sum of those around a vertex is the same in whatever order they are added."""

from __future__ import annotations

import numpy as np

from minigr.apps.common.checks import scale_of
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

_BITS = 30  # of the sum around a vertex
_MOST_EXPONENT = 1023  # of float64


class WeightProblem(Problem):
    unit = vertex_field(np.float64)  # of each vertex: what a weight of 1 counts, once weights are scaled
    scale = parameter(np.float64, default=1.0)


class Strength(Functor):
    def map(src, dst, weight, scale):
        return weight * scale if src != dst else 0.0


def whole(weight, scale, unit):
    """A weight as a whole number, for a functor."""
    return np.int32(weight * scale * unit + 0.5)


def set_units(problem: WeightProblem) -> None:
    """Let the weights around each vertex, loops apart, come to less than 2**30, if the graph has weights.

    They are multiplied by powers of 2, so whole numbers stay what they are, unless their sum is greater.
    """
    if problem.graph.weighted:
        problem.scale = scale_of(problem.graph)
        neighbor_reduce(problem, Frontier.all_vertices(), Strength, reduce="add", into="unit")
        xp = problem.device.xp
        problem.unit = xp.ldexp(1.0, xp.minimum(_BITS - xp.frexp(problem.unit)[1], _MOST_EXPONENT))
