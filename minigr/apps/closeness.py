"""Closeness and harmonic centrality: how near a vertex is to the vertices that reach it, by a search from each vertex.

Wasserman, Faust, Social Network Analysis (1994), page 201; Boldi, Vigna, Axioms for Centrality (Internet Mathematics
2014). Of a search by hops, only the number of vertices of each level is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_how, takes_graph
from minigr.apps.common.hops import HopsEnactor
from minigr.apps.common.sources import choose_sources, in_turn
from minigr.apps.common.tables import VertexTable
from minigr.apps.sssp import SSSPEnactor, default_delta
from minigr.device import CPU
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.executor import Progress
from minigr.program.fields import vertex_field
from minigr.program.problem import Problem
from minigr.program.trace import Trace

Nearness = Callable[[Any, Any], float]


class DistancesProblem(Problem):
    distance = vertex_field(np.float64, fill=np.inf)


@dataclass(frozen=True)
class ClosenessResult(VertexTable, columns=("score",)):
    """Closeness or harmonic centrality.

    Attributes
    ----------
    score : float64 array, one for each vertex
        NaN for deleted vertices, and for vertices whose score was not requested.
    num_sources : int
        The number of vertices whose score was requested.
    iterations : int
        The number of steps of all searches.
    trace : Trace or None
        The trace of the last search.
    """

    score: Any
    num_sources: int
    iterations: int
    trace: Trace | None


@takes_graph
def closeness_centrality(
    graph: Any,
    sources: Any = None,
    *,
    samples: int | None = None,
    seed: int = 0,
    weighted: bool = False,
    direction: Direction = "auto",
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> ClosenessResult:
    """The inverse mean distance to a vertex from the vertices that reach it, times their fraction of all others.

    The score is 0 for a vertex that no other vertex reaches. Scores are the same as in NetworkX, and the same in every
    run.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        A directed graph is searched against the direction of its edges.
    sources : sequence of int, optional
        The vertices whose centrality to compute. By default, all vertices.
    samples : int, optional
        Compute the centrality of this number of vertices, drawn with `seed`.
    seed : int
        The seed of the random numbers that draw these vertices.
    weighted : bool
        If True, distances are sums of weights in float64; weights must be at least 0. If False, distances are numbers
        of hops. A distance beyond the range of float64 is infinite, and its vertex counts as not reached. A score
        beyond the range is inf.
    direction : {"auto", "push", "pull"}
        Whether a step follows the edges of its frontier (push), or other vertices look for the frontier (pull), as in
        `minigr.operators.advance`. Searches by weight only push. The choice changes only the speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    progress : callable, optional
        Called after each search with the number of searches done and the total number of searches.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If a source is not a vertex. If the graph is directed and dynamic and keeps no in-edges. By weight, if the graph
        has no weights, or a negative or infinite weight.
    ProblemError
        If a source is given twice, if both `sources` and `samples` are given, or if there are fewer vertices than
        `samples`. If `direction`, `balance` or `driver` is unknown. If ``direction="pull"`` is given together with
        `weighted`, or with a balance other than
        ``"auto"`` or ``"block"``.

    Notes
    -----
    Each source takes one search. By hops, a search takes O(vertices + edges) work. By weight, it takes the work of
    `sssp`.

    Examples
    --------
    >>> import minigr as mg
    >>> mg.closeness_centrality(mg.generate.path(3, device="cpu")).score
    array([0.66666667, 1.        , 0.66666667])
    """
    others = max(graph.num_live_vertices - 1, 1)  # an estimate scores a lone vertex, too

    def nearness(distance: Any, count: Any) -> float:
        total, reached = float((distance * count).sum()), float(count.sum()) - 1
        return reached / total * (reached / others) if total > 0 else 0.0  # rounded as in NetworkX

    chosen = choose_sources(graph, sources, samples, seed, "closeness_centrality")
    check_how("closeness_centrality", direction, balance, weighted)
    how: Any = {"direction": direction, "balance": balance, "progress": progress}
    return _search(graph, chosen, weighted, nearness, **how, trace=trace, driver=driver)


@takes_graph
def harmonic_centrality(
    graph: Any,
    sources: Any = None,
    *,
    samples: int | None = None,
    seed: int = 0,
    weighted: bool = False,
    direction: Direction = "auto",
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> ClosenessResult:
    """The sum of the inverse distances to a vertex from all vertices that reach it and are not at distance 0.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        A directed graph is searched against the direction of its edges.
    sources : sequence of int, optional
        The vertices whose centrality to compute. By default, all vertices.
    samples : int, optional
        Compute the centrality of this number of vertices, drawn with `seed`.
    seed : int
        The seed of the random numbers that draw these vertices.
    weighted : bool
        If True, distances are sums of weights, as in `closeness_centrality`. If False, distances are numbers of hops.
    direction : {"auto", "push", "pull"}
        Whether a step follows the edges of its frontier (push), or other vertices look for the frontier (pull), as in
        `minigr.operators.advance`. Searches by weight only push. The choice changes only the speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    progress : callable, optional
        Called after each search with the number of searches done and the total number of searches.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError, ProblemError
        As in `closeness_centrality`, which takes the same work.

    Examples
    --------
    >>> import minigr as mg
    >>> mg.harmonic_centrality(mg.generate.path(3, device="cpu")).score
    array([1.5, 2. , 1.5])
    """

    def nearness(distance: Any, count: Any) -> float:
        away = distance > 0
        return float((count[away] / distance[away]).sum())

    chosen = choose_sources(graph, sources, samples, seed, "harmonic_centrality")
    check_how("harmonic_centrality", direction, balance, weighted)
    how: Any = {"direction": direction, "balance": balance, "progress": progress}
    return _search(graph, chosen, weighted, nearness, **how, trace=trace, driver=driver)


def _search(
    graph: Any,
    sources: Any,
    weighted: bool,
    nearness: Nearness,
    direction: Direction,
    balance: Balance,
    progress: Progress | None,
    **options: Any,
) -> ClosenessResult:
    """Search from each source; `nearness` gets the distances, and the number of vertices at each distance."""
    score = graph._device.host.xp.full(graph.num_vertices, np.nan)
    inward = graph.reverse() if graph.directed else graph
    xp, iterations, search = graph._device.xp, 0, _ByWeight if weighted else HopsEnactor
    enactor: Any = search(inward, **options)
    enactor.direction, enactor.balance = direction, balance
    for source in in_turn(graph, sources, progress):
        enactor.run(source)
        iterations += enactor.iterations
        if weighted:
            score[source] = _weighed(enactor.problem.distance, nearness, xp)
        else:
            count = np.diff(CPU.asarray(enactor.levels.starts))
            score[source] = nearness(np.arange(len(count), dtype=np.float64), count)
    return ClosenessResult(graph._device.asarray(score), len(sources), iterations, enactor.trace)


def _weighed(distance: Any, nearness: Nearness, xp: Any) -> float:
    """The value of `nearness` for distances by weight. A function of its own, so that its arrays are freed."""
    distance = distance[xp.isfinite(distance)]
    with np.errstate(over="ignore"):  # sums may be infinite
        return nearness(distance, xp.ones_like(distance))


class _ByWeight(SSSPEnactor, problem=DistancesProblem, looks_at=("balance", "width")):
    """Searches one after the other, with distances in float64."""

    def __init__(self, graph: Any, **options: Any) -> None:
        self.delta = default_delta(graph, "centrality by weight")
        super().__init__(graph, **options)

    def run(self, source: int) -> None:
        self.problem.reset()
        super().run(source, self.delta)
