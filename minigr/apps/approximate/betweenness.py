"""Betweenness centrality of all vertices, estimated from the shortest paths that begin at a sample of vertices.

Brandes, Pich, Centrality Estimation in Large Networks (International Journal of Bifurcation and Chaos 2007): the
fraction of the shortest paths from one vertex that lead through another vertex is a number from 0 to 1, and betweenness
is the mean of such numbers.
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
    """An estimate of normalized `betweenness_centrality` for all vertices, from as many sources as `epsilon` requires.

    With a probability of at least `confidence`, the error is at most `epsilon` for all vertices at once. Scores are
    from 0 to 1.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    epsilon, confidence : float
        Between 0 and 1.
    seed : int
        The seed of the random numbers that draw the sources.
    weighted : bool
        If True, the length of a path is the sum of its weights, which must be above 0. If False, it is the number of
        edges.
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
        The result is the same in every run for a seed. The number of sources needed is
        ``1 + log(2 * vertices / (1 - confidence)) / (2 * epsilon**2)``. The result is exact if the graph has no more
        vertices than this number.

    Raises
    ------
    GraphError
        As in `betweenness_centrality`, which this function calls.
    ProblemError
        If `epsilon` or `confidence` is out of range. If `direction`, `balance` or `driver` is unknown. If
        ``direction="pull"`` is given together with `weighted`.

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
