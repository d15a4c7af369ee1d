"""Betweenness centrality of edges: the fraction of shortest paths that lead along each edge.

Girvan, Newman, Community Structure in Social and Biological Networks (PNAS 2002); by the two passes of Brandes, On
Variants of Shortest-Path Betweenness Centrality and their Generic Computation (Social Networks 2008). In the backward
pass, an edge gets the part that its source gets from its destination.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.betweenness.path_counts import together
from minigr.apps.betweenness.paths_by_hops import DependentsByHops, PathsByHopsEnactor, PathsByHopsProblem
from minigr.apps.betweenness.paths_by_weight import DependentsByWeight, PathsByWeightEnactor, PathsByWeightProblem
from minigr.apps.betweenness.sums import scale_of_sums, sum_over
from minigr.apps.common.checks import check_how, takes_graph
from minigr.apps.common.sources import choose_sources
from minigr.apps.common.tables import EdgeTable
from minigr.graphs.backend import scope
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.executor import Progress
from minigr.program.fields import edge_field
from minigr.program.trace import Trace


class EdgesByHopsProblem(PathsByHopsProblem):
    along = edge_field(np.float64)  # the sum of the fractions of paths that lead along each arc


class EdgesByWeightProblem(PathsByWeightProblem):
    along = edge_field(np.float64)


class AlongByHops(DependentsByHops):
    def map(src, dst, edge, depth, paths, share, along):
        if depth[src] + 1 != depth[dst]:
            return 0.0
        along[edge] += together(paths[src], share[dst])
        return share[dst]


class AlongByWeight(DependentsByWeight):
    def map(src, dst, edge, weight, distance, paths, share, along):
        if distance[src] + weight != distance[dst]:
            return 0.0
        along[edge] += together(paths[src], share[dst])
        return share[dst]


class EdgesByHopsEnactor(PathsByHopsEnactor, problem=EdgesByHopsProblem, looks_at=("balance", "direction")):
    dependents = AlongByHops


class EdgesByWeightEnactor(PathsByWeightEnactor, problem=EdgesByWeightProblem, looks_at=("balance",)):
    dependents, algorithm = AlongByWeight, "edge_betweenness_centrality"


@dataclass(frozen=True)
class EdgeBetweennessResult(EdgeTable, columns=("src", "dst", "score"), vertices=("src", "dst")):
    """Betweenness centrality of edges, each once, in the order of ``graph.to_edges()``.

    Attributes
    ----------
    src, dst : int32 arrays, one element for each edge
        The ends of the edge. In an undirected graph, ``src <= dst``.
    score : float64 array, one element for each edge
    num_sources : int
        The number of vertices that were searched from.
    iterations : int
        The number of steps of all searches and of their backward passes.
    trace : Trace or None
        The trace of the last source: the search, then the backward pass.
    """

    src: Any
    dst: Any
    score: Any
    num_sources: int
    iterations: int
    trace: Trace | None


@takes_graph
def edge_betweenness_centrality(
    graph: Any,
    sources: Any = None,
    *,
    samples: int | None = None,
    seed: int = 0,
    weighted: bool = False,
    normalized: bool = True,
    direction: Direction = "auto",
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> EdgeBetweennessResult:
    """The fraction of all shortest paths that lead along each edge.

    For every pair of vertices, a fraction of the shortest paths from one to the other leads along the edge. The score
    is the sum of these fractions. Parallel edges are different paths.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        A dynamic graph is copied into rows first.
    sources : sequence of int, optional
        Count only paths that begin at these vertices, to estimate the scores for all paths. By default, all paths are
        counted.
    samples : int, optional
        Count only paths that begin at this number of vertices, drawn with `seed`.
    seed : int
        The seed of the random numbers that draw these vertices.
    weighted : bool
        If True, the length of a path is the sum of its weights, which must be above 0. If False, it is the number of
        edges.
    normalized : bool
        Whether to divide by the number of pairs, so that the greatest possible score is 1.
    direction : {"auto", "push", "pull"}
        Whether a step follows the edges of its frontier (push), or other vertices look for the frontier (pull), as in
        `minigr.operators.advance`. Searches by weight only push. The choice changes only the speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes the speed and the rounding.
    progress : callable, optional
        Called after each source with the number of sources done and the total number of sources.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Returns
    -------
    EdgeBetweennessResult
        The result is the same in every run on one device. Scores are scaled as in NetworkX 3.6.

    Raises
    ------
    GraphError, ProblemError
        As in `betweenness_centrality`.

    Notes
    -----
    The work is the work of `betweenness_centrality`. Memory is 8 bytes more for each arc, and at the end 24 bytes for
    each arc of an undirected graph.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 2], [1, 2, 3, 4], device="cpu")
    >>> result = mg.edge_betweenness_centrality(g, normalized=False)
    >>> result.src, result.dst, result.score
    (array([0, 1, 2, 2], dtype=int32), array([1, 2, 3, 4], dtype=int32), array([4., 6., 4., 4.]))
    """
    chosen = choose_sources(graph, sources, samples, seed, "edge_betweenness_centrality")
    check_how("edge_betweenness_centrality", direction, balance, weighted)
    rows = graph if graph.layout == "csr" else graph.to_graph()
    search: Any = (EdgesByWeightEnactor if weighted else EdgesByHopsEnactor)(rows, trace=trace, driver=driver)
    iterations = sum_over(search, chosen, direction, balance, progress, trace, driver)
    src, dst, score = _of_edges(rows, search.problem.along)
    if len(chosen) and graph.num_live_vertices > 1:
        how = {"normalized": normalized, "directed": graph.directed}
        score *= scale_of_sums(len(chosen), graph.num_live_vertices, **how)
    return EdgeBetweennessResult(src, dst, score, len(chosen), iterations, search.trace)


def _of_edges(rows: Any, along: Any) -> tuple[Any, Any, Any]:
    """The ends of each edge, and the sum over its arcs."""
    with scope(rows._device):
        src, dst, _ = rows.to_edges(both_ways=True)
        if rows.directed:
            return src, dst, along
        # In the order by destination, the position of each arc has the arc in the opposite direction.
        back = rows._device.xp.argsort(dst, kind="stable")
        along += along[back]
        del back
        once = rows._device.expect(src <= dst, rows.num_edges)
        return src[once], dst[once], along[once]
