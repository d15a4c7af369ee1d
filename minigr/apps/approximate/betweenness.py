"""Betweenness centrality of all vertices from the shortest paths that begin at some.

Brandes, Pich, Centrality Estimation in Large Networks (International Journal of Bifurcation and Chaos 2007): the part
of the shortest paths from one vertex that lead through another is a number from 0 to 1, and betweenness is its mean.
"""

from __future__ import annotations

from typing import Any

from minigr.apps.betweenness import BetweennessResult, betweenness_centrality
from minigr.apps.common.checks import takes_graph
from minigr.apps.common.sources import samples_for
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.executor import Progress


@takes_graph
def approximate_betweenness_centrality(
    graph: Any,
    epsilon: float = 0.05,
    confidence: float = 0.9,
    *,
    seed: int = 0,
    weighted: bool = False,
    direction: Direction = "auto",
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> BetweennessResult:
    """An estimate of normalized `betweenness_centrality` for all vertices, from as many sources as an error asks for.

    With a chance of at least `confidence`, for all vertices at once, the error is at most `epsilon`. Scores are from 0
    to 1.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    epsilon, confidence : float
        Between 0 and 1.
    seed : int
        Of the random numbers that draw the sources.
    weighted : bool
        Whether a path is as long as the sum of its weights, which must be above 0, or has as many hops as edges.
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
        The same in every run for a seed; exact where the graph has no more vertices than sources are needed, which are
        ``1 + log(2 * vertices / (1 - confidence)) / (2 * epsilon**2)``.

    Raises
    ------
    GraphError
        As by `betweenness_centrality`, which is called.
    ProblemError
        If `epsilon` or `confidence` is out of range; for an unknown direction, balance or driver; for a pull by weight.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.approximate_betweenness_centrality(mg.generate.star(1000, device="cpu"), 0.1)
    >>> result.num_sources, bool(abs(result.score[0] - 1.0) <= 0.1)
    (497, True)
    """
    samples = samples_for(graph, epsilon, confidence, 1, "approximate_betweenness_centrality")
    how: Any = {"direction": direction, "balance": balance, "progress": progress, "trace": trace, "driver": driver}
    return betweenness_centrality(graph, samples=samples, seed=seed, weighted=weighted, **how)
