"""Searches that add up weights, by `minigr.sssp`: see the functions of the same names in NetworkX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx

from minigr.networkx.graph import ConvertedGraph
from minigr.networkx.search import Search, length_between, require_sums, search


def reached(length: Any, target: Any) -> Any:
    """The distance of `target`; raises NetworkX's error for a missing path if it is None."""
    if length is None:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return length


def _from_each(G: ConvertedGraph, weight: Any, answer: Callable[[Search], Any]) -> Iterator[tuple[Any, Any]]:
    require_sums(G, weight)  # now, because no other backend is asked after the iterator is returned
    return ((node, answer(Search(G, node, weight=weight))) for node in G)


def single_source_dijkstra(G, source, target=None, cutoff=None, weight="weight") -> tuple[Any, Any]:
    found = search(G, source, weight=weight)
    if target is None:
        return found.lengths(cutoff), found.paths(cutoff)
    return reached(found.length_to(target, cutoff), target), found.path_to(target)


def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight") -> dict[Any, Any]:
    return search(G, source, weight=weight).lengths(cutoff)


def single_source_dijkstra_path(G, source, cutoff=None, weight="weight") -> dict[Any, list[Any]]:
    return search(G, source, weight=weight).paths(cutoff)


def dijkstra_path(G, source, target, weight="weight") -> list[Any]:
    return single_source_dijkstra(G, source, target, weight=weight)[1]


def dijkstra_path_length(G, source, target, weight="weight") -> Any:
    return reached(length_between(G, source, target, weight), target)


def dijkstra_predecessor_and_distance(G, source, cutoff=None, weight="weight") -> tuple[Any, Any]:
    found = search(G, source, weight=weight)
    return found.predecessors(cutoff), found.lengths(cutoff)


def _nearest(G: ConvertedGraph, sources: Any, weight: Any) -> Search:
    if not sources:
        raise ValueError("sources must not be empty")
    return search(G, *dict.fromkeys(sources), weight=weight)


def multi_source_dijkstra(G, sources, target=None, cutoff=None, weight="weight") -> tuple[Any, Any]:
    found = _nearest(G, sources, weight)
    if target is None:
        return found.lengths(cutoff), found.paths(cutoff)
    if target in sources:
        return 0, [target]
    return reached(found.length_to(target, cutoff), target), found.path_to(target)


def multi_source_dijkstra_path(G, sources, cutoff=None, weight="weight") -> dict[Any, list[Any]]:
    return _nearest(G, sources, weight).paths(cutoff)


def multi_source_dijkstra_path_length(G, sources, cutoff=None, weight="weight") -> dict[Any, Any]:
    return _nearest(G, sources, weight).lengths(cutoff)


def all_pairs_dijkstra(G, cutoff=None, weight="weight") -> Iterator[tuple[Any, tuple[Any, Any]]]:
    return _from_each(G, weight, lambda found: (found.lengths(cutoff), found.paths(cutoff)))


def all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight") -> Iterator[tuple[Any, dict[Any, Any]]]:
    return _from_each(G, weight, lambda found: found.lengths(cutoff))


def all_pairs_dijkstra_path(G, cutoff=None, weight="weight") -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    return _from_each(G, weight, lambda found: found.paths(cutoff))
