"""Rounds of many threads, which find what one thread finds that goes by the order.

In a round each vertex chooses as if all choices of the round before were right. It takes no neighbor that an earlier
vertex chose or that chose before it, and chooses nothing if an earlier vertex chose it. Of the vertices whose choice is
not right yet, the first one is right after the next round. So all choices are right when none changes. Rounds are few
where few vertices wait for each other, as in the greedy algorithms of Blelloch, Fineman, Shun, Greedy Sequential
Maximal Independent Set and Matching are Parallel on Average (SPAA 2012).
"""

from __future__ import annotations

import numpy as np

from minigr.apps.maximal_matching.order import InOrder, MatchingProblem, first_free, group
from minigr.jit.atomics import atomic_max
from minigr.jit.functor import Functor
from minigr.operators.calls import compute, filter
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle

MANY = 128
"""Rounds after which a chain of vertices that wait for each other is too long for rounds."""
_FOREVER = 2**62


class RoundsProblem(MatchingProblem):
    choice = vertex_field(np.int32, fill=-1)
    taken = vertex_field(np.int64)  # the greatest `place` of those that chose a vertex, and its own if it chose


def place(vertex, iteration, stretch, key):
    """It falls along the order, and is greater in a later round, so nothing has to be cleared."""
    return (iteration << 33) - (group(vertex, stretch, key) << 31) - vertex


class Free(Functor):
    def cond_filter(vertex, mate, taken):
        if mate[vertex] >= 0:
            taken[vertex] = _FOREVER
        return mate[vertex] < 0


class Choose(Functor):
    def apply(vertex, iteration, choice, taken, stretch, key):
        if choice[vertex] >= 0:
            own = place(vertex, iteration, stretch, key)
            atomic_max(taken, vertex, own)
            atomic_max(taken, choice[vertex], own)

    def cond_filter(vertex, graph, iteration, choice, taken, stretch, key):
        own, before, now = place(vertex, iteration, stretch, key), choice[vertex], -1
        if taken[vertex] <= own:
            now = first_free(vertex, own, taken, graph)
        choice[vertex] = now
        return now != before


class Match(Functor):
    def apply(vertex, choice, mate):
        if choice[vertex] >= 0:
            mate[vertex], mate[choice[vertex]] = choice[vertex], vertex


class InRounds(InOrder, problem=RoundsProblem, functor=Choose, looks_at=()):
    def start(self) -> Frontier:
        super().start()
        return filter(self.problem, Frontier.all_vertices(), Free)

    def step(self, frontier: Handle) -> Handle:
        everyone = Frontier.all_vertices()
        self.compute(everyone)
        return self.filter(everyone)

    def run(self) -> None:
        super().run()
        compute(self.problem, Frontier.all_vertices(), Match)
