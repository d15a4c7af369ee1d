"""Walks whose steps depend on the step before: Grover, Leskovec, node2vec (KDD 2016).

An edge is drawn as in a walk without bias, and accepted with the probability that its bias gives; otherwise another
edge is drawn: Yang, Zhang, Chen, Jiang, Zheng, KnightKing: A Fast Distributed Graph Random Walk Engine (SOSP 2019).
After about as many rejections as the vertex has edges, the probabilities of all its edges are computed instead. So a
step takes at most about twice as long as computing all probabilities.
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

_SOME = 16  # draws at each vertex in addition to its number of edges


class BiasedProblem(Problem):
    vertices = array_field(np.int32)
    offsets = array_field(np.int64)
    indices = array_field(np.int32)
    sums = array_field(np.float64)  # empty for walks without weights
    weighted = parameter(np.int64)
    length = parameter(np.int64)
    key = parameter(np.int64)
    back = parameter(np.float64)  # the bias of an edge to the previous vertex; the greatest of the three biases is 1
    near = parameter(np.float64)  # the bias of an edge to another vertex to which the previous vertex has an edge
    away = parameter(np.float64)  # the bias of an edge to a vertex to which the previous vertex has no edge


def bias_of(graph, before, there, back, near, away):
    """The probability of accepting an edge to `there` that was drawn."""
    if there == before:
        return back
    return near if near == away or graph.has_edge(before, there) else away


def edge_of(bits, begin, end, sums, weighted):
    """Draw an edge of a row without bias."""
    return pick_by_sums(bits, begin, end - 1, sums) if weighted else begin + pick_evenly(bits, end - begin)


def weight_of(edge, begin, sums, weighted):
    """The weight by which `edge_of` draws an edge."""
    if not weighted:
        return 1.0
    return sums[edge] - sums[edge - 1] if edge > begin else sums[edge]


def edge_by_bias(graph, before, begin, end, bits, indices, sums, weighted, back, near, away):
    """Draw an edge of a row after a step from `before`."""
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
    """Do all walks; `sums` are the prefix sums of the graph's rows, or empty for walks without weights."""
    most = max(1 / p, 1.0, 1 / q)
    arrays = {"vertices": vertices, "offsets": graph.offsets, "indices": graph.indices, "sums": sums}
    biases = {"back": 1 / p / most, "near": 1 / most, "away": 1 / q / most}
    problem = BiasedProblem(graph, **arrays, **biases, weighted=len(sums) > 0, length=length, key=key)
    compute(problem, Frontier.of_pairs(starts, starts), Walk)
