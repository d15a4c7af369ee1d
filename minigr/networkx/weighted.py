"""Searches that add up weights, by `minigr.sssp`: see the functions of the same names in NetworkX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx

from minigr.networkx.search import Search, search


def _reached(found: Search, target: Any, cutoff: Any = None) -> Any:
    """The distance of `target`, or the error that says there is no path."""
    length = found.length_to(target, cutoff)
    if length is None:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return length


def single_source_dijkstra(G, source, target=None, cutoff=None, weight="weight") -> tuple[Any, Any]:
    found = search(G, source, weight)
    if target is None:
        return found.lengths(cutoff), found.paths(cutoff)
    return _reached(found, target, cutoff), found.path_to(target)


def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight") -> dict[Any, Any]:
    return search(G, source, weight).lengths(cutoff)


def single_source_dijkstra_path(G, source, cutoff=None, weight="weight") -> dict[Any, list[Any]]:
    return search(G, source, weight).paths(cutoff)


def dijkstra_path(G, source, target, weight="weight") -> list[Any]:
    return single_source_dijkstra(G, source, target, weight=weight)[1]


def dijkstra_path_length(G, source, target, weight="weight") -> Any:
    return _reached(search(G, source, weight), target)


# Without negative weights Bellman-Ford's distances are Dijkstra's.
bellman_ford_path_length = dijkstra_path_length


def dijkstra_predecessor_and_distance(G, source, cutoff=None, weight="weight") -> tuple[Any, Any]:
    found = search(G, source, weight)
    return found.predecessors(cutoff), found.lengths(cutoff)


def all_pairs_dijkstra(G, cutoff=None, weight="weight") -> Iterator[tuple[Any, tuple[Any, Any]]]:
    for node in G:
        yield node, single_source_dijkstra(G, node, cutoff=cutoff, weight=weight)


def all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight") -> Iterator[tuple[Any, dict[Any, Any]]]:
    for node in G:
        yield node, Search(G, node, weight).lengths(cutoff)


def all_pairs_dijkstra_path(G, cutoff=None, weight="weight") -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    for node in G:
        yield node, Search(G, node, weight).paths(cutoff)


def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra") -> Any:
    if source is None and target is None:
        return all_pairs_dijkstra_path_length(G, weight=weight)
    if source is None or target is None:
        return search(G, target if source is None else source, weight).lengths()
    return dijkstra_path_length(G, source, target, weight)


def shortest_path(G, source=None, target=None, weight=None, method="dijkstra") -> Any:
    return search(G, target if source is None else source, weight).paths(reverse=source is None)
