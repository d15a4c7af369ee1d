"""Personalized PageRank: the ranks of all vertices as seen from one vertex, for each of several sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr import memory
from minigr.apps.common.bits import TOGETHER
from minigr.apps.common.checks import check_sources, require, require_nonnegative_weights, require_numbers, takes_graph
from minigr.apps.pagerank.app import check_parameters
from minigr.apps.pagerank.forward import ForwardEnactor
from minigr.apps.pagerank.transition import kept_chances
from minigr.graphs.backend import scope
from minigr.graphs.checks import whole_number
from minigr.operators.options import BALANCES, Balance
from minigr.program.control import Driver
from minigr.program.executor import Progress, check_driver
from minigr.program.node import check_choice
from minigr.program.trace import Trace

_ROOM = 1 << 30  # bytes for the sources of one loop; each source takes three numbers per vertex


@dataclass(frozen=True)
class PersonalizedPageRankResult:
    """Ranks as seen from several sources.

    Attributes
    ----------
    rank : float64 array [sources, vertices], or with `top` [sources, top]
        Rank of each vertex. With `top`, the greatest ranks in decreasing order, then 0 if fewer ranks are above 0.
    vertex : int32 array [sources, top], or None
        With `top`, the vertices that have these ranks, in increasing order if ranks are equal; -1 if there are no more.
    missing : float64 array, one for each source
        The amount by which the sum of all ranks of the source is below 1. No rank is too large, so this amount is the
        sum of the errors of the ranks.
    iterations : int
        Number of steps for all sources. A step for several sources together counts once.
    trace : Trace or None
        The steps for all sources.
    """

    rank: Any
    vertex: Any
    missing: Any
    iterations: int
    trace: Trace | None


@takes_graph
def personalized_pagerank(
    graph: Any,
    sources: Any,
    damping: float = 0.85,
    epsilon: float = 1e-6,
    *,
    top: int | None = None,
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> PersonalizedPageRankResult:
    """For each source, how often a random walk that always restarts at the source visits each vertex.

    If the graph has edge weights, they are the chances to follow an edge. From a vertex without out-edges, the walk
    restarts. Except for their error, the ranks are those of `pagerank` with ``personalization={source: 1.0}``. The
    search skips vertices that the walk seldom visits. So a source takes O(1 / (epsilon (1 - damping))) work on edges,
    independent of the size of the graph, and O(vertices) work for its row. Up to 64 sources are processed together, as
    many as fit into 1 GiB with 24 bytes for each source and vertex. Ranks differ from run to run by rounding, and
    within their error.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        In-edges are not needed.
    sources : sequence of int
        Vertices, in any order. A vertex that is given twice gets two rows.
    damping : float
        Chance to follow an edge, from 0 up to but not including 1.
    epsilon : float
        Error bound, finite and above 0. No rank is above the exact rank. Together, the ranks of a source lack at most
        `epsilon` for each arc, divided by the part of the walk that does not end at vertices without out-edges. In an
        undirected graph, each rank lacks at most `epsilon` times the degree of its vertex. In a weighted graph, the
        degree is replaced by the weight of the edges at the vertex, divided by the mean weight.
    top : int, optional
        Number of greatest ranks to return for each source, with their vertices. By default, all ranks are returned.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes the speed and the rounding.
    progress : callable, optional
        Function that is called with the number of sources done and the number of all sources.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If one of `sources` is not a vertex of the graph, if `top` is not an integer of at least 1, if an edge weight is
        negative or infinite, or if weights are so large or small that float64 cannot hold the sum of the weights at a
        vertex, or 1 over the sum.
    ProblemError
        If a parameter is out of range, or if `balance` or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.personalized_pagerank(mg.generate.path(4, device="cpu"), [0, 3])
    >>> result.rank.round(3)
    array([[0.302, 0.358, 0.238, 0.101],
           [0.101, 0.238, 0.358, 0.302]])
    >>> mg.personalized_pagerank(mg.generate.path(4, device="cpu"), [0, 3], top=2).vertex
    array([[1, 0],
           [2, 3]], dtype=int32)
    """
    check_parameters("personalized_pagerank", damping, 1.0)
    require_numbers("personalized_pagerank", epsilon=epsilon)
    require(0 < epsilon < np.inf, f"personalized_pagerank: epsilon={epsilon} must be above 0 and finite")
    chosen, count, device = check_sources(graph, sources), graph.num_vertices, graph._device
    width = count if top is None else whole_number(top, "personalized_pagerank: top", 1, 2**31 - 1)
    check_choice(balance, BALANCES, "personalized_pagerank: balance")
    check_driver(driver, graph, trace)
    mean = require_nonnegative_weights(graph, "personalized_pagerank") if graph.weighted else 1.0
    together = min(max(_ROOM // (24 * max(count, 1)), 1), TOGETHER)
    cells = min(together, len(chosen)) * count
    memory.require(device, 8 * len(chosen) * width + 24 * cells, f"the ranks from {len(chosen):,} sources")
    numbers = {"damping": damping, "limit": epsilon / (mean or 1.0), "vertices": count}
    fields = {"per_weight": kept_chances(graph, "personalized_pagerank")[0], **numbers}
    rank = device.full((len(chosen), width), 0.0, np.float64)
    vertex = None if top is None else device.full((len(chosen), width), -1, np.int32)
    missing: list[float] = []
    iterations, whole = 0, Trace() if trace else None
    for first in device.rounds(range(0, len(chosen), together)):
        part = chosen[first : first + together]
        rows = rank[first : first + len(part)].reshape(-1) if vertex is None else _zeros(graph, part)
        arrays = {"rank": rows, "residual": _zeros(graph, part), "share": _zeros(graph, part)}
        enactor = ForwardEnactor(graph, trace=trace, driver=driver, sources=len(part), **arrays, **fields)
        enactor.balance = balance
        enactor.run(part)
        missing += enactor.finish()
        if vertex is not None:
            _keep_greatest(graph, rows, rank[first : first + len(part)], vertex[first : first + len(part)])
        iterations += enactor.iterations
        if whole is not None and enactor.trace is not None:
            whole.rows.extend(enactor.trace.rows)
        if progress is not None:
            progress(first + len(part), len(chosen))
    return PersonalizedPageRankResult(rank, vertex, device.asarray(np.array(missing)), iterations, whole)


def _zeros(graph: Any, sources: Any) -> Any:
    return graph._device.full(len(sources) * graph.num_vertices, 0.0, np.float64)


def _keep_greatest(graph: Any, rows: Any, rank: Any, vertex: Any) -> None:
    """Write the greatest ranks of each row and their vertices into `rank` and `vertex`, as many as these hold."""
    xp, count = graph._device.xp, graph.num_vertices
    with scope(graph._device):
        for place in range(len(rank)):
            row = rows[place * count : (place + 1) * count]
            places = xp.flatnonzero(row)
            order = places[xp.argsort(-row[places], kind="stable")[: rank.shape[1]]]
            rank[place, : len(order)], vertex[place, : len(order)] = row[order], order
