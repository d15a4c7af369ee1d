"""A path of fewest hops between two vertices, by searches from both ends, which alternate.

Pohl, Bi-directional Search (Machine Intelligence 6, 1971). A vertex belongs to the search that reaches it first, so one
label and one link per vertex are enough for both searches. The first edge at which one search meets a vertex of the
other is on a shortest path, because the searches alternate after each hop, and all nearer vertices were visited in
earlier turns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.paths import follow
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_cas, atomic_max
from minigr.jit.functor import Functor
from minigr.operators.options import Balance
from minigr.program.fields import array_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

FROM_SOURCE, FROM_TARGET = 0, 1
_VERTEX = 2**32 - 1


class BothEndsProblem(Problem):
    label = vertex_field(np.int32)  # 1 plus the hops from the source; negative for hops to the target; 0: not reached
    link = vertex_field(np.int32, fill=-1)  # the previous vertex, or the next one; the greatest if there are several
    met = array_field(np.int64)  # by search: the greatest edge to a vertex of the other search, 32 bits for each end
    last = array_field(np.int32)  # by search: the last step in which it found a vertex


def come(src, dst, mine, search, label, link, met, last):
    """Visit `dst` with the label `mine`; return whether it is new. If it belongs to the other search, note the edge."""
    there = label[dst]
    if there == 0:
        there = atomic_cas(label, dst, 0, mine)
    if there == 0 or there == mine:
        atomic_max(link, dst, src)
        if last[search] != abs(mine) - 1:
            last[search] = abs(mine) - 1
    elif (there < 0) != (mine < 0):
        atomic_max(met, search, src << 32 | dst)
    return there == 0


class FromSource(Functor):
    def cond_advance(src, dst, iteration, label, link, met, last):
        return come(src, dst, iteration + 1, FROM_SOURCE, label, link, met, last)

    def until(iteration, met, last):
        return met[0] >= 0 or met[1] >= 0 or last[0] < iteration or last[1] < iteration


class FromTarget(Functor):
    def cond_advance(src, dst, iteration, label, link, met, last):
        return come(src, dst, -iteration - 1, FROM_TARGET, label, link, met, last)


class BothEndsEnactor(Enactor, problem=BothEndsProblem, functor=FromSource, looks_at=("balance",)):
    balance: Balance = "auto"

    def start(self, source: int, target: int) -> tuple[Frontier, Frontier]:
        self.problem.label[source], self.problem.label[target] = 1, -1
        return Frontier.of(source), Frontier.of(target)

    def step(self, forward: Handle, backward: Handle) -> tuple[Handle, Handle]:
        return (
            self.advance(forward, duplicates="impossible", balance=self.balance),
            self.advance(backward, FromTarget, duplicates="impossible", balance=self.balance, reverse=True),
        )

    def path(self) -> list[int]:
        """The vertices of a shortest path; an empty list if there is no path."""
        ahead, back = self.problem.device.numbers(self.problem.met)
        if ahead < 0 and back < 0:
            return []
        here, there = (ahead >> 32, ahead & _VERTEX) if ahead >= 0 else (back & _VERTEX, back >> 32)
        link = self.problem.device.host.asarray(self.problem.link)
        return follow(link, here)[::-1] + follow(link, there)


def path_by_hops(graph: Any, source: int, target: int, balance: Balance, **options: Any) -> tuple[list[int], Any]:
    """The vertices of a path of fewest hops, none if there is no path, and the enactor that found the path."""
    met, last = graph._device.full(2, -1, np.int64), graph._device.full(2, 0, np.int32)
    enactor = BothEndsEnactor(graph, met=met, last=last, **options)
    enactor.balance = balance
    if source == target:
        return [source], enactor
    enactor.run(source, target)
    return enactor.path(), enactor
