"""Spanning forests, by `minigr.minimum_spanning_forest`: see the functions of the same names in NetworkX.

Kruskal's algorithm takes edges by weight, and edges of equal weight in the order in which NetworkX lists them. The rank
of an edge in this order is used as its weight. The forest is then unique, and its edges come in this order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.device import CPU
from minigr.networkx.graph import ConvertedGraph
from minigr.networkx.refusal import CannotAnswer

_EXACT = 2**53  # ints up to this one are exact as doubles


def _forest(G: ConvertedGraph, weight: Any, *, minimum: bool) -> tuple[Any, Any]:
    """The ends of the edges that Kruskal's algorithm takes, as places, in the order of the algorithm."""
    src, dst = G.rows.ends()
    order = np.arange(len(src))
    weights = G.weights(weight)
    if weights is not None:
        values = weights.values
        if weights.mixed and len(values) and np.abs(values).max() >= _EXACT:
            raise CannotAnswer("an int of 2**53 or more among floats")
        falling = ~values if values.dtype.kind == "i" else -values
        order = np.argsort(values if minimum else falling, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    graph = mg.Graph.from_edges(src, dst, rank, num_vertices=len(G))
    taken = order[np.sort(CPU.asarray(graph.weights)[CPU.asarray(mg.minimum_spanning_forest(graph).edges)])]
    return src[taken], dst[taken]


def _edges(G: ConvertedGraph, weight: Any, data: bool, *, minimum: bool) -> Iterator[tuple[Any, ...]]:
    src, dst = _forest(G, weight, minimum=minimum)
    ends = zip(G.labels(src), G.labels(dst), strict=True)
    if not data:
        return iter(ends)
    rows = dict(G.networkx().adjacency())
    return ((u, v, rows[u][v]) for u, v in ends)


def minimum_spanning_edges(
    G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False
) -> Iterator[tuple[Any, ...]]:
    return _edges(G, weight, data, minimum=True)


def maximum_spanning_edges(
    G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False
) -> Iterator[tuple[Any, ...]]:
    return _edges(G, weight, data, minimum=False)


def _tree(G: ConvertedGraph, weight: Any, *, minimum: bool) -> nx.Graph:
    graph = G.networkx()
    tree = graph.__class__()
    tree.graph.update(graph.graph)
    tree.add_nodes_from(graph.nodes.items())
    tree.add_edges_from(_edges(G, weight, True, minimum=minimum))
    return tree


def minimum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False) -> nx.Graph:
    return _tree(G, weight, minimum=True)


def maximum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False) -> nx.Graph:
    return _tree(G, weight, minimum=False)
