"""Closeness and harmonic centrality of all vertices, estimated from their distances from a sample, the pivots.

Eppstein, Wang, Fast Approximation of Centrality (Journal of Graph Algorithms and Applications 2004). Searches from 64
pivots run together. They store no distances, because sums of distances are enough.
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
    """An estimate of `closeness_centrality` by hops for all vertices, from searches that begin at a sample of them.

    The closeness of a vertex is ``part**2 / far``. `part` is the fraction of all other vertices that reach the vertex.
    `far` is the sum of their distances, divided by the number of all other vertices. In a connected graph, `part` is 1
    and `far` is the mean distance. With a probability of at least `confidence`, two bounds hold for all vertices at
    once. The error of `part` is at most `epsilon`, and the error of `far` is at most `epsilon` times the greatest
    distance between any two vertices.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    epsilon, confidence : float
        Between 0 and 1.
    seed : int
        The seed of the random numbers that draw the vertices where searches begin.
    direction : {"auto", "push", "pull"}
        Whether a step follows the edges of its frontier (push), or other vertices look for the frontier (pull), as in
        `minigr.operators.advance`. The choice changes only the speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    progress : callable, optional
        Called with the number of searches done and the total number of searches.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Returns
    -------
    ClosenessResult
        A score for each vertex, and NaN for deleted vertices; `num_sources` is the number of searches. The result is
        the same in every run for a seed. The result is exact if the graph has no more vertices than the number of
        searches needed.

    Raises
    ------
    GraphError
        If ``direction="pull"`` and the graph is directed and dynamic and keeps no in-edges.
    ProblemError
        If `epsilon` or `confidence` is out of range. If `direction`, `balance` or `driver` is unknown.

    Notes
    -----
    The number of searches needed is ``1 + log(4 * vertices / (1 - confidence)) / (2 * epsilon**2)``. A search takes
    O(vertices + edges) work, and 64 searches run together. Memory is 60 bytes for each vertex.

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
    """An estimate of `harmonic_centrality` by hops for all vertices, from searches that begin at a sample of them.

    With a probability of at least `confidence`, the error is at most `epsilon` times the number of all other vertices,
    for all vertices at once. The number of all other vertices is the greatest possible score.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    epsilon, confidence : float
        Between 0 and 1.
    seed : int
        The seed of the random numbers that draw the vertices where searches begin.
    direction : {"auto", "push", "pull"}
        Whether a step follows the edges of its frontier (push), or other vertices look for the frontier (pull), as in
        `minigr.operators.advance`. The choice changes only the speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    progress : callable, optional
        Called with the number of searches done and the total number of searches.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Returns
    -------
    ClosenessResult
        As in `approximate_closeness_centrality`. The number of searches needed is about the same:
        ``1 + log(2 * vertices / (1 - confidence)) / (2 * epsilon**2)``.

    Raises
    ------
    GraphError, ProblemError
        As in `approximate_closeness_centrality`.

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
