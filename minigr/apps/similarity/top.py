"""The most similar pairs of all pairs of vertices with a common neighbor.

The candidates of most vertices are at the ends of ways of two hops (`ways.py`). A vertex from which very many ways
begin is compared with all vertices instead, by `intersect`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minigr.apps.similarity.pairs import Measured
from minigr.apps.similarity.rank import RankEnactor, RankProblem
from minigr.apps.similarity.ways import Ways, WaysProblem
from minigr.memory import require
from minigr.program.frontier import Frontier

Found = tuple[Any, Any, Any]
"""Pairs by their ends, and their scores."""


def best_of_all(of: Measured, chosen: Any, k: int) -> Found:
    """The `k` best pairs with a chosen vertex, the best first; among equal scores, those with the least ends."""
    device, ways = of.graph._device, Ways(of, chosen, True)
    best = tuple(device.empty(0, kind) for kind in (np.int32, np.int32, np.float64))
    for _ in ways.chunks():
        best = _best(of, [best, _candidates(ways.problem)], k)
        ways.problem.least = float(best[2][k - 1]) if len(best[2]) == k else 0.0
    for found in _of_left_out(of, ways, chosen, True):
        best = _best(of, [best, found], k)
    return best


def best_of_each(of: Measured, chosen: Any, k: int) -> Found:
    """The `k` best pairs of each chosen vertex, the best first; among equal scores, those with the least other end."""
    device, ways = of.graph._device, Ways(of, chosen, False)
    xp, problem, vertices = device.xp, ways.problem, device.xp.flatnonzero(chosen)
    k = min(k, of.graph.num_vertices, max(of.graph.max_degree() ** 2, 1))
    require(device, 12 * len(vertices) * k, f"the {k:,} best of {len(vertices):,} vertices")
    best, best_score = device.full(len(vertices) * k, -1, np.int32), device.full(len(vertices) * k, 0, np.float64)
    shared = {name: getattr(problem, name) for name in ("candidates", "other", "score")}
    place = chosen.astype(np.int64)
    xp.cumsum(place, out=place)
    place -= 1
    rank = RankProblem(problem.graph, **shared, place=place, best=best, best_score=best_score, k=k)
    enactor = RankEnactor(problem.graph, problem=rank, max_iterations=k)
    for some in ways.chunks():
        enactor.run(some)
    for src, dst, score in _of_left_out(of, ways, chosen, False):
        src, dst, score = _best(of, [(src, dst, score)], k)
        first = int(place[src[0]]) * k if len(src) else 0
        best[first : first + len(dst)], best_score[first : first + len(dst)] = dst, score
    found = xp.flatnonzero(best >= 0)
    return vertices[found // k].astype(np.int32), best[found], best_score[found]


def _candidates(problem: WaysProblem) -> Found:
    device, graph = problem.device, problem.graph
    at = device.xp.flatnonzero(problem.other >= 0)
    src = device.xp.searchsorted(graph.offsets, at, side="right") - 1
    return src.astype(np.int32), problem.other[at], problem.score[at]


def _best(of: Measured, found: list[Found], k: int) -> Found:
    """The `k` best pairs of several lists, sorted."""
    xp = of.graph._device.xp
    src, dst, score = (xp.concatenate(arrays) for arrays in zip(*found, strict=True))
    order = xp.argsort((src.astype(np.int64) << 32) | dst)
    order = order[xp.argsort(-score[order], kind="stable")[:k]]
    return src[order], dst[order], score[order]


def _of_left_out(of: Measured, ways: Ways, chosen: Any, once: bool) -> Iterator[Found]:
    """The candidates of each vertex in `left_out`."""
    device, least = of.graph._device, ways.problem.least
    everyone = device.xp.arange(of.graph.num_vertices, dtype=np.int32)
    for place in device.rounds(range(len(ways.left_out))):
        vertex = int(ways.left_out[place])
        pairs = Frontier.of_pairs(device.full(len(everyone), vertex, np.int32), everyone)
        score = of.of_pairs(pairs)
        mask = (score > 0) & (score >= least) & (everyone != vertex)
        if once:
            mask &= ~(chosen & (everyone < vertex))
        dst = everyone[mask]
        yield device.full(len(dst), vertex, np.int32), dst, score[mask]
