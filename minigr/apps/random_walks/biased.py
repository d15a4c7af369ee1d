"""Walks whose steps depend on the step before: Grover, Leskovec, node2vec (KDD 2016).

An edge is drawn as in any walk, and taken with the chance that its bias gives, or else drawn again: Yang, Zhang, Chen,
Jiang, Zheng, KnightKing: A Fast Distributed Graph Random Walk Engine (SOSP 2019). Where a vertex has refused about as
many edges as it has, all of them are weighed instead, so a step takes no longer than twice what weighing takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.draws import bits_of, part_of, pick_by_sums, pick_evenly
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.primitives.random_cpu import random_bits
from minigr.program.fields import array_field, parameter
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

_SOME = 16  # draws of a vertex with few edges


class BiasedProblem(Problem):
    vertices = array_field(np.int32)
    offsets = array_field(np.int64)
    indices = array_field(np.int32)
    sums = array_field(np.float64)  # empty if weights don't count
    weighted = parameter(np.int64)
    length = parameter(np.int64)
    key = parameter(np.int64)
    back = parameter(np.float64)  # the biases: to the vertex before,
    near = parameter(np.float64)  # to others that it has an edge to,
    away = parameter(np.float64)  # and to those that it has none to; the greatest is 1


def bias_of(graph, before, there, back, near, away):
    """The chance to take an edge to `there` that was drawn."""
    if there == before:
        return back
    return near if near == away or graph.has_edge(before, there) else away


def edge_of(bits, begin, end, sums, weighted):
    """An edge of a row, drawn as if no step had been before."""
    return pick_by_sums(bits, begin, end - 1, sums) if weighted else begin + pick_evenly(bits, end - begin)


def weight_of(edge, begin, sums, weighted):
    """The weight by which `edge_of` draws an edge."""
    if not weighted:
        return 1.0
    return sums[edge] - sums[edge - 1] if edge > begin else sums[edge]


def edge_by_bias(graph, before, begin, end, bits, indices, sums, weighted, back, near, away):
    """An edge of a row, drawn after a step from `before`."""
    tries, least = end - begin + _SOME, min(back, near, away)
    for attempt in range(tries):
        edge = edge_of(random_bits(bits, np.uint64(2 * attempt)), begin, end, sums, weighted)
        part = part_of(random_bits(bits, np.uint64(2 * attempt + 1)))
        if part < least or part < bias_of(graph, before, indices[edge], back, near, away):
            return edge
    total, last = 0.0, begin
    for edge in range(begin, end):
        total += weight_of(edge, begin, sums, weighted) * bias_of(graph, before, indices[edge], back, near, away)
    wanted = part_of(random_bits(bits, np.uint64(2 * tries))) * total
    total = 0.0
    for edge in range(begin, end):
        more = weight_of(edge, begin, sums, weighted) * bias_of(graph, before, indices[edge], back, near, away)
        total += more
        if more > 0.0:
            last = edge
            if total > wanted:
                break
    return last


class Walk(Functor):
    def apply(graph, src, idx, vertices, offsets, indices, sums, weighted, length, key, back, near, away):
        here, before, first = src, src, idx * (length + 1)
        vertices[first] = here
        for step in range(1, length + 1):
            begin, end = offsets[here], offsets[here + 1]
            if begin == end or (weighted and sums[end - 1] == 0.0):
                return
            bits = bits_of(key, idx, step)
            if step == 1:
                edge = edge_of(bits, begin, end, sums, weighted)
            else:
                edge = edge_by_bias(graph, before, begin, end, bits, indices, sums, weighted, back, near, away)
            before, here = here, indices[edge]
            vertices[first + step] = here


def walk_with_bias(
    graph: Any, starts: Any, vertices: Any, sums: Any, length: int, key: Any, p: float, q: float
) -> None:
    """Walk; `sums` are those of the graph's rows, or empty where weights don't count."""
    most = max(1 / p, 1.0, 1 / q)
    arrays = {"vertices": vertices, "offsets": graph.offsets, "indices": graph.indices, "sums": sums}
    biases = {"back": 1 / p / most, "near": 1 / most, "away": 1 / q / most}
    problem = BiasedProblem(graph, **arrays, **biases, weighted=len(sums) > 0, length=length, key=key)
    compute(problem, Frontier.of_pairs(starts, starts), Walk)
