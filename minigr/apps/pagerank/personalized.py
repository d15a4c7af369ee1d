"""Personalized PageRank: the ranks of all vertices as seen from one of them, for each of several sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr import memory
from minigr.apps.common.bits import TOGETHER
from minigr.apps.common.checks import check_sources, require, require_nonnegative_weights, takes_graph
from minigr.apps.pagerank.app import check_parameters
from minigr.apps.pagerank.forward import ForwardEnactor
from minigr.apps.pagerank.transition import kept_chances
from minigr.generate.finish import whole_number
from minigr.graphs.backend import scope
from minigr.operators.options import BALANCES, Balance
from minigr.program.control import Driver
from minigr.program.executor import Progress, check_driver
from minigr.program.node import check_choice
from minigr.program.trace import Trace

_ROOM = 1 << 30  # bytes for the sources that go together; each source takes three numbers of each vertex


@dataclass(frozen=True)
class PersonalizedPageRankResult:
    """Ranks as seen from several sources.

    Attributes
    ----------
    rank : float64 array [sources, vertices], or with `top` [sources, top]
        Of each vertex; or the greatest ranks, the first one the greatest, and 0 where there are no more above 0.
    vertex : int32 array [sources, top], or None
        With `top`, the vertices that have these ranks, the least first of those of one rank; -1 where there are none.
    missing : float64 array, one for each source
        What all its ranks lack to sum to 1. As no rank is too large, it is the sum of their errors.
    iterations : int
        Steps of all sources, those that went together counted once.
    trace : Trace or None
        Of all of them.
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
    """For each source, how often a random walk that always starts again there is at each vertex.

    Edge weights, where there are any, are the chances to follow an edge; from a vertex without out-edges the walk
    starts again, as in `pagerank` with ``personalization={source: 1.0}``, whose ranks these are, except for their
    error. Where a walk seldom comes nothing is looked at: a source takes O(1 / (epsilon (1 - damping))) work on edges,
    whatever the size of the graph, and O(vertices) for its row. Up to 64 sources go together, as many as 24 bytes for
    each source and vertex let into 1 GiB. Ranks differ in rounding, and within their error, from run to run.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        No in-edges are needed.
    sources : sequence of int
        Vertices, in any order; one that is given twice has two rows.
    damping : float
        Chance to follow an edge, from 0 up to but not including 1.
    epsilon : float
        Above 0. No rank is above the exact one, and those of a source lack at most `epsilon` for each arc in all, over
        the part of the walk that does not end at vertices without out-edges. In an undirected graph each rank lacks at
        most `epsilon` times the degree of its vertex; by weight, times the weight of its edges over the mean weight.
    top : int, optional
        Return only so many of the greatest ranks of each source, with their vertices.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. It changes the speed, and the rounding.
    progress : callable, optional
        Called with how many sources are done, and of how many.
    trace : bool
        Keep a table of the steps in ``result.trace``, as an `Enactor` does. Slower.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Raises
    ------
    GraphError
        If one of `sources` is not a vertex of the graph, or `top` no whole number of at least 1; for a negative or
        infinite edge weight, and for weights so large or small that float64 doesn't hold the sum of those at a vertex,
        or 1 over it.
    ProblemError
        For a parameter out of range; for an unknown balance or driver.

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
    """Write the greatest ranks of each row, as many as there is room for, with their vertices."""
    xp, count = graph._device.xp, graph.num_vertices
    with scope(graph._device):
        for place in range(len(rank)):
            row = rows[place * count : (place + 1) * count]
            places = xp.flatnonzero(row)
            order = places[xp.argsort(-row[places], kind="stable")[: rank.shape[1]]]
            rank[place, : len(order)], vertex[place, : len(order)] = row[order], order
