"""The rich-club coefficient: the number of edges between vertices of high degree, as a share of all their pairs.

Zhou, Mondragon, The Rich-Club Phenomenon in the Internet Topology (IEEE Communications Letters 8, 2004); Colizza,
Flammini, Serrano, Vespignani, Detecting Rich-Club Ordering in Complex Networks (Nature Physics 2, 2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.undirected import undirected
from minigr.jit.functor import Functor
from minigr.jit.warps import warp_add
from minigr.operators.calls import advance, compute
from minigr.operators.options import Balance
from minigr.program.fields import array_field, vertex_field
from minigr.program.problem import Problem


class RichProblem(Problem):
    degree = vertex_field(np.int64)
    vertices = array_field(np.int64)  # the number of vertices of each degree
    edges = array_field(np.int64)  # the number of edges for each lesser degree of their ends


class ByLesserDegree(Functor):
    def cond_advance(src, dst):
        return src < dst

    def apply_advance(src, dst, degree, edges):
        warp_add(edges, min(degree[src], degree[dst]), 1)


class Degrees(Functor):
    def apply(vertex, degree, vertices):
        warp_add(vertices, degree[vertex], 1)


@dataclass(frozen=True)
class RichClubResult:
    """Rich clubs: for each k from 0 on, the vertices of a degree above k, while there are at least two such vertices.

    Attributes
    ----------
    coefficient : float64 array
        Share of the pairs of these vertices that are neighbors.
    vertices, edges : int64 arrays
        Number of these vertices, and number of edges between them.
    """

    coefficient: Any
    vertices: Any
    edges: Any


@takes_graph
def rich_club_coefficient(graph: Any, *, balance: Balance = "auto") -> RichClubResult:
    """For each degree, the share of the pairs of vertices of higher degree that are neighbors.

    Degrees count distinct neighbors: directions, parallel edges and self-loops are ignored. The coefficients are not
    normalized by the coefficients of random graphs. The result is the same in every run. The work is O(vertices +
    edges), and the memory is 16 bytes for each vertex. A graph that is directed or not simple is copied first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.

    Raises
    ------
    ProblemError
        If `balance` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1, 1, 2, 5], [1, 2, 2, 3, 4, 4], device="cpu")
    >>> result = mg.rich_club_coefficient(g)
    >>> result.coefficient, result.vertices, result.edges
    (array([0.4       , 0.66666667, 1.        ]), array([6, 4, 2]), array([6, 4, 1]))
    """
    simple, live = undirected(graph, simple=True)
    degree = simple.degree()
    most = int(degree.max()) + 1 if len(degree) else 0
    zeros = {name: simple._device.full(most, 0, np.int64) for name in ("vertices", "edges")}
    problem = RichProblem(simple, degree=degree, **zeros)
    advance(problem, live, ByLesserDegree, output=None, balance=balance)
    compute(problem, live, Degrees)
    vertices, edges = (int(each.sum()) - each.cumsum() for each in (problem.vertices, problem.edges))
    some = int((vertices > 1).sum())
    vertices, edges = vertices[:some], edges[:some]
    coefficient, pairs = edges.astype(np.float64), vertices.astype(np.float64)
    pairs *= pairs - 1
    coefficient *= 2
    coefficient /= pairs
    return RichClubResult(coefficient, vertices, edges)
