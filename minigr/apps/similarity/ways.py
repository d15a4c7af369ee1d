"""All paths of two hops from some vertices, in chunks, as the rows of a graph. The code calls such a path a way.

The two ends of a way have a common neighbor. Ways are summed by their ends (`reduce_by_key`), like rows in products of
sparse matrices (Gustavson, Two Fast Algorithms for Sparse Matrices, ACM Transactions on Mathematical Software 4, 1978).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minigr.apps.similarity.measures import COSINE, value_of
from minigr.apps.similarity.pairs import Measured
from minigr.apps.similarity.two_hops import count_onward, count_ways, write_ways
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.graph import Graph
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import reduce_by_key
from minigr.primitives.transform import transform
from minigr.program.fields import array_field, edge_field, parameter, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

AT_ONCE, FROM_ONE = 1 << 22, 1 << 18  # the most ways of a chunk, and the most ways of one vertex


class WaysProblem(Problem):
    """The graph of the ways. The candidates of a vertex are stored from the beginning of its row."""

    norm = vertex_field(np.float64)
    chosen = vertex_field(np.bool_)
    candidates = vertex_field(np.int32)  # the number of candidates
    begins = array_field(np.int64)  # offsets of rows
    other = edge_field(np.int32, fill=-1)
    score = edge_field(np.float64)
    formula = parameter(np.int32)
    once = parameter(np.int32)  # whether a pair of two chosen vertices is a candidate of the lesser vertex only
    least = parameter(np.float64)  # the least score that is of interest


class Compare(Functor):
    def key(dst):
        return dst

    def map(weight):
        return weight

    def apply_group(vertex, key, value, norm, chosen, candidates, begins, other, score, formula, once, least):
        if key != vertex and not (once and chosen[key] and key < vertex):
            found = value_of(formula, value, norm[vertex], norm[key])
            if found > 0.0 and found >= least:
                place = begins[vertex] + atomic_add(candidates, vertex, 1)
                other[place] = key
                score[place] = found


class Ways:
    """The ways from the `chosen` vertices (bool[n]), and the candidates at the ends of the ways.

    With `once`, a pair of two chosen vertices is a candidate of the lesser vertex only. Vertices from which too many
    ways begin are in `left_out` instead.
    """

    def __init__(self, of: Measured, chosen: Any, once: bool) -> None:
        rows, device = of.graph, of.graph._device
        self._rows = {"offsets": rows.offsets, "indices": rows.indices}
        count = transform(count_ways, count=rows.num_vertices, chosen=chosen, **self._rows)
        longest = min(rows.max_degree() ** 2, FROM_ONE)
        self.left_out = device.xp.flatnonzero(device.expect(count > FROM_ONE, 2 if longest == FROM_ONE else 0))
        ends = device.full(rows.num_arcs + 1, 0, np.int64)
        transform(count_onward, count=rows.num_vertices, ways=count, most=FROM_ONE, ends=ends, **self._rows)
        device.xp.cumsum(ends, out=ends)
        self._begins = ends[rows.offsets]
        share = device.full(rows.num_vertices, 1, np.float64) if of.share is None else of.share
        kind = 0 if of.weights is None else 2 if of.formula == COSINE else 1
        weights = share if of.weights is None else of.weights
        self._adds = {"ends": ends, "share": share, "weights": weights, "kind": kind}
        most = min(rows.num_arcs * rows.max_degree(), AT_ONCE)
        offsets, indices = device.full(rows.num_vertices + 1, 0, np.int64), device.full(most, 0, np.int32)
        graph = Graph(Adjacency(offsets, indices, device.full(most, 0, np.float64)), True, device)
        graph._max_degree[False] = longest
        fields = {"norm": of.norm, "chosen": chosen, "begins": offsets, "formula": of.formula, "once": once}
        self.problem = WaysProblem(graph, **fields, least=0.0)

    def chunks(self) -> Iterator[Frontier]:
        """Yield frontiers of vertices. Their candidates are valid until the next frontier is yielded."""
        problem, begins, first = self.problem, self._begins, 0
        device, ways = problem.device, problem.graph
        while first < ways.num_vertices:
            base = int(begins[first])
            last = ways.num_vertices
            if not device.is_rehearsed:
                last = int((begins <= base + ways.num_arcs).sum()) - 1
            ways.offsets[...] = begins.clip(base, int(begins[last])) - base
            low, high = (int(self._rows["offsets"][vertex]) for vertex in (first, last))
            fields = {"first": low, "base": base, "targets": ways.indices, "values": ways.weights}
            transform(write_ways, count=high - low, **fields, **self._adds, **self._rows)
            problem.other, problem.candidates = -1, 0
            vertices = Frontier("vertices", ids=device.xp.arange(first, last, dtype=np.int32), distinct=True)
            reduce_by_key(problem, vertices, Compare)
            yield vertices
            first = last
