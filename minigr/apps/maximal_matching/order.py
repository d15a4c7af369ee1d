"""The order in which vertices take a free neighbor, and a matching by one thread in this order.

First, the vertices of each block with consecutive ids are matched with each other, if the first vertex of the block has
a neighbor in the block. If the ids of neighbors are close, this matches nearly all vertices. The other vertices take a
neighbor one after the other. Here one thread does this with the least work: a vertex reads few of its edges.

In `rounds.py`, many threads use the same order, and a vertex waits for vertices before it. If the order were by ids, a
vertex of a mesh would wait for a long chain of other vertices. So ids are divided into stretches, and each stretch is
assigned to a random group. The vertices of one group come before those of the next group. A chain ends where the next
stretch is in another group.
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
"""The number of vertices of a block, which one thread matches with each other first."""
GROUPS = 4
BITS = 2**32 - 1
"""The bits of random numbers."""


class MatchingProblem(Problem):
    mate = vertex_field(np.int32, fill=-1)
    stretch = parameter(np.int32)  # the number of vertices of a stretch
    key = parameter(np.int64)  # the key of the random numbers


def length_of_stretches(num_vertices: int) -> int:
    """The length of a stretch: long, so that memory accesses are local, but a small graph has many stretches, too."""
    return min(max(num_vertices // 256, 1), 1024)


def group(vertex, stretch, key):
    bits = (vertex // stretch ^ key) * 0x9E3779B1 & BITS
    return ((bits ^ bits >> 16) * 0x85EBCA6B & BITS) * GROUPS >> 32


def first_free(vertex, most, taken, graph):
    """The first neighbor whose `taken` is at most `most`; -1 if there is none."""
    for neighbor in graph.neighbors(vertex):
        if taken[neighbor] <= most and neighbor != vertex:
            return neighbor
    return -1


def has_neighbor_before(end, vertex, graph):
    """Whether the first neighbor after `vertex` is before `end`."""
    for neighbor in graph.neighbors(vertex):
        if neighbor > vertex:
            return neighbor < end
    return False


def match_within(begin, graph, mate):
    """Match the vertices of the block that begins with a vertex."""
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
    """Match all vertices that are still free, in the order."""
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
        return Frontier("vertices", ids=begins[:1], distinct=True)  # one vertex, so that one thread matches all

    def step(self, frontier: Handle) -> Handle:
        return self.filter(frontier)
