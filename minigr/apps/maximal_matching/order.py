"""The order in which vertices take a free neighbor, and one thread that goes by the order.

First each block of vertices with consecutive ids is gone through on its own, if its first vertex has a neighbor in it.
Where ids of neighbors are near, this matches nearly all vertices. The other vertices take a neighbor one after the
other. Here one thread goes through them, which is the least work: a vertex looks at a few of its edges.

Many threads go by the same order in `rounds.py`, where a vertex waits for those before it. If vertices came by their
ids alone, a vertex of a mesh would wait for a long chain of others. So ids come in stretches, which are dealt out to
groups at random, and one group comes after the other. A chain ends where the next stretch is in another group.
"""

from __future__ import annotations

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

BLOCK = 64
"""Vertices that a thread goes through first."""
GROUPS = 4
BITS = 2**32 - 1
"""Of random numbers."""


class MatchingProblem(Problem):
    mate = vertex_field(np.int32, fill=-1)
    stretch = parameter(np.int32)  # so many vertices with consecutive ids are in one group
    key = parameter(np.int64)  # of the random numbers


def length_of_stretches(num_vertices: int) -> int:
    """As long as memory wants them, and many in a small graph too."""
    return min(max(num_vertices // 256, 1), 1024)


def group(vertex, stretch, key):
    bits = (vertex // stretch ^ key) * 0x9E3779B1 & BITS
    return ((bits ^ bits >> 16) * 0x85EBCA6B & BITS) * GROUPS >> 32


def first_free(vertex, most, taken, graph):
    """The first neighbor for which `taken` is no more than `most`; -1 if there is none."""
    for neighbor in graph.neighbors(vertex):
        if taken[neighbor] <= most and neighbor != vertex:
            return neighbor
    return -1


def has_neighbor_before(end, vertex, graph):
    """Whether an edge leads to a vertex after `vertex` and before `end`."""
    for neighbor in graph.neighbors(vertex):
        if neighbor > vertex:
            return neighbor < end
    return False


def match_within(begin, graph, mate):
    """Go through the block that begins with a vertex."""
    end = min(begin + BLOCK, graph.num_vertices)
    if not has_neighbor_before(end, begin, graph):
        return
    for one in range(begin, end):
        if mate[one] < 0:
            for other in graph.neighbors(one):
                if other >= end:
                    break
                if other > one and mate[other] < 0:
                    mate[one], mate[other] = other, one
                    break


def match_in_order(graph, mate, stretch, key):
    """Go through the graph."""
    for turn in range(GROUPS):
        for begin in range(0, graph.num_vertices, stretch):
            if group(begin, stretch, key) == turn:
                for one in range(begin, min(begin + stretch, graph.num_vertices)):
                    if mate[one] < 0:
                        other = first_free(one, -1, mate, graph)
                        if other >= 0:
                            mate[one], mate[other] = other, one


class MatchWithin(Functor):
    def apply(vertex, graph, mate):
        match_within(vertex, graph, mate)


class TakeInOrder(Functor):
    def cond_filter(graph, mate, stretch, key):
        match_in_order(graph, mate, stretch, key)
        return False


class InOrder(Enactor, problem=MatchingProblem, functor=TakeInOrder, looks_at=()):
    def start(self) -> Frontier:
        begins = self.graph._device.xp.arange(0, self.graph.num_vertices, BLOCK, dtype=np.int32)
        compute(self.problem, Frontier("vertices", ids=begins, distinct=True), MatchWithin)
        return Frontier("vertices", ids=begins[:1], distinct=True)  # one vertex for all

    def step(self, frontier: Handle) -> Handle:
        return self.filter(frontier)
