"""Betweenness centrality: how many shortest paths lead through each vertex, by Brandes' two passes for each source.

Brandes, A Faster Algorithm for Betweenness Centrality (Journal of Mathematical Sociology 2001), and On Variants of
Shortest-Path Betweenness Centrality and their Generic Computation (Social Networks 2008); level by level as in Jia, Lu,
Hoberock, Garland, Hart, Edge v. Node Parallelism for Graph Centrality Metrics (GPU Computing Gems 2011).

A search puts vertices into levels, and a vertex adds up the paths to those before it on a shortest path; then the
levels are gone through from the last to the first, and it adds up its part of what depends on those behind it. Both
sums are made by the vertex that they are for, so nothing depends on who comes first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from minigr.apps.betweenness.paths_by_hops import PathsByHopsEnactor
from minigr.apps.betweenness.paths_by_weight import PathsByWeightEnactor
from minigr.apps.betweenness.sums import scale_of_sums, sum_over
from minigr.apps.common.checks import check_how, takes_graph
from minigr.apps.common.sources import choose_sources
from minigr.apps.common.tables import VertexTable
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.executor import Progress
from minigr.program.trace import Trace


@dataclass(frozen=True)
class BetweennessResult(VertexTable, columns=("score",)):
    """Betweenness centrality.

    Attributes
    ----------
    score : float64 array, one for each vertex
    num_sources : int
        How many vertices were searched from.
    iterations : int
        Steps of all searches and of their ways back.
    trace : Trace or None
        Of the last source: the search, and then the way back.
    """

    score: Any
    num_sources: int
    iterations: int
    trace: Trace | None


@takes_graph
def betweenness_centrality(
    graph: Any,
    sources: Any = None,
    *,
    samples: int | None = None,
    seed: int = 0,
    weighted: bool = False,
    normalized: bool = True,
    endpoints: bool = False,
    direction: Direction = "auto",
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> BetweennessResult:
    """The part of all shortest paths that lead through each vertex.

    For every pair of other vertices, the part of the shortest paths from one to the other that a vertex lies on; and
    the sum of these parts. Parallel edges are different paths.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    sources : sequence of int, optional
        Count only paths that begin at these vertices. By default all are counted.
    samples : int, optional
        The same for so many vertices, drawn with `seed`.
    seed : int
        Of the random numbers that draw them.
    weighted : bool
        Whether a path is as long as the sum of its weights, which must be above 0, or has as many hops as edges.
    normalized : bool
        Divide by the number of pairs, so that 1 is the most there can be.
    endpoints : bool
        Count the paths that begin or end at a vertex too.
    direction : {"auto", "push", "pull"}
        Whether a step goes along the edges of its frontier, or has other vertices look for it, as in
        `minigr.operators.advance`. Searches by weight only push. It changes the speed only.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. It changes the speed, and the rounding.
    progress : callable, optional
        Called after each source with how many are done, and of how many.
    trace : bool
        Keep a table of the steps in ``result.trace``, as an `Enactor` does. Slower.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Returns
    -------
    BetweennessResult
        The same in every run on one device. Scores are scaled as those of NetworkX 3.6: where paths are counted from
        some vertices only, as an estimate of what they are for all. A source, which no path from itself leads through,
        has one fewer to go by; of a single one nothing is known, and its score is NaN (with `endpoints` it is known).

    Raises
    ------
    GraphError
        If a source is not a vertex; by weight, if the graph has no weights or one that isn't above 0 and finite, or
        if some are lost to rounding beside the distances they are added to.
    ProblemError
        If a source is given twice, or sources and samples are, or there are fewer vertices than samples; for an unknown
        direction, balance or driver; for a pull by weight, or a balance of a pull.

    Notes
    -----
    Takes O(vertices + edges) work for each source by hops, and as many steps as the search has levels, twice. By weight
    a search as `sssp` does it comes first, and there are as many steps as a shortest path can have edges; distances are
    float64, and paths are as long as each other if their sums of weights are equal to the last bit. Numbers of paths
    are float64 as well, and beyond its range their logarithms. Memory is 36 bytes for each vertex, by weight 68.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 2], [1, 2, 3, 4], device="cpu")
    >>> mg.betweenness_centrality(g, normalized=False).score
    array([0., 3., 5., 0., 0.])
    """
    chosen = choose_sources(graph, sources, samples, seed, "betweenness_centrality")
    check_how("betweenness_centrality", direction, balance, weighted)
    counting = PathsByWeightEnactor if weighted else PathsByHopsEnactor
    search: Any = counting(graph, trace=trace, driver=driver, ends=float(endpoints))
    iterations = sum_over(search, chosen, direction, balance, progress, trace, driver)
    score = search.problem.score
    _scale(score, chosen, graph, normalized, endpoints)
    return BetweennessResult(score, len(chosen), iterations, search.trace)


def _scale(score: Any, sources: Any, graph: Any, normalized: bool, endpoints: bool) -> None:
    """From sums over `sources` to sums over all pairs, or to parts of them."""
    others = graph.num_live_vertices - (not endpoints)  # vertices that paths through one can begin at
    if others < 2:
        return

    def scale(counted: int) -> float:
        """For what was summed over so many of them."""
        return scale_of_sums(counted, others, normalized=normalized, directed=graph.directed) if counted else math.nan

    everyone = len(sources) == graph.num_live_vertices
    if everyone or endpoints:
        score *= scale(others if everyone else len(sources))
        return
    at_sources = score[sources] * scale(len(sources) - 1)
    score *= scale(len(sources))
    score[sources] = at_sources
