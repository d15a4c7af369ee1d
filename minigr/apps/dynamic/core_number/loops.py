"""Loops in which core numbers fall or rise."""

from __future__ import annotations

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add, atomic_cas
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, parameter, scalar_field, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem

CLEAN, LISTED, FELL = 0, 1, 2  # LISTED: to be looked at, or a candidate to rise


class FollowedCores(Problem):
    core = vertex_field(np.int32)
    state = vertex_field(np.int32)
    support = vertex_field(np.int32)  # of a candidate: neighbors in the next core, if all candidates rise
    visited = scalar_field(np.int64)
    degree = vertex_field(np.int32)
    seeds = vertex_field(np.int32)  # where the candidates of a round spread from
    candidates = vertex_field(np.int32)
    counts = array_field(np.int64)  # in this batch so far: arcs that were looked at, seeds, candidates
    most = parameter(np.int64, default=0)  # what the arcs may rise to
    seeds_before = parameter(np.int64, default=0)  # in the rounds before
    candidates_before = parameter(np.int64, default=0)


def look(vertex, degree, counts):
    """Count the arcs of a vertex that is looked at."""
    atomic_add(counts, 0, degree[vertex])


class IsListed(Functor):
    def cond_filter(vertex, state):
        return state[vertex] == LISTED


# --- deletions -------------------------------------------------------------------------------------------------------


class Fall(Functor):
    def map(src, dst, core):
        return 1 if core[dst] >= core[src] and dst != src else 0

    def apply_reduce(vertex, value, core, state, degree, counts):
        look(vertex, degree, counts)
        if value < core[vertex]:
            core[vertex] -= 1
            state[vertex] = FELL
        else:
            state[vertex] = CLEAN
        return 1

    def until(most, visited, counts):
        return visited == 0 or counts[0] > most


class HasFallen(Functor):
    def cond_filter(vertex, state):
        return state[vertex] == FELL

    def apply_filter(vertex, state):
        state[vertex] = LISTED  # it may fall further


class TellSupported(Functor):
    def cond_advance(src, dst, core):
        return core[dst] == core[src] + 1

    def apply_advance(dst, state):
        state[dst] = LISTED


class FallEnactor(Enactor, problem=FollowedCores, functor=Fall, steady=True):
    """A vertex that falls has its neighbors of the core that it left look again, if they have not fallen too."""

    def step(self, frontier: Handle) -> None:
        listed = self.filter(frontier, IsListed)
        self.neighbor_reduce(listed, reduce="add", dtype=np.int32, scalar="visited")
        self.advance(self.filter(listed, HasFallen), TellSupported, output=None)


def list_ends(i, src, dst, state):
    state[src[i]] = LISTED
    state[dst[i]] = LISTED


# --- insertions ------------------------------------------------------------------------------------------------------


def become_seed(vertex, state, seeds, counts, seeds_before):
    """List a vertex among the seeds, if it is not among them yet."""
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
    """Spreads among vertices of one core from those that could rise if all their neighbors of that core did."""

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
    """Candidates that cannot rise are none any more, and then those that can't without them."""

    def step(self, frontier: Handle) -> Handle:
        return self.advance(self.filter(frontier), duplicates="impossible")


class Rise(Functor):
    def cond_filter(vertex, state):
        return state[vertex] == LISTED

    def apply_filter(vertex, core, seeds, counts, seeds_before):
        core[vertex] += 1
        seeds[atomic_add(counts, 1, 1) - seeds_before] = vertex

    def apply_advance(src, dst, core, state, seeds, counts, seeds_before):
        if core[dst] == core[src] - 1:  # it has one more neighbor above it
            become_seed(dst, state, seeds, counts, seeds_before)


class RiseEnactor(Enactor, problem=FollowedCores, functor=Rise, steady=True):
    """The candidates that are left rise by one, and are seeds of the next round with those right below them."""

    def step(self, frontier: Handle) -> None:
        self.advance(self.filter(frontier), output=None)


def sow(i, src, dst, state, seeds, counts, seeds_before):
    """Make the ends of edges seeds."""
    become_seed(src[i], state, seeds, counts, seeds_before)
    become_seed(dst[i], state, seeds, counts, seeds_before)
