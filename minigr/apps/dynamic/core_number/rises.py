"""Loops in which core numbers rise."""

from __future__ import annotations

import numpy as np

from minigr.apps.dynamic.core_number.loops import CLEAN, LISTED, FollowedCores, look
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add, atomic_cas
from minigr.jit.functor import Functor
from minigr.program.frontier import Handle


def become_seed(vertex, state, seeds, counts, seeds_before):
    """Add a vertex to the seeds, if it is not listed yet."""
    if atomic_cas(state, vertex, CLEAN, LISTED) == CLEAN:
        seeds[atomic_add(counts, 1, 1) - seeds_before] = vertex


class Candidates(Functor):
    def map(src, dst, core):
        return 1 if core[dst] >= core[src] and dst != src else 0

    def apply_reduce(vertex, value, support, degree, counts, candidates, candidates_before):
        look(vertex, degree, counts)
        candidates[atomic_add(counts, 2, 1) - candidates_before] = vertex
        support[vertex] = value

    def cond_filter(vertex, core, support):
        return support[vertex] > core[vertex]

    def cond_advance(src, dst, core, state):
        return core[dst] == core[src] and atomic_cas(state, dst, CLEAN, LISTED) == CLEAN

    def until(most, counts):
        return counts[0] > most


class CandidatesEnactor(Enactor, problem=FollowedCores, functor=Candidates, steady=True):
    """Finds candidates, and searches on among vertices of the same core from vertices that could rise.

    A vertex could rise if it would have enough neighbors in the next core after all its neighbors of its core rose.
    """

    def step(self, frontier: Handle) -> Handle:
        self.neighbor_reduce(frontier, reduce="add", dtype=np.int32)
        return self.advance(self.filter(frontier), duplicates="impossible")


class Withdraw(Functor):
    def cond_filter(vertex, iteration, core, support):
        return iteration > 1 or support[vertex] <= core[vertex]

    def apply_filter(vertex, state):
        state[vertex] = CLEAN

    def cond_advance(src, dst, core, state, support):
        if state[dst] != LISTED or core[dst] != core[src]:
            return False
        return atomic_add(support, dst, -1) == core[dst] + 1


class WithdrawEnactor(Enactor, problem=FollowedCores, functor=Withdraw, steady=True):
    """Removes candidates that cannot rise, and then candidates that cannot rise without the removed ones."""

    def step(self, frontier: Handle) -> Handle:
        return self.advance(self.filter(frontier), duplicates="impossible")


class Rise(Functor):
    def cond_filter(vertex, state):
        return state[vertex] == LISTED

    def apply_filter(vertex, core, seeds, counts, seeds_before):
        core[vertex] += 1
        seeds[atomic_add(counts, 1, 1) - seeds_before] = vertex

    def apply_advance(src, dst, core, state, seeds, counts, seeds_before):
        if core[dst] == core[src] - 1:  # `dst` has gained a neighbor with a higher core number
            become_seed(dst, state, seeds, counts, seeds_before)


class RiseEnactor(Enactor, problem=FollowedCores, functor=Rise, steady=True):
    """Raises the remaining candidates by one. They and their neighbors one core below are the next round's seeds."""

    def step(self, frontier: Handle) -> None:
        self.advance(self.filter(frontier), output=None)


def sow(i, src, dst, state, seeds, counts, seeds_before):
    """Make the ends of edges seeds."""
    become_seed(src[i], state, seeds, counts, seeds_before)
    become_seed(dst[i], state, seeds, counts, seeds_before)
