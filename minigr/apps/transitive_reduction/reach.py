"""The edges of a directed acyclic graph that longer paths replace, by searches from many vertices at a time.

Each source has a bit. Vertices pass bits on in the order of their topological levels, and each vertex does so once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_or
from minigr.jit.functor import Functor
from minigr.operators.calls import advance, neighbor_reduce
from minigr.operators.options import Balance
from minigr.program.control import Driver
from minigr.program.executor import Progress
from minigr.program.fields import edge_field, parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

_TOGETHER = 64  # sources of a search: one for each bit of an int64


class ReductionProblem(Problem):
    level = vertex_field(np.int32)
    highest = vertex_field(np.int32)  # the greatest level of the out-neighbors of a vertex
    bit = vertex_field(np.int64)  # of a source: its bit
    reach = vertex_field(np.int64)  # the bits of the sources that reach a vertex, including its own bit
    longer = vertex_field(np.int64)  # the bits of the sources that reach a vertex by more than one edge
    replaced = edge_field(np.bool_)  # whether a longer path replaces the edge
    last = parameter(np.int32, default=0)  # the greatest level that a search must visit


class Highest(Functor):
    def map(dst, level):
        return level[dst]


class Reach(Functor):
    def cond_advance(src, dst, level, last, bit, reach, longer):
        if level[dst] > last:
            return False
        others = reach[src] & ~bit[src]
        if others & ~longer[dst] != 0:
            atomic_or(longer, dst, others)
        if reach[src] & ~reach[dst] == 0:
            return False
        return atomic_or(reach, dst, reach[src]) == 0 and level[dst] < last

    def priority(vertex, level):
        return level[vertex]


class Replaced(Functor):
    def cond_advance(src, dst, bit, longer):
        return longer[dst] & bit[src] != 0

    def apply_advance(edge, replaced):
        replaced[edge] = True


class ReachEnactor(Enactor, problem=ReductionProblem, functor=Reach, looks_at=("balance", "sources")):
    balance: Balance = "auto"

    def start(self, sources: Any) -> Frontier:
        problem, xp = self.problem, self.graph._device.xp
        problem.bit, problem.reach, problem.longer = 0, 0, 0
        problem.last = int(problem.highest[sources].max())
        problem.bit[sources] = problem.reach[sources] = 1 << xp.arange(len(sources), dtype=np.int64)
        self.sources = Frontier("vertices", ids=sources, distinct=True)
        return Frontier.of([])

    def step(self, frontier: Handle) -> Handle:
        found = self.advance(frontier, duplicates="impossible", balance=self.balance)
        return self.near_far(found, width=1, waiting=self.sources)


def find_replaced(problem: ReductionProblem, balance: Balance, progress: Progress | None, driver: Driver) -> int:
    """Find the edges that longer paths replace; return the number of steps."""
    graph, xp, iterations = problem.graph, problem.device.xp, 0
    neighbor_reduce(problem, Frontier.all_vertices(), Highest, reduce="max", initial=0, into="highest")
    sources = xp.flatnonzero(problem.highest > problem.level + 1).astype(np.int32)
    sources = sources[xp.argsort(problem.level[sources], kind="stable")]
    enactor = ReachEnactor(graph, problem=problem, driver=driver)
    enactor.balance = balance
    begins = range(0, len(sources), _TOGETHER)
    for done, begin in enumerate(graph._device.rounds(begins), 1):
        some = sources[begin : begin + _TOGETHER]
        enactor.run(some)
        advance(problem, Frontier.of(some), Replaced, output=None, balance=balance)
        iterations += enactor.iterations
        if progress is not None:
            progress(done, len(begins))
    return iterations
