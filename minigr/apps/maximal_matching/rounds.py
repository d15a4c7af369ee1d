"""Rounds with many threads, which find the same matching as one thread that follows the order.

In a round, each vertex chooses a neighbor as if all choices of the previous round were final. A vertex does not choose
a neighbor that an earlier vertex chose, or that is itself an earlier vertex with a choice. It chooses no neighbor if an
earlier vertex chose it. The first vertex whose choice is not final yet makes its final choice in the next round. So all
choices are final when none changes. There are few rounds if few vertices wait for each other, as in the greedy
algorithms of Blelloch, Fineman, Shun, Greedy Sequential Maximal Independent Set and Matching are Parallel on Average
(SPAA 2012).
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
"""The most rounds. If these are not enough, the chains of waiting vertices are too long for this method."""
_FOREVER = 2**62


class RoundsProblem(MatchingProblem):
    choice = vertex_field(np.int32, fill=-1)
    taken = vertex_field(np.int64)  # the greatest `place` of vertices that chose this vertex, and of it if it chose


def place(vertex, iteration, stretch, key):
    """A number that falls along the order. It is greater in later rounds, so `taken` need not be cleared."""
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
