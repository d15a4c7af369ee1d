"""Loops in which core numbers fall, and the fields that all loops of core numbers share."""

from __future__ import annotations

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, parameter, scalar_field, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem

CLEAN, LISTED, FELL = 0, 1, 2  # LISTED: must be examined, or is a seed or a candidate to rise


class FollowedCores(Problem):
    core = vertex_field(np.int32)
    state = vertex_field(np.int32)
    support = vertex_field(np.int32)  # of a candidate: the neighbors in the next core if all candidates rise
    visited = scalar_field(np.int64)
    degree = vertex_field(np.int32)
    seeds = vertex_field(np.int32)  # the vertices from which a round searches for candidates
    candidates = vertex_field(np.int32)
    counts = array_field(np.int64)  # of this batch so far: arcs looked at, seeds, candidates
    most = parameter(np.int64, default=0)  # the most arcs that may be looked at; beyond it, a loop stops
    seeds_before = parameter(np.int64, default=0)  # seeds of earlier rounds
    candidates_before = parameter(np.int64, default=0)


def look(vertex, degree, counts):
    """Add the arcs of a vertex to the count of arcs looked at."""
    atomic_add(counts, 0, degree[vertex])


class IsListed(Functor):
    def cond_filter(vertex, state):
        return state[vertex] == LISTED


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
    """Lowers core numbers. After a vertex falls, neighbors that still have its former core number look again."""

    def step(self, frontier: Handle) -> None:
        listed = self.filter(frontier, IsListed)
        self.neighbor_reduce(listed, reduce="add", dtype=np.int32, scalar="visited")
        self.advance(self.filter(listed, HasFallen), TellSupported, output=None)


def list_ends(i, src, dst, state):
    state[src[i]] = LISTED
    state[dst[i]] = LISTED
