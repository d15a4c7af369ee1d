"""Local moving: vertices go to the community around them where modularity gains most, until none gains.

Blondel, Guillaume, Lambiotte, Lefebvre, Fast Unfolding of Communities in Large Networks (Journal of Statistical
Mechanics, 2008). A vertex is looked at again only when a neighbor has moved elsewhere (Ozaki, Tezuka, Inaba, A Simple
Acceleration Method for the Louvain Algorithm, 2016). In each step only some vertices may move, drawn again every few
steps: if all moved at once, neighbors would change places for ever (Lu, Halappanavar, Kalyanaraman, Parallel Heuristics
for Scalable Community Detection, Parallel Computing 47, 2015).

Gains are whole numbers: of weights that are whole numbers, less a product that is cut off. So they are the same on
every device, and a step's moves do not depend on who makes them.
"""

from __future__ import annotations

import numpy as np

from minigr.apps.common.partition import PartitionProblem
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Handle

TURNS = 2  # steps in which each vertex may move once
_MIX = 0x2C1B3C6D  # odd, so a label times this, in 31 bits, is another number for each
_LABEL = (1 << 31) - 1
_UNMIX = pow(_MIX, -1, 1 << 31)
_OWN = -1  # the least key, so that it is the best one of those that gain as much
_MOST = 2.0**62


class MovesProblem(PartitionProblem):
    best = vertex_field(np.int32)
    price = parameter(np.float64, default=0.0)  # `share` times the resolution
    seed = parameter(np.int64)  # of 31 bits


def drawn(vertex, step, seed):
    """A number of 16 bits for a vertex in a step, for a functor."""
    bits = (vertex * 0x19E3779B + step * 0x5EBCA6B7 + seed * 0x27D4EB2F) & 0x7FFFFFFF
    bits = ((bits ^ bits >> 15) * 0x2C1B3C6D) & 0x7FFFFFFF
    return (bits ^ bits >> 12) & 0xFFFF


def lost(strength, price, others):
    """What a vertex loses in a community whose other vertices have these strengths, for a functor."""
    return np.int64(min(strength * price * others, _MOST))


class Due(Functor):
    """Those that may move in this step."""

    def cond_filter(vertex, iteration, seed):
        return drawn(vertex, iteration // TURNS, seed) % TURNS == iteration % TURNS


class Later(Functor):
    def cond_filter(vertex, iteration, seed):
        return drawn(vertex, iteration // TURNS, seed) % TURNS != iteration % TURNS


class Gain(Functor):
    """The community that gains most, which is a vertex's own if none gains more."""

    def key(src, dst, community):
        return np.int32(_OWN if community[dst] == community[src] else community[dst] * _MIX & _LABEL)

    def map(src, dst):
        return np.int32(src != dst)

    def apply_group(vertex, key, value, community, strength, total, price, shift):
        its = strength[vertex]
        others = total[community[vertex]] - its if key == _OWN else total[key * _UNMIX & _LABEL]
        return (np.int64(value) << shift) - lost(its, price, others)

    def apply_best(vertex, key, score, community, best, strength, total, price):
        mine, its = community[vertex], strength[vertex]
        moves = key != _OWN and score > -lost(its, price, total[mine] - its)
        best[vertex] = key * _UNMIX & _LABEL if moves else mine


class WeightedGain(Gain):
    def map(src, dst, weight):
        return np.int64(weight) if src != dst else np.int64(0)


class Move(Functor):
    def cond_filter(vertex, best, community):
        return best[vertex] != community[vertex]

    def apply(vertex, best, community, strength, total):
        atomic_add(total, community[vertex], -strength[vertex])
        atomic_add(total, best[vertex], strength[vertex])
        community[vertex] = best[vertex]

    def cond_advance(src, dst, community):
        return community[dst] != community[src]  # others have more reason to stay than before


class MovesEnactor(Enactor, problem=MovesProblem, functor=Move, looks_at=()):
    def step(self, frontier: Handle) -> Handle:
        due = self.filter(frontier, Due)
        if self.graph.weighted:
            self.reduce_by_key(due, WeightedGain, dtype=np.int64)
        else:
            self.reduce_by_key(due, Gain, dtype=np.int32)
        moving = self.filter(due)
        self.compute(moving)
        return self.advance(moving) | self.filter(frontier, Later)
