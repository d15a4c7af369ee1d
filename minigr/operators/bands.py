"""near_far as a function: splits a frontier into bands of priority."""

from __future__ import annotations

import math
from typing import Any

from minigr.errors import ProblemError
from minigr.graphs.backend import scope
from minigr.graphs.guard import read
from minigr.operators.near_far import check_bands
from minigr.operators.priorities import record
from minigr.operators.single import SingleOperator, check_call
from minigr.program.frontier import Frontier


def split(
    problem: Any, frontier: Frontier, functor: Any, debug: bool, *, width: float, bins: int
) -> tuple[Frontier, ...]:
    """Return the result of `minigr.operators.near_far`."""
    check_call(problem, frontier)
    check_bands(width, bins)
    if problem.graph.layout == "parts":
        raise ProblemError("near_far over a PartitionedGraph runs only in the step of an Enactor: write an Enactor")
    return read(problem.graph, _split, problem, frontier, functor, float(width), bins, debug)


def _split(
    problem: Any, frontier: Frontier, functor: Any, width: float, bins: int, debug: bool
) -> tuple[Frontier, ...]:
    graph = problem.graph
    run = SingleOperator(problem, record, functor, {}, debug)._execute(frontier)
    values = run.buffers["values_0"]
    vertices = frontier.vertices_on(graph)
    found = []
    with scope(graph._device):
        for number in range(bins):
            low = number * width if number > 0 else -math.inf
            high = (number + 1) * width if number < bins - 1 else math.inf
            found.append(vertices[(values >= low) & (values < high)])
    distinct = frontier.everything or None
    return tuple(Frontier.known("vertices", ids, graph, distinct=distinct) for ids in found)
