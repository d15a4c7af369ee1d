"""k-trusses: the largest subgraph in which each edge is in at least k - 2 triangles, by peeling.

Cohen, Trusses: Cohesive Subgraphs for Social Network Analysis (NSA technical report, 2008); Wang, Cheng, Truss
Decomposition in Massive Networks (VLDB 2012), who keep the number of triangles of each edge up to date, as this module
does; with many edges at a time as in Smith et al., Truss Decomposition on Shared-Memory Parallel Systems (HPEC 2017).

The triangles of each edge are counted once at the start. Each step removes the edges with too few triangles, and
decrements the counts of edges that shared a triangle with a removed edge. Each triangle is subtracted once, even if
several of its edges are removed in the same step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.orientation import Oriented, oriented
from minigr.apps.common.support import counted_support, first_arcs, is_listed, listed_support
from minigr.apps.common.tables import EdgeTable
from minigr.enactor.enactor import Enactor
from minigr.graphs.backend import scope
from minigr.graphs.checks import whole_number
from minigr.graphs.graph import Graph
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.program.control import Driver
from minigr.program.executor import Progress
from minigr.program.fields import edge_field, parameter, scalar_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem
from minigr.program.trace import Trace


class TrussProblem(Problem):
    """A graph with both arcs of each edge. The values of an edge are stored at its first arc."""

    first = edge_field(np.int64)  # the first arc of the same edge
    support = edge_field(np.int32)  # the number of triangles of the edge
    gone = edge_field(np.int32)  # the step that removed the edge, 0 if it is not removed; never 0 at a second arc
    removed = scalar_field(np.int64, fill=-1)  # the number of edges that the last step removed
    least = parameter(np.int32)  # the least number of triangles of an edge in the truss


class Weak(Functor):
    def cond_filter(edge, support, gone, least):
        return gone[edge] == 0 and support[edge] < least

    def apply_filter(edge, iteration, gone):
        gone[edge] = iteration

    def apply_intersect(edge, src_edge, dst_edge, iteration, first, support, gone):
        a, b = first[src_edge], first[dst_edge]
        if (gone[a] == 0 or gone[a] == iteration) and (gone[b] == 0 or gone[b] == iteration):
            # If two edges of a triangle are removed in the same step, the edge of lesser id decrements the third.
            if gone[a] == 0 and (gone[b] == 0 or edge < b):
                atomic_add(support, a, -1)
            if gone[b] == 0 and (gone[a] == 0 or edge < a):
                atomic_add(support, b, -1)

    def apply(edge):
        return 1

    def until(removed):
        return not removed


class TrussEnactor(Enactor, problem=TrussProblem, functor=Weak, looks_at=()):
    def start(self) -> Frontier:
        return Frontier.all_edges()

    def step(self, frontier: Handle) -> None:
        weak = self.filter(frontier)
        self.intersect(weak)
        self.compute(weak, into="removed")


@dataclass(frozen=True)
class TrussResult(EdgeTable, columns=("src", "dst", "support"), vertices=("src", "dst")):
    """The edges of a k-truss, each once, in the order of their ends.

    Attributes
    ----------
    src, dst : int32 arrays, one element for each edge
        The ends of the edge, with ``src < dst``.
    support : int32 array, one element for each edge
        Number of triangles of the truss that contain the edge: at least ``k - 2``.
    num_edges : int
    iterations : int
    trace : Trace or None
    """

    src: Any
    dst: Any
    support: Any
    num_edges: int
    iterations: int
    trace: Trace | None


@takes_graph
def k_truss(
    graph: Any, k: int, *, progress: Progress | None = None, trace: bool = False, driver: Driver = "auto"
) -> TrussResult:
    """The k-truss: the largest subgraph in which each edge is in at least ``k - 2`` triangles.

    Directions, parallel edges and self-loops are ignored. The result is the same in every run. Let s be the number of
    steps, which is the number of times that edges are removed one after the other. For m edges, the work is O(m
    sqrt(m)) with the copy that `triangle_count` keeps, more by a logarithm for removed edges, and O(s m) to find the
    removed edges. Memory is 40 bytes for each edge.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    k : int
        At least 2. The 2-truss is the whole graph, and the 3-truss has all edges that are in triangles.
    progress : callable, optional
        Function that is called a few times a second with the number of steps done, and None, as the total is unknown.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If `k` is not an integer of at least 2.
    ProblemError
        If `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], device="cpu")
    >>> result = mg.k_truss(g, 3)
    >>> result.src, result.dst, result.support
    (array([0, 0, 1], dtype=int32), array([1, 2, 2], dtype=int32), array([1, 1, 1], dtype=int32))
    """
    least = whole_number(k, "k_truss: k", 2, 2**31 + 1) - 2
    way = oriented(graph)
    both, left, support, *enactor = _peel(graph, way, least, {"progress": progress, "trace": trace, "driver": driver})
    with scope(both._device):
        src, dst, support = way.edges_in_order(both, left, support)
        return TrussResult(src, dst, support, len(src), *enactor)


def _peel(graph: Any, way: Oriented, least: int, options: dict[str, Any]) -> tuple[Any, ...]:
    """The graph with edges both ways, the edges that are left, their support, and the enactor's steps and trace."""
    both = way.both_ways(graph)
    with scope(both._device):
        enactor = TrussEnactor(both, problem=_all_edges(way, both, least), **options)
        enactor.run()
        left = both._device.xp.flatnonzero(both._device.expect(enactor.problem.gone == 0, both.num_arcs // 2))
        return both, left, enactor.problem.support[left], enactor.iterations, enactor.trace


def _all_edges(way: Oriented, both: Graph, least: int) -> TrussProblem:
    """A problem with all edges of a graph and their support."""
    first = first_arcs(both)
    support = _listed(way, both, first) if is_listed(way) else counted_support(way, both)
    problem = TrussProblem(both, first=first, support=support, least=least)
    problem.gone = _are_second(first, both)
    return problem


def _are_second(first: Any, both: Graph) -> Any:
    """bool[arcs]: whether an arc is the second one of its edge."""
    return first != both._device.xp.arange(both.num_arcs)


def _listed(way: Oriented, both: Graph, first: Any) -> Any:
    """The support of each edge at the first of its arcs, from the support of the oriented arcs."""
    support = both._device.full(both.num_arcs, 0, np.int32)
    # Second arcs have the same order as oriented arcs, because both lead from the greater vertex to the lesser one.
    seconds = both._device.xp.flatnonzero(both._device.expect(_are_second(first, both), both.num_arcs // 2))
    support[first[seconds]] = listed_support(way)
    return support
