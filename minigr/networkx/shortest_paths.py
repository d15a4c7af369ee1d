"""Shortest paths by hops or by weights, and measures based on them: see the functions of the same names in NetworkX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx

import minigr as mg
from minigr.apps.common.bits import TOGETHER
from minigr.device import CPU
from minigr.networkx import bellman_ford, unweighted, weighted
from minigr.networkx.graph import ConvertedGraph
from minigr.networkx.search import Search, search


def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra") -> Any:
    by_queue = weight is not None and method == "bellman-ford"
    if source is None and target is None:
        each = bellman_ford.all_pairs_bellman_ford_path_length if by_queue else weighted.all_pairs_dijkstra_path_length
        return each(G, weight=weight)
    if source is not None and target is not None:
        if weight is None:
            return weighted.reached(unweighted.hops_between(G, source, target), target)
        one = bellman_ford.bellman_ford_path_length if by_queue else weighted.dijkstra_path_length
        return one(G, source, target, weight)
    start = target if source is None else source
    if by_queue:
        return bellman_ford.single_source_bellman_ford_path_length(G, start, weight)
    return search(G, start, weight=weight).lengths()


def shortest_path(G, source=None, target=None, weight=None, method="dijkstra") -> Any:
    start = target if source is None else source
    if weight is None or method != "bellman-ford":
        return search(G, start, weight=weight).paths(reverse=source is None)
    if source is not None and target is not None:
        return bellman_ford.bellman_ford_path(G, source, target, weight)
    paths = bellman_ford.single_source_bellman_ford_path(G, start, weight)
    return {node: path[::-1] for node, path in paths.items()} if source is None else paths


def _lengths(G: ConvertedGraph, nodes: Any, weight: Any) -> Iterator[list[Any]]:
    """The distances from each of `nodes` to all nodes that it reaches; floats are in NetworkX's order."""
    if G.is_weighted(weight):
        for node in nodes:
            yield list(Search(G, node, weight=weight).lengths().values())
        return
    places = [G.index[node] for node in nodes]
    for first in range(0, len(places), TOGETHER):
        for row in CPU.asarray(mg.multi_source_bfs(G.graph(), places[first : first + TOGETHER]).depth):
            yield row[row >= 0].tolist()


def eccentricity(G, v=None, sp=None, weight=None) -> Any:
    if len(G) == 0:  # an error from NetworkX 3.7 on, and no error before
        return nx.eccentricity(nx.Graph(), v, backend="networkx")
    if v is None and _by_hops(G, weight):
        _require_connected(G)
        return dict(zip(G, CPU.asarray(mg.eccentricity(G.graph()).eccentricity).tolist(), strict=True))
    nodes = list(G.nbunch_iter(v))
    found = {}
    for node, lengths in zip(nodes, _lengths(G, nodes, weight), strict=True):
        if len(lengths) < len(G):
            reason = "the digraph is not strongly connected" if G.is_directed() else "the graph is not connected"
            raise nx.NetworkXError(f"Found infinite path length because {reason}")
        found[node] = max(lengths)
    return found[v] if v in G else found


def _by_hops(G: ConvertedGraph, weight: Any) -> bool:
    return not (G.is_directed() or G.is_weighted(weight))


def _require_connected(G: ConvertedGraph) -> None:
    if mg.connected_components(G.graph()).num_components > 1:
        raise nx.NetworkXError("Found infinite path length because the graph is not connected")


def diameter(G, e=None, usebounds=False, weight=None) -> Any:
    if len(G) == 0 or not _by_hops(G, weight):
        return max(eccentricity(G, weight=weight).values())
    _require_connected(G)
    return mg.diameter(G.graph()).lower


def radius(G, e=None, usebounds=False, weight=None) -> Any:
    return min(eccentricity(G, weight=weight).values())


def periphery(G, e=None, usebounds=False, weight=None) -> list[Any]:
    found = eccentricity(G, weight=weight)
    greatest = max(found.values())
    return [node for node, value in found.items() if value == greatest]


def average_shortest_path_length(G, weight=None, method=None) -> float:
    count = len(G)
    if count == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, so it has no average shortest path length")
    if count == 1:
        return 0
    total = 0
    for lengths in _lengths(G, G, None if method == "unweighted" else weight):
        if len(lengths) < count:
            raise nx.NetworkXError(f"Graph is not {'strongly ' if G.is_directed() else ''}connected.")
        total = sum(lengths, total)
    return total / (count * (count - 1))
