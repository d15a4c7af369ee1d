"""Degree assortativity: whether vertices tend to be neighbors of vertices with similar degrees.

Newman, Mixing Patterns in Networks (Physical Review E 67, 2003); by directions as in Foster, Foster, Grassberger,
Paczuski, Edge Direction and the Structure of Networks (PNAS 107, 2010). Means are subtracted before products are
computed, to lose fewer digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.tables import VertexTable
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.operators.options import Balance
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier
from minigr.program.node import check_choice
from minigr.program.problem import Problem

Ends = Literal["out", "in"]


class DegreesProblem(Problem):
    degree = vertex_field(np.float64)  # the degree that a vertex has as a neighbor
    around = vertex_field(np.float64)  # the sum of `degree` over the neighbors; integers, so the sum is exact


class Twice(Functor):
    """The degree in an undirected graph, where a self-loop counts twice."""

    def map(src, dst):
        return 2 if src == dst else 1


class Around(Functor):
    def map(dst, degree):
        return degree[dst]


@dataclass(frozen=True)
class AssortativityResult(VertexTable, columns=("average_neighbor_degree",)):
    """How the degrees of neighbors correlate.

    Attributes
    ----------
    coefficient : float
        The correlation of the degrees at both ends of edges, from -1 to 1. NaN if all edges have ends of one degree, or
        if the graph has no edges.
    average_neighbor_degree : float64 array, one for each vertex
        The mean degree of the vertices that the edges of a vertex lead to; 0 for a vertex without edges.
    """

    coefficient: float
    average_neighbor_degree: Any


@takes_graph
def degree_assortativity(
    graph: Any, tail: Ends = "out", head: Ends = "in", *, balance: Balance = "auto"
) -> AssortativityResult:
    """The correlation of the degrees at the two ends of an edge, over all edges, and the mean degree of neighbors.

    In an undirected graph, a self-loop counts twice in the degree of its vertex, but is one edge of the vertex. Each
    parallel edge counts. The result is the same in every run. Other devices give the same result except for rounding.
    The work is O(vertices + edges), and memory is 48 bytes for each vertex.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    tail : {"out", "in"}
        The degree to use at the vertex where an edge begins, in a directed graph.
    head : {"in", "out"}
        The degree to use at the vertex where an edge ends, in a directed graph.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.

    Raises
    ------
    ProblemError
        If `tail`, `head` or `balance` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.degree_assortativity(mg.generate.star(5, device="cpu"))
    >>> result.coefficient, result.average_neighbor_degree
    (-1.0, array([1., 4., 4., 4., 4.]))
    """
    for name, value in (("tail", tail), ("head", head)):
        check_choice(value, ("out", "in"), f"degree_assortativity: {name}")
    problem, everyone, arcs = DegreesProblem(graph), Frontier.all_vertices(), graph.degree().astype(np.float64)
    if graph.directed:
        ends = graph.in_degree().astype(np.float64)
        begins, problem.degree = arcs if tail == "out" else ends, ends if head == "in" else arcs
    else:
        neighbor_reduce(problem, everyone, Twice, reduce="add", into="degree", balance=balance)
        begins, ends = problem.degree, arcs
    neighbor_reduce(problem, everyone, Around, reduce="add", into="around", balance=balance)
    coefficient = _correlation(arcs, ends, begins, problem.degree, problem.around)
    return AssortativityResult(coefficient, problem.around / arcs.clip(1, None))


def _correlation(arcs: Any, into: Any, one: Any, other: Any, around: Any) -> float:
    """The correlation, over all edges, of `one` at their tails and `other` at their heads.

    `arcs` and `into` are the numbers of edges that begin and end at each vertex. `around` is the sum of `other` at the
    heads of the edges of each vertex.
    """
    count = int(arcs.sum())
    if count == 0:
        return math.nan
    mean = float((into * other).sum()) / count
    deviation = one - float((arcs * one).sum()) / count
    along = arcs * mean
    along -= around
    along *= deviation
    product = -float(along.sum())
    del along
    spread = _sum_of_squares(deviation, arcs)
    deviation = other - mean
    spread *= _sum_of_squares(deviation, into)
    return product / math.sqrt(spread) if spread > 0 else math.nan


def _sum_of_squares(deviation: Any, count: Any) -> float:
    """The sum of the squares of `deviation`, times `count`; `deviation` is overwritten."""
    deviation *= deviation
    deviation *= count
    return float(deviation.sum())
