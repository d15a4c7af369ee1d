"""Loops that count the triangles of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class BatchProblem(Problem):
    degree = vertex_field(np.int32)
    batch = array_field(np.int32)  # a bit for each id of an arc: whether its edge is in the batch
    sixths = array_field(np.int64)  # of all triangles
    sign = parameter(np.int64)


class BatchVertexProblem(BatchProblem):
    triangles = vertex_field(np.int64)  # in sixths


def excess_of(src, dst, common, src_edge, dst_edge, batch):
    """The number of sixths to subtract from a whole triangle for one of its edges in the batch."""
    if common in (src, dst):  # not a triangle: a self-loop
        return 6
    others = (batch[src_edge >> 5] >> (src_edge & 31) & 1) + (batch[dst_edge >> 5] >> (dst_edge & 31) & 1)
    return 0 if others == 0 else 2 + others  # the edge counts 6 sixths, 3 of two edges, or 2 of three edges


def unmark(batch, edge):
    """Clear the word with the mark of this arc, and with marks of other arcs of the batch."""
    batch[edge >> 5] = 0


class CountOfBatch(Functor):
    def cond_intersect(src, dst, degree):
        """Select the arc of an edge that leaves the end with more neighbors."""
        return degree[src] > degree[dst] or (degree[src] == degree[dst] and src > dst)

    def apply_intersect(src, dst, common, src_edge, dst_edge, batch, sixths, sign):
        more = excess_of(src, dst, common, src_edge, dst_edge, batch)
        if more > 0:
            atomic_add(sixths, 0, -sign * more)

    def apply_count(sixths, sign, count):
        if count > 0:
            atomic_add(sixths, 0, sign * 6 * count)

    def apply(edge, batch):
        unmark(batch, edge)


class CountOfBatchAtVertices(CountOfBatch):
    def apply_intersect(src, dst, common, src_edge, dst_edge, batch, sixths, sign, triangles):
        more = excess_of(src, dst, common, src_edge, dst_edge, batch)
        if more < 6:
            atomic_add(triangles, common, sign * (6 - more))
        if more > 0:
            atomic_add(sixths, 0, -sign * more)
            atomic_add(triangles, src, -sign * more)
            atomic_add(triangles, dst, -sign * more)

    def apply_count(src, dst, count, sixths, sign, triangles):
        if count > 0:
            atomic_add(sixths, 0, sign * 6 * count)
            atomic_add(triangles, src, sign * 6 * count)
            atomic_add(triangles, dst, sign * 6 * count)


class BatchEnactor(Enactor, problem=BatchProblem, functor=CountOfBatch, steady=True):
    """Counts the triangles with an edge in a batch, whose arcs are given and marked, and clears the marks."""

    def start(self, arcs: Any) -> Frontier:
        return Frontier.known("edges", arcs, self.graph, distinct=True)

    def step(self, frontier: Handle) -> None:
        self.intersect(frontier)
        self.compute(frontier)


class BatchVertexEnactor(BatchEnactor, problem=BatchVertexProblem, functor=CountOfBatchAtVertices):
    pass
