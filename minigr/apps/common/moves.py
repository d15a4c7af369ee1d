"""Local moving: vertices go to the community around them where modularity gains most, until few gain.

Blondel, Guillaume, Lambiotte, Lefebvre, Fast Unfolding of Communities in Large Networks (Journal of Statistical
Mechanics, 2008). A vertex is looked at again only when a neighbor has moved elsewhere (Ozaki, Tezuka, Inaba, A Simple
Acceleration Method for the Louvain Algorithm, 2016). If all vertices moved at once, neighbors would change places for
ever (Lu, Halappanavar, Kalyanaraman, Parallel Heuristics for Scalable Community Detection, Parallel Computing 47,
2015). So vertices take turns, which are drawn. The more turns there are, the less is out of date what a vertex sees,
the fewer moves are made in vain, and the better are the communities. Vertices of a block, whose ids lie side by side,
share a few turns. So a turn finds several of them in each cache line, and not one line for each vertex.

Gains are whole numbers: of weights that are whole numbers, less a product that is cut off. So they are the same on
every device, and a step's moves do not depend on who makes them.
"""

from __future__ import annotations

import numpy as np

from minigr.apps.common.partition import PartitionProblem
from minigr.enactor.enactor import Enactor
from minigr.graphs.graph import Graph
from minigr.jit.atomics import atomic_add, atomic_max
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Frontier, Handle

_MIX = 0x2C1B3C6D  # odd, so a label times this, in 31 bits, is another number for each
_LABEL = (1 << 31) - 1
_UNMIX = pow(_MIX, -1, 1 << 31)
_OWN = -1  # the least key, so that it is the best one of those that gain as much
_MOST = 2.0**62
_LEAST_TURNS, _MOST_TURNS = 8, 32  # more take more steps, and find hardly more
_AT_A_HUB, _MOST_AT_HUBS = 2048, 128  # neighbors of a hub that have one turn; and turns at most where hubs need them
_ARCS = 1024  # of a turn at least, so that steps are not too many for the work there is
_OF_A_BLOCK = 4  # turns that a block has: of fewer, too many neighbors move at once
_MOST_BITS = 8  # of an id, that tell the vertices of a block apart
_BLOCKS = 10  # bits: from so many blocks on, turns are as even as those of single vertices
_BINS = 9  # in which vertices wait for their turns
_TURN = 32  # the bit at which a turn's number begins in `moves`
_COUNT = (1 << _TURN) - 1


class MovesProblem(PartitionProblem):
    best = vertex_field(np.int32)
    turn = vertex_field(np.int32)  # when a vertex may move: that to come, or its last one
    moves = scalar_field(np.int64)  # the turn of those that move in the upper half, their number in the lower one
    turns = parameter(np.int64, default=1)  # in which each vertex may move once
    block = parameter(np.int64, default=0)  # bits of an id that tell vertices of one block apart
    least = parameter(np.int64, default=0)  # after so many steps
    few = parameter(np.int64, default=0)  # a turn in which fewer vertices move is the last one
    price = parameter(np.float64, default=0.0)  # `share` times the resolution
    seed = parameter(np.int64)  # of 31 bits


def bits_of_block(graph: Graph) -> int:
    """How many bits of an id tell vertices of one block apart."""
    return min(max(graph.num_vertices.bit_length() - 1 - _BLOCKS, 0), _MOST_BITS)


def drawn(vertex, step, seed):
    """A number of 16 bits for a vertex in a step, for a functor."""
    bits = (vertex * 0x19E3779B + step * 0x5EBCA6B7 + seed * 0x27D4EB2F) & 0x7FFFFFFF
    bits = ((bits ^ bits >> 15) * 0x2C1B3C6D) & 0x7FFFFFFF
    return (bits ^ bits >> 12) & 0xFFFF


def turn_of(vertex, step, seed, turns, block):
    """In which turn after a step a vertex moves, for a functor."""
    return (drawn(vertex >> block, step, seed) * _OF_A_BLOCK + drawn(vertex, step, seed) % _OF_A_BLOCK) % turns


def lost(strength, price, others):
    """What a vertex loses in a community whose other vertices have these strengths, for a functor."""
    return np.int64(min(strength * price * others, _MOST))


def turns_of(graph: Graph) -> int:
    """In how many turns the vertices of a graph move.

    Neighbors of a hub that share a turn do not see each other move, and too many of them may join its community. So
    a graph with very large hubs has more turns.
    """
    most = max(_MOST_TURNS, min(graph.max_degree() // _AT_A_HUB, _MOST_AT_HUBS))
    return max(min(graph.num_arcs // _ARCS, most), _LEAST_TURNS)


class First(Functor):
    """The first turn of each vertex."""

    def apply(vertex, turn, turns, seed, block):
        turn[vertex] = turn_of(vertex, 0, seed, turns, block)


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

    def apply(vertex, idx, best, community, strength, total, turn):
        atomic_add(total, community[vertex], -strength[vertex])
        atomic_add(total, best[vertex], strength[vertex])
        community[vertex] = best[vertex]
        return np.int64(turn[vertex]) << _TURN | idx + 1  # all have one turn, so the last position makes the greatest

    def cond_advance(src, dst, community, turn, moves, turns, seed, block):
        now = np.int32(moves >> _TURN)
        if turn[dst] > now or community[dst] == community[src]:  # waits, or has more reason to stay than before
            return False
        return atomic_max(turn, dst, np.int32(now + 1 + turn_of(dst, now, seed, turns, block))) <= now

    def priority(vertex, turn):
        return turn[vertex]

    def until(iteration, least, moves, few):  # the first step finds whose turn it is, and moves nobody
        return iteration > least and moves & _COUNT < few


class MovesEnactor(Enactor, problem=MovesProblem, functor=Move, looks_at=("waiting",)):
    def start(self, vertices: Frontier) -> Frontier:
        self.waiting = vertices
        compute(self.problem, vertices, First)
        return Frontier.of([])

    def step(self, frontier: Handle) -> Handle:
        if self.graph.weighted:
            self.reduce_by_key(frontier, WeightedGain, dtype=np.int64)
        else:
            self.reduce_by_key(frontier, Gain, dtype=np.int32)
        moving = self.filter(frontier)
        self.compute(moving, into="moves", reduce="max")
        woken = self.advance(moving, duplicates="impossible")
        return self.near_far(woken, width=1, bins=_BINS, waiting=self.waiting)
