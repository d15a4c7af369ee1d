"""Weights as integers, so that the sum of the weights at a vertex does not depend on the order of addition."""

from __future__ import annotations

import numpy as np

from minigr.apps.common.checks import scale_of
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

_BITS = 30  # bits of the sum of the weights at a vertex
_MOST_EXPONENT = 1023  # of float64


class WeightProblem(Problem):
    unit = vertex_field(np.float64)  # of each vertex: the integer for a scaled weight of 1
    scale = parameter(np.float64, default=1.0)


class Strength(Functor):
    def map(src, dst, weight, scale):
        return weight * scale if src != dst else 0.0


def whole(weight, scale, unit):
    """A weight as an integer; called by functors."""
    return np.int32(weight * scale * unit + 0.5)


def set_units(problem: WeightProblem) -> None:
    """Set units so that the weights at each vertex, without self-loops, sum to less than 2**30, if there are weights.

    Units are powers of 2, so integer weights stay exact, unless their sum is greater.
    """
    if problem.graph.weighted:
        problem.scale = scale_of(problem.graph)
        neighbor_reduce(problem, Frontier.all_vertices(), Strength, reduce="add", into="unit")
        xp = problem.device.xp
        problem.unit = xp.ldexp(1.0, xp.minimum(_BITS - xp.frexp(problem.unit)[1], _MOST_EXPONENT))
