"""Code of iterations that compute a score for each vertex: their result, and the scaling of scores to unit length."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.tables import VertexTable
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem
from minigr.program.trace import Trace


@dataclass(frozen=True)
class IteratedScores(VertexTable, columns=("score",)):
    """Scores at the end of an iteration.

    Attributes
    ----------
    score : float64 array, one for each vertex
        0 for deleted vertices.
    iterations : int
    converged : bool
        False if `max_iter` ended the iteration.
    trace : Trace or None
    """

    score: Any
    iterations: int
    converged: bool
    trace: Trace | None


class LengthProblem(Problem):
    score = vertex_field(np.float64)
    unit = parameter(np.float64)  # scores are divided by it, so that their squares are in the range of float64
    squares = scalar_field(np.float64)


class Square(Functor):
    def apply(vertex, score, unit):
        return (score[vertex] / unit) ** 2


class Divide(Functor):
    def apply(vertex, score, unit, squares):
        score[vertex] = score[vertex] / unit / math.sqrt(squares) if squares > 0.0 else 0.0


def to_unit_length(graph: Any, score: Any, unit: float) -> None:
    """Scale scores in place so that their squares sum to 1. If all scores are 0, they stay 0."""
    problem = LengthProblem(graph, score=score, unit=unit)
    compute(problem, Frontier.all_vertices(), Square, into="squares")
    compute(problem, Frontier.all_vertices(), Divide)
