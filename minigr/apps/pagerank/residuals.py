"""The residuals of several sources, and how vertices pass them on: the data and functions of `forward`."""

from __future__ import annotations

import numpy as np

from minigr.apps.common.bits import lowest_bit
from minigr.jit.atomics import atomic_add, atomic_or
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.problem import Problem


class ForwardProblem(Problem):
    many = vertex_field(np.int64)  # a bit for each source of whose residual a vertex has much
    now = vertex_field(np.int64)  # of a vertex in the frontier: those whose residual it passes on in this step
    rank = array_field(np.float64)  # by source, then by vertex
    residual = array_field(np.float64)  # by vertex, then by source
    share = array_field(np.float64)  # as `residual`, for each unit of weight; at the end the residuals as `rank`
    per_weight = vertex_field(np.float64)  # 1 over the weight of a vertex's out-edges; 0 where that is 0
    sources = parameter(np.int64)
    vertices = parameter(np.int64)
    damping = parameter(np.float64)
    limit = parameter(np.float64)  # of a residual for each unit of weight


class Take(Functor):
    """Of a residual a part becomes rank, and the rest is shared out."""

    def apply(vertex, many, now, rank, residual, share, per_weight, sources, vertices, damping):
        bits = many[vertex]
        now[vertex], many[vertex] = bits, 0
        while bits != 0:
            number = lowest_bit(bits)
            cell = vertex * sources + number
            rank[number * vertices + vertex] += (1.0 - damping) * residual[cell]
            share[cell] = damping * residual[cell] * per_weight[vertex]
            residual[cell] = 0.0
            bits &= bits - 1


class PassOn(Functor):
    def cond_advance(src, dst, many, now, residual, share, per_weight, sources, limit):
        bits, came = now[src], 0
        while bits != 0:
            number = lowest_bit(bits)
            more = share[src * sources + number]
            before = atomic_add(residual, dst * sources + number, more)
            if before * per_weight[dst] <= limit and (before + more) * per_weight[dst] > limit:
                came |= bits & -bits
            bits &= bits - 1
        return came != 0 and atomic_or(many, dst, came) == 0


class WeightedPassOn(Functor):
    def cond_advance(src, dst, weight, many, now, residual, share, per_weight, sources, limit):
        bits, came = now[src], 0
        while bits != 0:
            number = lowest_bit(bits)
            more = share[src * sources + number] * weight
            before = atomic_add(residual, dst * sources + number, more)
            if before * per_weight[dst] <= limit and (before + more) * per_weight[dst] > limit:
                came |= bits & -bits
            bits &= bits - 1
        return came != 0 and atomic_or(many, dst, came) == 0


class Rest(Functor):
    """What came to a vertex without out-edges begins at the source again, which makes all ranks more by one factor."""

    def apply(vertex, rank, residual, share, per_weight, sources, vertices, damping):
        for number in range(sources):
            left, place = residual[vertex * sources + number], number * vertices + vertex
            if per_weight[vertex] > 0.0:
                share[place] = left
            else:
                rank[place] += (1.0 - damping) * left
