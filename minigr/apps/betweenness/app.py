"""Betweenness centrality: the fraction of shortest paths through each vertex, by Brandes' two passes per source.

Brandes, A Faster Algorithm for Betweenness Centrality (Journal of Mathematical Sociology 2001), and On Variants of
Shortest-Path Betweenness Centrality and their Generic Computation (Social Networks 2008); level by level as in Jia, Lu,
Hoberock, Garland, Hart, Edge v. Node Parallelism for Graph Centrality Metrics (GPU Computing Gems 2011).

In the first pass, a search puts vertices into levels, and a vertex sums the numbers of paths to its predecessors on
shortest paths. The second pass goes through the levels from the last to the first, and a vertex sums its part of the
dependencies of its successors. Each vertex computes its own sums, so results do not depend on the order of the threads.
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
        The number of vertices that were searched from.
    iterations : int
        The number of steps of all searches and of their backward passes.
    trace : Trace or None
        The trace of the last source: the search, then the backward pass.
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
    """The fraction of all shortest paths that lead through each vertex.

    For every pair of other vertices, a fraction of the shortest paths from one to the other leads through the vertex.
    The score is the sum of these fractions. Parallel edges are different paths.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    sources : sequence of int, optional
        Count only paths that begin at these vertices. By default, all paths are counted.
    samples : int, optional
        Count only paths that begin at this number of vertices, drawn with `seed`.
    seed : int
        The seed of the random numbers that draw these vertices.
    weighted : bool
        If True, the length of a path is the sum of its weights, which must be above 0. If False, it is the number of
        edges.
    normalized : bool
        Whether to divide by the number of pairs, so that the greatest possible score is 1.
    endpoints : bool
        Whether to also count the paths that begin or end at a vertex.
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
    BetweennessResult
        The result is the same in every run on one device. Scores are scaled as in NetworkX 3.6. If only the paths from
        some vertices are counted, the scores are scaled to estimate the scores for all paths. No path from a source
        leads through the source itself, so the score of a source is estimated from one source fewer. The score of a
        single source is therefore unknown, and is NaN in a graph of three or more vertices (with `endpoints` the score
        is known).

    Raises
    ------
    GraphError
        If a source is not a vertex. By weight, if the graph has no weights, or a weight that is not above 0 and finite.
        By weight, if float64 can't hold the length of a path of edges of the greatest weight, or if some weights are
        lost to rounding when they are added to distances.
    ProblemError
        If a source is given twice, if both `sources` and `samples` are given, or if there are fewer vertices than
        `samples`. If `direction`, `balance` or `driver` is unknown. If ``direction="pull"`` is given together with
        `weighted`, or with a balance other than ``"auto"`` or ``"block"``.

    Notes
    -----
    By hops, each source takes O(vertices + edges) work, and twice as many steps as the search has levels. By weight, a
    search as in `sssp` runs first, and there are as many steps as a shortest path can have edges. Distances are
    float64, and two paths are equally long if their sums of weights are equal to the last bit. Numbers of paths are
    float64, too; beyond the range of float64, their logarithms are stored. Memory is 36 bytes for each vertex by hops,
    and 68 by weight.

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
    """Scale sums over `sources` to sums over all pairs, or to fractions of pairs."""
    others = graph.num_live_vertices - (not endpoints)  # vertices at which paths through a vertex can begin
    if others < 2:
        return

    def scale(counted: int) -> float:
        """The factor of sums over `counted` sources."""
        return scale_of_sums(counted, others, normalized=normalized, directed=graph.directed) if counted else math.nan

    everyone = len(sources) == graph.num_live_vertices
    if everyone or endpoints:
        score *= scale(others if everyone else len(sources))
        return
    at_sources = score[sources] * scale(len(sources) - 1)
    score *= scale(len(sources))
    score[sources] = at_sources
