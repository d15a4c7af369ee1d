"""Code of greedy algorithms that process the vertices of an undirected graph in a given order, many at a time.

A vertex can be decided as soon as its neighbors of higher priority are decided. So the result is the same as when
vertices are processed one after the other by falling priority, and it does not depend on the order of the threads. Each
vertex counts the neighbors for which it still waits, and a neighbor that is decided decrements the count. So each edge
is read twice to count and twice to decrement, regardless of the number of steps (Blelloch, Fineman, Shun, Greedy
Sequential Maximal Independent Set and Matching are Parallel on Average, SPAA 2012).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import ProblemError
from minigr.generate.keys import stream_key
from minigr.graphs.backend import scope
from minigr.graphs.checks import as_ids, whole_number
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class GreedyProblem(Problem):
    priority = vertex_field(np.int64)  # distinct
    waits = vertex_field(np.int32)  # number of edges to undecided neighbors of higher priority, parallel edges included


class CountHigher(Functor):
    def map(src, dst, priority):
        return 1 if priority[dst] > priority[src] else 0


def count_higher(problem: GreedyProblem, live: Frontier) -> None:
    """Set `waits` of the `live` vertices to its value at the start."""
    neighbor_reduce(problem, live, CountHigher, reduce="add", into="waits")


def random_order(graph: Any, seed: int) -> Any:
    """int64[n]: distinct random numbers below 2**32, which depend only on the seed and the id of each vertex.

    Each step is invertible, so distinct ids get distinct numbers (the finalizer of MurmurHash3, by Appleby).

    Raises
    ------
    GraphError
        If `seed` is not a whole number of 64 bits.
    """
    key = stream_key(whole_number(seed, "seed", -(2**63), 2**64 - 1), 0)
    with scope(graph._device):
        bits = graph._device.xp.arange(graph.num_vertices, dtype=np.uint32)
        for word in (key & 0xFFFFFFFF, key >> 32):
            bits ^= np.uint32(word)
            for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
                bits ^= bits >> np.uint32(shift)
                bits *= np.uint32(factor)
        return bits.astype(np.int64)


def falling_along(graph: Any, order: Any) -> Any:
    """int64[n]: priorities that fall along `order`, which has every vertex once.

    Raises
    ------
    GraphError
        If `order` holds anything other than vertex ids.
    ProblemError
        If a vertex is missing or repeated.
    """
    count, xp = graph.num_vertices, graph._device.xp
    with scope(graph._device):
        ids = as_ids(graph._device, order, "order", count)
        times = xp.bincount(ids, minlength=count)
        wrong = xp.flatnonzero(times != 1)
        if wrong.size:
            vertex = int(wrong[0])
            raise ProblemError(f"order must have each vertex once, but has vertex {vertex} {int(times[vertex])} times")
        priority = xp.empty(count, np.int64)
        priority[ids] = xp.arange(count - 1, -1, -1, dtype=np.int64)
        return priority
