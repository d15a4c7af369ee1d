"""Which label most of the edges around a vertex lead to.

The labels around a vertex are counted in a hash table, whose places are those of its edges, by open addressing (Knuth,
The Art of Computer Programming 3, section 6.4). Counts are whole numbers, so the order of additions is no matter.
"""

from __future__ import annotations

import numpy as np

from minigr.apps.common.checks import scale_of
from minigr.jit.atomics import atomic_add, atomic_cas
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem, edge_field, parameter, vertex_field

_HASH, _WORD = 0x9E3779B1, (1 << 32) - 1
_FACTOR, _SUMMAND = 1664525, 1013904223  # of a linear congruential generator, for the next place to try
_SCATTERED = 16  # so many; then one place after the other, which alone takes long where the labels fill the table
MIX = 0x2C1B3C6D  # odd, so a label times this, in 31 bits, is another number for each
_UNMIX = pow(MIX, -1, 1 << 31)
LABEL = (1 << 31) - 1
_OWN = 1 << 31  # goes before other labels that count as much
_BITS = 30  # of the weights around a vertex
_MOST_EXPONENT = 1023  # of float64


class LabelCounts(Problem):
    """Fields over a graph in rows, of which `begin` and `degree` are to be given."""

    label = vertex_field(np.int32, fill=-1)
    wish = vertex_field(np.int32, fill=-1)  # the label to take; -1: none
    begin = vertex_field(np.int64)  # where its edges are
    degree = vertex_field(np.int64)
    unit = vertex_field(np.float64)  # what an edge of weight 1 counts, once weights are scaled
    scale = parameter(np.float64, default=1.0)
    found = edge_field(np.int32, fill=-1)  # a label
    count = edge_field(np.int32)  # of the edges that lead to it, or their weight


def tally(label, amount, begin, degree, found, count):
    """Count `amount` for a label in the table of `degree` places at `begin`."""
    mixed, tries = label * _HASH & _WORD, 0
    place = mixed * degree >> 32
    there = found[begin + place]
    while there != label:
        if there < 0:
            there = atomic_cas(found, begin + place, -1, label)
            if there < 0:
                break
            continue
        mixed, tries = mixed * _FACTOR + _SUMMAND & _WORD, tries + 1
        place = mixed * degree >> 32 if tries < _SCATTERED else place + 1 if place + 1 < degree else 0
        there = found[begin + place]
    atomic_add(count, begin + place, amount)


class Tally(Functor):
    def cond_advance(src, dst):
        return src != dst

    def apply_advance(src, dst, label, begin, degree, found, count):
        tally(label[dst], 1, begin[src], degree[src], found, count)


class WeightedTally(Tally):
    def apply_advance(src, dst, weight, label, unit, scale, begin, degree, found, count):
        tally(label[dst], int(weight * scale * unit[src] + 0.5), begin[src], degree[src], found, count)


class MostCommon(Functor):
    """Empty the tables; each vertex wishes the label that counts most, unless its own counts as much.

    Of several others that count the same it is that which comes last in a fixed order.
    """

    def map(src, edge, label, found, count):
        there, amount = found[edge], count[edge]
        if there < 0:
            return 0
        found[edge], count[edge] = -1, 0
        return amount << 32 | (_OWN if there == label[src] else there * MIX & LABEL)

    def apply_reduce(vertex, value, wish):
        wish[vertex] = -1 if value < 1 << 32 or value & _OWN else (value & LABEL) * _UNMIX & LABEL


class Strength(Functor):
    def map(src, dst, weight, scale):
        return weight * scale if src != dst else 0.0


def set_units(problem: LabelCounts) -> None:
    """Let all weights around a vertex come to less than 2**30, by powers of 2, which whole numbers don't feel."""
    if problem.graph.weighted:
        problem.scale = scale_of(problem.graph)
        neighbor_reduce(problem, Frontier.all_vertices(), Strength, reduce="add", into="unit")
        xp = problem.device.xp
        problem.unit = xp.ldexp(1.0, xp.minimum(_BITS - xp.frexp(problem.unit)[1], _MOST_EXPONENT))
