"""Triangles: how many there are, how many each vertex is part of, and what share of possible ones that is.

Each edge is given the direction of falling rank, so that a triangle is found once: from its edge between the two
vertices of highest number, whose common out-neighbor is the third (Schank, Wagner, Finding, Counting and Listing All
Triangles in Large Graphs, WEA 2005; on GPUs Green, Yalamanchili, Munguia, Fast Triangle Counting on the GPU, IA3 2014).
Watts, Strogatz, Collective Dynamics of 'Small-World' Networks (Nature 393, 1998): the clustering coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.orientation import Oriented, oriented_if_it_fits
from minigr.apps.common.tables import VertexTable
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.program.control import Driver
from minigr.program.fields import scalar_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem
from minigr.program.trace import Trace


class TriangleProblem(Problem):
    total = scalar_field(np.int64)


class Count(Functor):
    def apply_count(count):
        return count


class VertexTriangleProblem(TriangleProblem):
    triangles = vertex_field(np.int64)


class CountAtVertices(Functor):
    def apply_intersect(common, triangles):
        atomic_add(triangles, common, 1)

    def apply_count(src, dst, count, triangles):
        if count > 0:
            atomic_add(triangles, src, count)
            atomic_add(triangles, dst, count)
        return count


class CountThrice(Count):
    """Over a graph that is not oriented: each triangle is found from each of its edges."""

    def cond_intersect(src, dst):
        return src < dst


class CountOpposite(CountThrice):
    """The third vertex, from each edge: so each of the three is counted once."""

    def apply_intersect(common, triangles):
        atomic_add(triangles, common, 1)


class TriangleEnactor(Enactor, problem=TriangleProblem, functor=Count, looks_at=("hubs",)):
    hubs: int | None = None  # in a graph whose first vertices have most neighbors, how many of these have bits

    def start(self) -> Frontier:
        return Frontier.all_edges()

    def step(self, frontier: Handle) -> None:
        self.intersect(frontier, into="total", hubs=self.hubs)


class VertexTriangleEnactor(TriangleEnactor, problem=VertexTriangleProblem, functor=CountAtVertices):
    pass


class ThriceEnactor(TriangleEnactor, problem=TriangleProblem, functor=CountThrice):
    pass


class OppositeEnactor(TriangleEnactor, problem=VertexTriangleProblem, functor=CountOpposite):
    pass


@dataclass(frozen=True)
class TriangleResult(VertexTable, columns=("per_vertex", "clustering")):
    """The triangles of a graph.

    Attributes
    ----------
    total : int
    per_vertex : int64 array, one for each vertex, or None
        How many triangles each vertex is part of; None if it was not asked for.
    clustering : float64 array, one for each vertex, or None
        How many of the pairs of its neighbors are neighbors of each other, from 0 to 1; 0 for vertices with fewer than
        two neighbors. None if it was not asked for.
    transitivity : float or None
        The same for all vertices together: of all pairs of edges that share a vertex, how many are in a triangle.
    iterations : int
    trace : Trace or None
    """

    total: int
    per_vertex: Any
    clustering: Any
    transitivity: float | None
    iterations: int
    trace: Trace | None


@takes_graph
def triangle_count(
    graph: Any, *, per_vertex: bool = False, clustering: bool = False, trace: bool = False, driver: Driver = "auto"
) -> TriangleResult:
    """Count the triangles, sets of three vertices of which every two are neighbors.

    Directions, parallel edges and self-loops are no matter. Counts are exact, and the same in every run. Takes
    O(m sqrt(m)) work at most for m edges, and 4 bytes of memory an edge for a copy in which each has one direction,
    which is kept with the graph until it changes; in a skewed graph a byte an edge more while it runs. Where there is
    no room for the copy, a simple undirected `Graph` is gone through as it is, which takes longer.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    per_vertex : bool
        Count them for each vertex too, which takes an atomic for each triangle.
    clustering : bool
        Also find the clustering coefficients, and what they are made from.
    trace : bool
        Keep a table of the steps in ``result.trace``, as an `Enactor` does. Slower.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Raises
    ------
    ProblemError
        For an unknown driver.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], device="cpu")
    >>> mg.triangle_count(g).total
    1
    >>> result = mg.triangle_count(g, clustering=True)
    >>> result.per_vertex, result.clustering.round(2), result.transitivity
    (array([1, 1, 1, 0]), array([1.  , 1.  , 0.33, 0.  ]), 0.6)
    """
    way, at_vertices = oriented_if_it_fits(graph), per_vertex or clustering
    kind: type[TriangleEnactor] = VertexTriangleEnactor if at_vertices else TriangleEnactor
    found = 1  # how often each triangle is
    if way is None:
        way, found, kind = Oriented(graph, None), 3, OppositeEnactor if at_vertices else ThriceEnactor
    enactor = kind(way.graph, max_iterations=1, trace=trace, driver=driver)
    enactor.hubs = way.hubs
    enactor.run()
    problem = enactor.problem
    total = int(graph._device.number(problem.total)) // found
    counts = way.as_given(problem.triangles) if at_vertices else None
    share, transitivity = _coefficients(way.as_given(way.degree()), counts, total) if clustering else (None, None)
    return TriangleResult(total, counts, share, transitivity, enactor.iterations, enactor.trace)


def _coefficients(degree: Any, triangles: Any, total: int) -> tuple[Any, float]:
    """The clustering coefficient of each vertex, and the transitivity."""
    pairs = degree * (degree - 1) // 2
    all_pairs = int(pairs.sum())
    return triangles / pairs.clip(1, None), 3 * total / all_pairs if all_pairs else 0.0
