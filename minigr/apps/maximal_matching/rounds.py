"""The rounds in which a matching becomes maximal, and what is matched before them.

Birn, Osipov, Sanders, Schulz, Sitchinava, Efficient Parallel and External Matching (Euro-Par 2013), take the edges that
come before all others at both of their ends, round by round, in an order that is drawn again for each round. Here a
vertex doesn't look at all of its edges in a round. It proposes one of the first that lead to unmatched vertices, and in
each round it chooses among twice as many. So few edges are looked at where nearly any will do, and few rounds are
needed where many vertices want the same one.

Before that, each block of vertices with consecutive ids is gone through in order, as a loop over all vertices would do.
Where ids of neighbors are near, this matches most vertices.
"""

from __future__ import annotations

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_min
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

BLOCK = 64
"""Vertices that are gone through one after the other."""
LOOKS = 16
"""Edges of each of them that are looked at."""
BITS = 2**32 - 1
"""Of numbers that edges are ordered by."""


class MatchingProblem(Problem):
    mate = vertex_field(np.int32, fill=-1)
    proposed = vertex_field(np.int32)  # the other end of the edge that a vertex proposes
    first = vertex_field(np.int64)  # the least turn of the edges that were proposed at a vertex; later rounds have less
    key = parameter(np.int64)  # of 32 bits


def match_within(begin, graph, mate):
    """Go through the block that begins with a vertex."""
    end = min(begin + BLOCK, graph.num_vertices)
    for one in range(begin, end):
        if mate[one] >= 0:
            continue
        left = LOOKS
        for other in graph.neighbors(one):
            left -= 1
            if one < other < end and mate[other] < 0:
                mate[one], mate[other] = other, one
                break
            if left == 0 or other >= end:
                break


class MatchWithin(Functor):
    def apply(vertex, graph, mate):
        match_within(vertex, graph, mate)


def scattered(number, key):
    """A number of 32 bits for a number of 32 bits: another one for each, as every step can be undone."""
    bits = ((number & BITS) ^ key) * 0x9E3779B1 & BITS
    return (bits ^ bits >> 16) * 0x85EBCA6B & BITS


def turn(vertex, key, iteration):
    """When the edge comes that a vertex proposes in a round; before those of all earlier rounds."""
    return scattered(vertex + iteration, key) - (iteration << 32)


class Propose(Functor):
    def cond_filter(vertex, graph, iteration, mate, proposed, key):
        if mate[vertex] >= 0:
            return False
        choice, least, own = -1, 1 << 32, scattered(vertex, key)
        left = 1 << min(iteration - 1, 30)
        for neighbor in graph.neighbors(vertex):
            if mate[neighbor] < 0 and neighbor != vertex:
                drawn = scattered(neighbor, own)
                if drawn < least:
                    choice, least = neighbor, drawn
                left -= 1
                if left == 0:
                    break
        proposed[vertex] = choice
        return choice >= 0

    def apply_filter(vertex, iteration, proposed, first, key):
        own = turn(vertex, key, iteration)
        atomic_min(first, vertex, own)
        atomic_min(first, proposed[vertex], own)

    def apply(vertex, iteration, mate, proposed, first, key):
        own, other = turn(vertex, key, iteration), proposed[vertex]
        if first[vertex] == own and first[other] == own:
            mate[vertex], mate[other] = other, vertex


class MatchingEnactor(Enactor, problem=MatchingProblem, functor=Propose):
    def start(self) -> Frontier:
        begins = self.graph._device.xp.arange(0, self.graph.num_vertices, BLOCK, dtype=np.int32)
        compute(self.problem, Frontier("vertices", ids=begins, distinct=True), MatchWithin)
        return Frontier.all_vertices()

    def step(self, frontier: Handle) -> Handle:
        proposing = self.filter(frontier)
        self.compute(proposing)
        return proposing
