"""Closeness and harmonic centrality of all vertices by their distances from some, the pivots.

Eppstein, Wang, Fast Approximation of Centrality (Journal of Graph Algorithms and Applications 2004). Searches from 64
pivots go together, and distances are never kept: sums are enough.
"""

from __future__ import annotations

from typing import Any

from minigr.apps.approximate.pivots import Closeness, Harmonic, PivotsEnactor
from minigr.apps.closeness import ClosenessResult
from minigr.apps.common.checks import check_how, takes_graph
from minigr.apps.common.sources import choose_sources, samples_for
from minigr.operators.calls import compute
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.executor import Progress
from minigr.program.frontier import Frontier


@takes_graph
def approximate_closeness_centrality(
    graph: Any,
    epsilon: float = 0.05,
    confidence: float = 0.9,
    *,
    seed: int = 0,
    direction: Direction = "auto",
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> ClosenessResult:
    """An estimate of `closeness_centrality` by hops for all vertices, from searches that begin at some.

    The closeness of a vertex is ``part**2 / far``: `part` is the part of all others that reach it, and `far` the sum of
    their distances over the number of all others. In a connected graph `part` is 1 and `far` the mean distance. With a
    chance of at least `confidence`, for all vertices at once, `part` is estimated with an error of at most `epsilon`,
    and `far` with one of at most `epsilon` times the greatest distance between any two vertices.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    epsilon, confidence : float
        Between 0 and 1.
    seed : int
        Of the random numbers that draw the vertices where searches begin.
    direction : {"auto", "push", "pull"}
        Whether a step goes along the edges of its frontier, or has other vertices look for it, as in
        `minigr.operators.advance`. It changes the speed only.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. It changes the speed only.
    progress : callable, optional
        Called with how many searches are done, and of how many.
    trace : bool
        Keep a table of the steps in ``result.trace``, as an `Enactor` does. Slower.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Returns
    -------
    ClosenessResult
        With a score for each vertex, NaN for those that were deleted; `num_sources` is how many searches there were.
        The same in every run for a seed, and exact where the graph has no more vertices than searches are needed.

    Raises
    ------
    GraphError
        For ``direction="pull"``, if the graph is directed, dynamic, and keeps no in-edges.
    ProblemError
        If `epsilon` or `confidence` is out of range; for an unknown direction, balance or driver.

    Notes
    -----
    ``1 + log(4 * vertices / (1 - confidence)) / (2 * epsilon**2)`` searches of O(vertices + edges) work, 64 of them
    together; 60 bytes of memory for each vertex.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.generate.rmat(11, 8, seed=1, device="cpu")
    >>> result = mg.approximate_closeness_centrality(g, 0.1)
    >>> result.num_sources, g.num_vertices
    (567, 2048)
    >>> exact = mg.closeness_centrality(g).score
    >>> bool(abs(result.score - exact).max() < 0.03)
    True
    """
    how: Any = {"direction": direction, "balance": balance, "progress": progress, "trace": trace, "driver": driver}
    return _estimate(graph, epsilon, confidence, 2, seed, Closeness, "approximate_closeness_centrality", **how)


@takes_graph
def approximate_harmonic_centrality(
    graph: Any,
    epsilon: float = 0.05,
    confidence: float = 0.9,
    *,
    seed: int = 0,
    direction: Direction = "auto",
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> ClosenessResult:
    """An estimate of `harmonic_centrality` by hops for all vertices, from searches that begin at some.

    With a chance of at least `confidence`, for all vertices at once, the error is at most `epsilon` times the number
    of all other vertices, which is the most that a vertex can have.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    epsilon, confidence : float
        Between 0 and 1.
    seed : int
        Of the random numbers that draw the vertices where searches begin.
    direction : {"auto", "push", "pull"}
        Whether a step goes along the edges of its frontier, or has other vertices look for it, as in
        `minigr.operators.advance`. It changes the speed only.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. It changes the speed only.
    progress : callable, optional
        Called with how many searches are done, and of how many.
    trace : bool
        Keep a table of the steps in ``result.trace``, as an `Enactor` does. Slower.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Returns
    -------
    ClosenessResult
        As of `approximate_closeness_centrality`, which takes about as many searches:
        ``1 + log(2 * vertices / (1 - confidence)) / (2 * epsilon**2)``.

    Raises
    ------
    GraphError, ProblemError
        As by `approximate_closeness_centrality`.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.generate.rmat(11, 8, seed=1, device="cpu")
    >>> result = mg.approximate_harmonic_centrality(g, 0.1)
    >>> exact = mg.harmonic_centrality(g).score
    >>> bool(abs(result.score - exact).max() < 0.1 * 2047)
    True
    """
    how: Any = {"direction": direction, "balance": balance, "progress": progress, "trace": trace, "driver": driver}
    return _estimate(graph, epsilon, confidence, 1, seed, Harmonic, "approximate_harmonic_centrality", **how)


def _estimate(
    graph: Any,
    epsilon: float,
    confidence: float,
    numbers: int,
    seed: int,
    finish: Any,
    algorithm: str,
    *,
    direction: Direction,
    balance: Balance,
    progress: Progress | None,
    **options: Any,
) -> ClosenessResult:
    check_how(algorithm, direction, balance)
    samples = samples_for(graph, epsilon, confidence, numbers, algorithm)
    chosen = choose_sources(graph, None, samples, seed, algorithm)
    enactor = PivotsEnactor(graph, pivots=len(chosen), others=graph.num_live_vertices - 1, **options)
    iterations = enactor.run_from(chosen, direction, balance, progress)
    compute(enactor.problem, Frontier.all_vertices(), finish)
    return ClosenessResult(enactor.problem.score, len(chosen), iterations, enactor.trace)
