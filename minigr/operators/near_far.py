"""near_far: puts out due vertices, nearest first; other vertices wait, in one far pile or in bins of priority."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.errors import ProblemError
from minigr.jit.functor import Functor
from minigr.operators.bins import Bins
from minigr.operators.far_pile import NearFar
from minigr.primitives import reduce_ops
from minigr.program.frontier import Frontier, Handle
from minigr.program.node import bind_functions, check_flag, check_input

if TYPE_CHECKING:
    from minigr.program.problem import Problem

MOST_BINS = 32  # an int32 has a bit for each bin that says whether a vertex waits in it


def check_bands(width: Any, bins: Any) -> None:
    """Raise `ProblemError` if a frontier can't be split into `bins` bands of this width."""
    number = reduce_ops.number_or_none(width, np.dtype(np.float64))
    if number is None or not (math.isfinite(number) and number > 0):
        raise ProblemError(f"near_far: width={width!r} must be a finite number above 0")
    if not isinstance(bins, (int, np.integer)) or not 2 <= bins <= MOST_BINS:
        raise ProblemError(f"near_far: bins={bins!r} must be a whole number from 2 to {MOST_BINS}")


def record(
    index: int,
    problem: Problem,
    frontier: Handle,
    functor: type[Functor] | None,
    *,
    width: float,
    bins: int = 2,
    waiting: Frontier | None = None,
    falling: bool = False,
) -> NearFar:
    """Record a near-far split; the options are those of `minigr.enactor.steps.Steps.near_far`."""
    check_input(frontier, "near_far", ("vertices",))
    if frontier.everything or not frontier.distinct:
        raise ProblemError("near_far needs a list of distinct vertices: remove duplicates first")
    check_bands(width, bins)
    if waiting is not None and not (isinstance(waiting, Frontier) and waiting.kind == "vertices" and waiting.distinct):
        raise ProblemError(f"near_far: waiting={waiting!r} must be a minigr.Frontier of distinct vertices")
    if check_flag(falling, "near_far: falling") and bins > 2:
        raise ProblemError(
            f"near_far: falling=True and bins={bins} exclude each other, because a vertex whose priority fell unseen "
            "may wait in any bin: leave out bins=, or have the functor put each vertex whose priority it lowers into "
            "the frontier, and leave out falling="
        )
    functions = bind_functions(functor, problem, ("priority",), ("priority",), "near_far")
    vertices = problem.graph.num_vertices
    output = Handle("vertices", index, capacity=vertices)
    kind = NearFar if bins == 2 else Bins
    node = kind(
        index, frontier, output, functions, width=float(width), bins=int(bins), waiting=waiting, falling=bool(falling)
    )
    node.capacity, node.sole = vertices, "near_far"
    node.buffers["piles"] = ((node.bins, vertices), np.int32, None)
    node.buffers[node.waits] = (vertices, np.int32, 0)
    # If vertices wait from the start, no vertex is near at first, so the vertices of the frontier join the waiting
    # ones.
    node.levels = (node.width if waiting is None else -math.inf, node.width, -math.inf, math.inf)
    return node
