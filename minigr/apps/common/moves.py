"""Local moving: each vertex moves to the neighboring community with the greatest gain, until few moves gain.

Blondel, Guillaume, Lambiotte, Lefebvre, Fast Unfolding of Communities in Large Networks (Journal of Statistical
Mechanics, 2008). A vertex is examined again only when a neighbor has moved to another community (Ozaki, Tezuka, Inaba,
A Simple Acceleration Method for the Louvain Algorithm, 2016). If all vertices moved at once, neighbors could swap
communities forever (Lu, Halappanavar, Kalyanaraman, Parallel Heuristics for Scalable Community Detection, Parallel
Computing 47, 2015). So vertices move in turns, and each vertex draws its turn at random. With more turns, a vertex
sees communities that are less out of date, fewer moves are wasted, and the communities are better. A block is a range
of consecutive ids. The vertices of a block share a few turns, so that a turn reads several vertices of each cache
line.

Gains are integers: a sum of integer weights minus a product that is truncated to an integer. So gains are the same on
every device, and the moves of a step do not depend on the order of the threads.
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

_MIX = 0x2C1B3C6D  # odd, so the products of labels and `_MIX`, in 31 bits, are distinct
_LABEL = (1 << 31) - 1
_UNMIX = pow(_MIX, -1, 1 << 31)
_OWN = -1  # the least key, so that it wins among keys with the same gain
_MOST = 2.0**62
_LEAST_TURNS, _MOST_TURNS = 8, 32  # more turns take more steps and hardly improve the communities
_AT_A_HUB, _MOST_AT_HUBS = 2048, 128  # neighbors of a hub that share a turn; the most turns of a graph with hubs
_ARCS = 1024  # arcs of a turn at least, so that small graphs do not take many steps with little work
_OF_A_BLOCK = 4  # turns of a block: with fewer turns, too many neighbors move at once
_MOST_BITS = 8  # the most low bits of an id that number a vertex within its block
_BLOCKS = 10  # bits: with 2**10 blocks or more, turns are as even as if each vertex drew its own turn
_BINS = 9  # bins in which vertices wait for their turns
_TURN = 32  # the bit of `moves` at which the number of the turn begins
_COUNT = (1 << _TURN) - 1


class MovesProblem(PartitionProblem):
    best = vertex_field(np.int32)
    turn = vertex_field(np.int32)  # the next turn of a vertex, or its last turn if it does not wait
    moves = scalar_field(np.int64)  # upper 32 bits: the current turn; lower 32 bits: the number of vertices that move
    turns = parameter(np.int64, default=1)  # turns of a round, in which each vertex may move once
    block = parameter(np.int64, default=0)  # low bits of an id that number a vertex within its block
    least = parameter(np.int64, default=0)  # after this many steps, a turn may be the last one
    few = parameter(np.int64, default=0)  # a turn in which fewer vertices move is the last one
    price = parameter(np.float64, default=0.0)  # `share` times the resolution
    seed = parameter(np.int64)  # 31 bits


def bits_of_block(graph: Graph) -> int:
    """The number of low bits of an id that number a vertex within its block."""
    return min(max(graph.num_vertices.bit_length() - 1 - _BLOCKS, 0), _MOST_BITS)


def drawn(vertex, step, seed):
    """A pseudorandom number of 16 bits for a vertex in a step; called by functors."""
    bits = (vertex * 0x19E3779B + step * 0x5EBCA6B7 + seed * 0x27D4EB2F) & 0x7FFFFFFF
    bits = ((bits ^ bits >> 15) * 0x2C1B3C6D) & 0x7FFFFFFF
    return (bits ^ bits >> 12) & 0xFFFF


def turn_of(vertex, step, seed, turns, block):
    """How many turns after a step a vertex moves; called by functors."""
    return (drawn(vertex >> block, step, seed) * _OF_A_BLOCK + drawn(vertex, step, seed) % _OF_A_BLOCK) % turns


def lost(strength, price, others):
    """The loss of a vertex in a community whose other vertices have strengths that sum to `others`; for functors."""
    return np.int64(min(strength * price * others, _MOST))


def turns_of(graph: Graph) -> int:
    """The number of turns in which the vertices of a graph move.

    Neighbors of a hub that share a turn do not see each other's moves, and too many of them may join the community of
    the hub. So a graph with very large hubs has more turns.
    """
    most = max(_MOST_TURNS, min(graph.max_degree() // _AT_A_HUB, _MOST_AT_HUBS))
    return max(min(graph.num_arcs // _ARCS, most), _LEAST_TURNS)


class First(Functor):
    """The first turn of each vertex."""

    def apply(vertex, turn, turns, seed, block):
        turn[vertex] = turn_of(vertex, 0, seed, turns, block)


class Gain(Functor):
    """The community with the greatest gain: the vertex's own community if no other one gains more."""

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
        return np.int64(turn[vertex]) << _TURN | idx + 1  # all have the same turn, so the maximum holds their number

    def cond_advance(src, dst, community, turn, moves, turns, seed, block):
        now = np.int32(moves >> _TURN)
        if turn[dst] > now or community[dst] == community[src]:  # waits already, or has more reason to stay now
            return False
        return atomic_max(turn, dst, np.int32(now + 1 + turn_of(dst, now, seed, turns, block))) <= now

    def priority(vertex, turn):
        return turn[vertex]

    def until(iteration, least, moves, few):  # the first step only finds the vertices of the first turn
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
