"""The functors that push flow along arcs and compute heights of vertices; `push.py` has the loops."""

from __future__ import annotations

import numpy as np

from minigr.jit.atomics import atomic_add, atomic_cas, atomic_exch
from minigr.jit.functor import Functor
from minigr.program.fields import edge_field, parameter, vertex_field
from minigr.program.problem import Problem


class FlowProblem(Problem):
    residual = edge_field(np.int64)
    reverse = edge_field(np.int64)
    excess = vertex_field(np.int64)
    gained = vertex_field(np.int64)  # the excess that the vertex got in this round
    height = vertex_field(np.int32)  # `far` if the vertex cannot reach the target
    raised = vertex_field(np.int32)  # the height after this round
    far = parameter(np.int32)
    source = parameter(np.int32)
    sink = parameter(np.int32)


class Search(Functor):
    """Searches backward along arcs with residual capacity."""

    def cond_advance(src, dst, edge, residual, reverse, height, far, source, sink):
        if height[dst] != far or dst in (source, sink) or residual[reverse[edge]] == 0:
            return False
        return atomic_cas(height, dst, far, height[src] + 1) == far


class Saturate(Functor):
    """Saturates the arcs of the source."""

    def apply(vertex, graph, residual, reverse, excess):
        for neighbor, arc in graph.edges(vertex):
            if neighbor != vertex:
                excess[neighbor] += residual[arc]
                residual[reverse[arc]] += residual[arc]
                residual[arc] = 0


class Push(Functor):
    """Pushes excess along arcs to lower neighbors, and then adds to their excess what they gained."""

    def apply(vertex, graph, residual, reverse, excess, gained, height):
        left = excess[vertex]
        for neighbor, arc in graph.edges(vertex):
            if height[neighbor] == height[vertex] - 1 and residual[arc] > 0:
                amount = min(left, residual[arc])
                residual[arc] -= amount
                residual[reverse[arc]] += amount
                atomic_add(gained, neighbor, amount)
                left -= amount
                if left == 0:
                    break
        excess[vertex] = left

    def cond_advance(dst, excess, gained, height, far, source, sink):
        if gained[dst] == 0:
            return False
        gain = atomic_exch(gained, dst, 0)
        if gain == 0:  # another thread took the gain, and may not have stored the excess yet
            return False
        excess[dst] += gain
        return height[dst] < far and dst != source and dst != sink


class Relabel(Functor):
    """Raises vertices above their lowest neighbor that can receive a push, by the heights at the round's beginning."""

    def apply(vertex, graph, residual, excess, height, raised, far):
        low = height[vertex]
        if excess[vertex] > 0:
            low = far
            for neighbor, arc in graph.edges(vertex):
                if residual[arc] > 0:
                    low = min(low, height[neighbor] + 1)
        raised[vertex] = low

    def cond_filter(vertex, excess, height, raised, far):
        height[vertex] = raised[vertex]
        return excess[vertex] > 0 and height[vertex] < far


class Active(Functor):
    def cond_filter(vertex, excess, height, far, source, sink):
        return excess[vertex] > 0 and height[vertex] < far and vertex != source and vertex != sink
