"""Levels of a directed graph, all vertices of a level at a time, and a cycle among vertices without a level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.enactor.enactor import Enactor
from minigr.errors import GraphError
from minigr.jit.atomics import atomic_add, atomic_min
from minigr.jit.functor import Functor
from minigr.operators.calls import advance, filter
from minigr.operators.options import Balance
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

_SHOWN = 6  # the most vertices of a path in a message


class LevelsProblem(Problem):
    level = vertex_field(np.int32, fill=-1)
    waits = vertex_field(np.int32)  # the number of edges from vertices without a level


class Levels(Functor):
    def cond_filter(vertex, waits):
        return waits[vertex] == 0

    def apply_filter(vertex, level):
        level[vertex] = 0

    def cond_advance(dst, waits):
        return atomic_add(waits, dst, -1) == 1

    def apply_advance(dst, iteration, level):
        level[dst] = iteration


class CountIn(Functor):
    def apply_advance(dst, waits):
        atomic_add(waits, dst, 1)


class LevelsEnactor(Enactor, problem=LevelsProblem, functor=Levels, looks_at=("balance",)):
    balance: Balance = "auto"

    def start(self) -> Frontier:
        advance(self.problem, Frontier.all_vertices(), CountIn, output=None, balance=self.balance)
        return filter(self.problem, Frontier.all_vertices(), Levels)

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, balance=self.balance, duplicates="impossible")


class BackProblem(Problem):
    level = vertex_field(np.int32)
    before = vertex_field(np.int32, fill=2**31 - 1)


class Back(Functor):
    """Finds, for each vertex without a level, the least vertex without a level that has an edge to it.

    There is always such a vertex.
    """

    def cond_advance(src, dst, level):
        return level[src] < 0 and level[dst] < 0

    def apply_advance(src, dst, before):
        atomic_min(before, dst, src)


def cycle_in(problem: LevelsProblem) -> tuple[int, ...] | None:
    """A cycle of vertices to which `LevelsEnactor` gave no level, from its least vertex; None if there is no cycle."""
    left = problem.waits > 0
    if not bool(left.any()):
        return None
    back = BackProblem(problem.graph, level=problem.level)
    advance(back, Frontier.all_vertices(), Back, output=None)
    before, vertex = CPU.asarray(back.before), int(left.argmax())
    place: dict[int, int] = {}
    while vertex not in place:
        place[vertex] = len(place)
        vertex = int(before[vertex])
    around = list(place)[place[vertex] :][::-1]
    least = around.index(min(around))
    return tuple(around[least:] + around[:least])


def require_directed(graph: Any, algorithm: str) -> None:
    """Raise `GraphError` if the graph is undirected."""
    if not graph.directed:
        raise GraphError(f"{algorithm} takes a directed graph, and this one is undirected: make it with directed=True")


def require_acyclic(problem: LevelsProblem, algorithm: str) -> None:
    """Raise `GraphError` with a cycle if `LevelsEnactor` gave some vertices no level."""
    cycle = cycle_in(problem)
    if cycle is not None:
        raise GraphError(
            f"{algorithm} takes a graph without cycles, but this graph has the cycle {in_words([*cycle, cycle[0]])}: "
            "leave out an edge of each cycle; topological_levels(graph).cycle is this whole cycle"
        )


def in_words(path: Sequence[int]) -> str:
    """The vertices of a path as text; of a long path, the first vertices and the last one."""
    left_out = ["..."] if len(path) > _SHOWN else []
    return " -> ".join([*map(str, path[: _SHOWN - 1]), *left_out, *map(str, path[_SHOWN - 1 :][-1:])])
