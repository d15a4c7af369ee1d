"""Link prediction, by the sums of `minigr.similarity`: see the functions of the same names in NetworkX.

NetworkX counts self-loops in degrees, and counts a vertex with a self-loop among its own neighbors. The measures are
therefore computed here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.apps.similarity.pairs import count_common, sum_shares
from minigr.device import CPU, resolve
from minigr.networkx.graph import ConvertedGraph

_BATCH = 1 << 16  # pairs at a time

Pairs = Iterable[tuple[Any, Any]]
Values = Callable[[Any, Any, Any], Iterable[Any]]
"""Takes the places of the first and of the second nodes of pairs, and a frontier of the pairs."""


def resource_allocation_index(G, ebunch=None) -> Iterator[tuple[Any, Any, Any]]:
    return _predicted(G, ebunch, lambda: _sums(G, lambda degree: 1 / degree))


def adamic_adar_index(G, ebunch=None) -> Iterator[tuple[Any, Any, Any]]:
    return _predicted(G, ebunch, lambda: _sums(G, lambda degree: 1 / math.log(degree) if degree > 1 else math.inf))


def jaccard_coefficient(G, ebunch=None) -> Iterator[tuple[Any, Any, Any]]:
    return _predicted(G, ebunch, lambda: _jaccard(G))


def preferential_attachment(G, ebunch=None) -> Iterator[tuple[Any, Any, Any]]:
    return _predicted(G, ebunch, lambda: _products(G))


def _degrees(G: ConvertedGraph) -> Any:
    """The degrees, int64[nodes]. A self-loop adds 2 to the degree."""
    loops = G.targets[G.targets == G.rows.sources]
    return np.diff(G.offsets) + np.bincount(loops, minlength=len(G))


def _sums(G: ConvertedGraph, share: Callable[[int], float]) -> Values:
    """Sums over common neighbors of each neighbor's share, a function of its degree; never nodes without neighbors."""
    graph = G.graph()
    degrees, which = np.unique(_degrees(G), return_inverse=True)
    shares = np.array([share(degree) if degree else 0.0 for degree in degrees.tolist()], np.float64)[which]
    shares = resolve(graph.device).asarray(shares)

    def values(src: Any, dst: Any, pairs: mg.Frontier) -> Iterator[Any]:
        for total in CPU.asarray(sum_shares(graph, pairs, shares)).tolist():
            if total == math.inf:  # a neighbor of degree 1, for a pair of equal vertices
                raise ZeroDivisionError("float division by zero")
            yield total or 0  # NetworkX returns an int for an empty sum

    return values


def _jaccard(G: ConvertedGraph) -> Values:
    graph, lengths = G.graph(), np.diff(G.offsets)
    ones = resolve(graph.device).full(len(G), 1, np.float64)

    def values(src: Any, dst: Any, pairs: mg.Frontier) -> Iterator[Any]:
        shared = count_common(graph, pairs)
        common = sum_shares(graph, pairs, ones) if graph.num_self_loops else shared
        either = lengths[src] + lengths[dst] - CPU.asarray(shared)
        counts = zip(CPU.asarray(common).tolist(), either.tolist(), strict=True)
        return (both / total if total else 0 for both, total in counts)

    return values


def _products(G: ConvertedGraph) -> Values:
    degrees = _degrees(G)
    return lambda src, dst, pairs: (degrees[src] * degrees[dst]).tolist()


def _predicted(G: ConvertedGraph, ebunch: Pairs | None, values: Callable[[], Values]) -> Iterator[tuple[Any, Any, Any]]:
    """``(u, v, value)`` for each pair. A missing node raises at once, and other errors come later, as in NetworkX."""
    if ebunch is None:
        ebunch = _non_edges(G)
    else:
        for u, v in ebunch:
            for node in (u, v):
                if node not in G:
                    raise nx.NodeNotFound(f"Node {node} not in G.")
    return _in_batches(G, iter(ebunch), values)


def _in_batches(
    G: ConvertedGraph, pairs: Iterator[tuple[Any, Any]], values: Callable[[], Values]
) -> Iterator[tuple[Any, Any, Any]]:
    of_places = values()
    while batch := list(islice(pairs, _BATCH)):
        ends = map(G.index.__getitem__, chain.from_iterable(batch))
        places = np.fromiter(ends, np.int32, 2 * len(batch)).reshape(-1, 2)
        src, dst = places.T
        found = of_places(src, dst, mg.Frontier.of_pairs(places))
        for (u, v), value in zip(batch, found, strict=True):
            yield u, v, value


def _non_edges(G: ConvertedGraph) -> Iterator[tuple[Any, Any]]:
    """The pairs of `networkx.non_edges` in the same order, which is the order of its sets."""
    nodes = set(G)
    while nodes:
        node = nodes.pop()
        place = G.index[node]
        neighbors = G.labels(G.targets[G.offsets[place] : G.offsets[place + 1]])
        for other in nodes - set(neighbors):
            yield node, other
