"""Communities and their modularity in integer arithmetic, so that results do not depend on the order of edges."""

from __future__ import annotations

import math

import numpy as np

from minigr.apps.common.checks import require_nonnegative_weights
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.backend import scope
from minigr.graphs.graph import Graph
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import compute, neighbor_reduce
from minigr.primitives.transform import transform
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

_BITS = 48  # bits of the sum of all weights
_GAIN_BITS = 62  # bits of a gain, which is a sum of weights that is shifted to the left
_MOST_EXPONENT = 1023  # of float64


class PartitionProblem(Problem):
    """Communities of a graph with integer weights; `community` and `strength` must be set."""

    community = vertex_field(np.int32)
    strength = vertex_field(np.int64)  # of each vertex: the sum of the weights of its edges, self-loops twice
    total = vertex_field(np.int64)  # of each community: the sum of the strengths of its vertices
    loops = parameter(np.int64, default=2)  # how often a self-loop counts for its vertex
    inside = scalar_field(np.int64)  # the part of all strengths that comes from edges within communities
    squares = scalar_field(np.int64)
    share = parameter(np.float64, default=0.0)  # 2**shift divided by all strengths
    shift = parameter(np.int64, default=0)


class Strength(Functor):
    def map(src, dst, loops):
        return loops if src == dst else 1


class WeightedStrength(Functor):
    def map(src, dst, weight, loops):
        return np.int64(weight) * (loops if src == dst else 1)


class Inside(Functor):
    def map(src, dst, community, loops):
        return (loops if src == dst else 1) if community[src] == community[dst] else 0

    def apply_reduce(value):
        return value


class WeightedInside(Inside):
    def map(src, dst, weight, community, loops):
        return np.int64(weight) * (loops if src == dst else 1) if community[src] == community[dst] else 0


class Totals(Functor):
    def apply(vertex, community, strength, total):
        atomic_add(total, community[vertex], strength[vertex])


class Squares(Functor):
    def apply(vertex, total, share):
        return np.int64(total[vertex] * share * total[vertex])


def whole_weight(i, weights, scale, more):
    """Weight i times `scale` and `more`, rounded. CuPy would take a subnormal weight of float32 for 0."""
    return np.int64(weights[i] * scale * more + 0.5)


def whole_graph(graph: Graph, algorithm: str) -> Graph:
    """Make the weights of `graph`, if it has any, integers whose sum over all arcs is less than 2**48.

    Integer weights with such a sum stay as they are. Others are multiplied by a power of 2 and rounded.

    Raises
    ------
    GraphError
        If a weight is negative or infinite; the message names `algorithm`.
    """
    if not graph.weighted:
        return graph
    exponent = math.frexp(require_nonnegative_weights(graph, algorithm))[1] + graph.num_arcs.bit_length()
    if graph.weights.dtype.kind == "i" and exponent < _BITS:
        return graph
    with scope(graph._device):
        shift = _BITS - 1 - exponent
        most = min(shift, _MOST_EXPONENT)  # the rest is above 0 for subnormal weights
        scale, more = math.ldexp(1.0, most), math.ldexp(1.0, shift - most)
        weights = transform(whole_weight, weights=graph.weights, scale=scale, more=more)
        _ = graph.num_self_loops  # counted before the copy, so that `graph` and the copy both keep the number
        return graph._with_rows(Adjacency(graph.offsets, graph.indices, weights))


def set_strengths(problem: PartitionProblem) -> int:
    """Set `strength`, `share` and `shift`; return the sum of all strengths."""
    functor = WeightedStrength if problem.graph.weighted else Strength
    neighbor_reduce(problem, Frontier.all_vertices(), functor, reduce="add", into="strength")
    weight = int(problem.strength.sum())
    shift = _GAIN_BITS - weight.bit_length()
    problem.shift, problem.share = shift, math.ldexp(1.0, shift) / weight if weight else 0.0
    return weight


def set_totals(problem: PartitionProblem) -> None:
    """Compute `total` from `community` and `strength`."""
    problem.total = 0
    compute(problem, Frontier.all_vertices(), Totals)


def weight_inside(problem: PartitionProblem, functor: type[Functor]) -> int:
    """The part of all strengths that comes from edges within communities; `functor`: `Inside` or `WeightedInside`."""
    neighbor_reduce(problem, Frontier.all_vertices(), functor, reduce="add", scalar="inside")
    return int(problem.inside[0])


def modularity_of(problem: PartitionProblem, weight: int, resolution: float, functor: type[Functor] = Squares) -> float:
    """The modularity of communities. `total` must be set; NaN if `weight`, the sum of all strengths, is 0."""
    inside = weight_inside(problem, WeightedInside if problem.graph.weighted else Inside)
    compute(problem, Frontier.all_vertices(), functor, into="squares", reduce="add")
    if not weight:
        return math.nan
    return (inside - resolution * math.ldexp(int(problem.squares[0]), -int(problem.shift))) / weight
