"""Link prediction, by `minigr.operators.intersect` over pairs: see the functions of the same names in NetworkX."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.device import CPU, resolve
from minigr.networkx.graph import ConvertedGraph

_BATCH = 1 << 16  # pairs at a time

Pairs = Iterable[tuple[Any, Any]]


class _Links(mg.Problem):
    share = mg.vertex_field(np.float64)  # what a common neighbor adds to a score
    score = mg.array_field(np.float64)
    shared = mg.array_field(np.int64)


class _Score(mg.Functor):
    def apply_intersect(src, dst, common, idx, share, score):
        if common != src and common != dst:  # as they may be where there are self-loops
            mg.atomic_add(score, idx, share[common])

    def apply_count(idx, count, shared):
        shared[idx] = count


def resource_allocation_index(G, ebunch=None) -> Iterator[tuple[Any, Any, Any]]:
    return _predicted(G, ebunch, _by_degree(G, lambda degree: 1 / degree), _sums)


def adamic_adar_index(G, ebunch=None) -> Iterator[tuple[Any, Any, Any]]:
    return _predicted(G, ebunch, _by_degree(G, lambda degree: 1 / math.log(degree) if degree > 1 else math.inf), _sums)


def jaccard_coefficient(G, ebunch=None) -> Iterator[tuple[Any, Any, Any]]:
    lengths = np.diff(G.offsets)

    def shares(src: Any, dst: Any, score: Any, shared: Any) -> Iterator[Any]:
        either = lengths[src] + lengths[dst] - shared
        counts = zip(score.tolist(), either.tolist(), strict=True)
        return (common / total if total else 0 for common, total in counts)

    return _predicted(G, ebunch, np.ones(len(G)), shares)


def _by_degree(G: ConvertedGraph, share: Callable[[int], float]) -> Any:
    """What each node adds by its degree, to which a self-loop adds 2; 0 for those without neighbors."""
    loops = G.targets[G.targets == G.rows.sources]
    degrees, which = np.unique(np.diff(G.offsets) + np.bincount(loops, minlength=len(G)), return_inverse=True)
    return np.array([share(degree) if degree else 0.0 for degree in degrees.tolist()], np.float64)[which]


def _sums(src: Any, dst: Any, score: Any, shared: Any) -> Iterator[Any]:
    for total in score.tolist():
        if total == math.inf:  # the logarithm of the degree of a vertex and itself's only neighbor
            raise ZeroDivisionError("float division by zero")
        yield total or 0  # NetworkX has an int for the sum of none


def _predicted(G: ConvertedGraph, ebunch: Pairs | None, share: Any, values: Any) -> Iterator[tuple[Any, Any, Any]]:
    """``(u, v, value)`` for each pair; a missing node raises at once, and any other error later, as in NetworkX."""
    if ebunch is None:
        ebunch = _non_edges(G)
    else:
        for u, v in ebunch:
            for node in (u, v):
                if node not in G:
                    raise nx.NodeNotFound(f"Node {node} not in G.")
    return _in_batches(G, iter(ebunch), share, values)


def _in_batches(
    G: ConvertedGraph, pairs: Iterator[tuple[Any, Any]], share: Any, values: Any
) -> Iterator[tuple[Any, Any, Any]]:
    graph = G.graph()
    device = resolve(graph.device)
    share = device.asarray(share)
    while batch := list(islice(pairs, _BATCH)):
        ends = map(G.index.__getitem__, chain.from_iterable(batch))
        places = np.fromiter(ends, np.int32, 2 * len(batch)).reshape(-1, 2)
        score, shared = (device.full(len(batch), 0, dtype) for dtype in (np.float64, np.int64))
        problem = _Links(graph, share=share, score=score, shared=shared)
        mg.operators.intersect(problem, mg.Frontier.of_pairs(places), _Score)
        found = values(*places.T, CPU.asarray(score), CPU.asarray(shared))
        for (u, v), value in zip(batch, found, strict=True):
            yield u, v, value


def _non_edges(G: ConvertedGraph) -> Iterator[tuple[Any, Any]]:
    """The pairs that `networkx.non_edges` gives, in the same order: that of its sets."""
    nodes = set(G)
    while nodes:
        node = nodes.pop()
        place = G.index[node]
        neighbors = G.labels(G.targets[G.offsets[place] : G.offsets[place + 1]])
        for other in nodes - set(neighbors):
            yield node, other
