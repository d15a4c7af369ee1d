"""The residuals of several sources, and how vertices push them: the problem and functors of `forward`."""

from __future__ import annotations

import numpy as np

from minigr.apps.common.bits import lowest_bit
from minigr.jit.atomics import atomic_add, atomic_or
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.problem import Problem


class ForwardProblem(Problem):
    many = vertex_field(np.int64)  # a bit for each source whose residual at the vertex is above the limit
    now = vertex_field(np.int64)  # a bit for each source whose residual a vertex of the frontier pushes in this step
    rank = array_field(np.float64)  # by source, then by vertex
    residual = array_field(np.float64)  # by vertex, then by source
    share = array_field(np.float64)  # as `residual`, per unit of weight; at the end, the residuals ordered as `rank`
    per_weight = vertex_field(np.float64)  # 1 over the sum of the weights of a vertex's out-edges; 0 if the sum is 0
    sources = parameter(np.int64)
    vertices = parameter(np.int64)
    damping = parameter(np.float64)
    limit = parameter(np.float64)  # the greatest residual per unit of weight that stays at a vertex


class Take(Functor):
    """Turns a part of each residual into rank, and makes shares of the rest."""

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
    """Turns the residuals of vertices without out-edges into rank.

    A walk at such a vertex restarts at the source. This multiplies all ranks of the source by one factor, so it is
    enough to scale ranks at the end.
    """

    def apply(vertex, rank, residual, share, per_weight, sources, vertices, damping):
        for number in range(sources):
            left, place = residual[vertex * sources + number], number * vertices + vertex
            if per_weight[vertex] > 0.0:
                share[place] = left
            else:
                rank[place] += (1.0 - damping) * left
