"""Searches that count hops, by `minigr.bfs`: see the functions of the same names in NetworkX."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.device import CPU
from minigr.networkx.graph import ConvertedGraph
from minigr.networkx.search import Search, length_between, search

_VERSION = tuple(map(int, re.findall(r"\d+", nx.__version__)[:2]))  # of NetworkX: major and minor
_PREDECESSORS = "bfs_predecessors is deprecated by NetworkX 3.7: use ((v, u) for u, v in bfs_edges(...))"


def _present(G: ConvertedGraph, source: Any) -> Any:
    """`source`, for functions whose error for a missing node differs from that of `search`."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    return source


def _levels(cutoff: Any) -> Any:
    """The number of levels of a search that checks before each level whether `cutoff` is reached."""
    return None if cutoff is None else np.ceil(cutoff)


def bfs_edges(G, source, reverse=False, depth_limit=None, sort_neighbors=None) -> Iterator[tuple[Any, Any]]:
    yield from zip(*Search(G, _present(G, source)).tree(_levels(depth_limit)), strict=True)


def bfs_predecessors(G, source, depth_limit=None, sort_neighbors=None) -> Iterator[tuple[Any, Any]]:
    if _VERSION >= (3, 7):
        warnings.warn(_PREDECESSORS, DeprecationWarning, stacklevel=2)  # shown at the first request, as in NetworkX
    parents, nodes = Search(G, _present(G, source)).tree(_levels(depth_limit))
    yield from zip(nodes, parents, strict=True)


def bfs_successors(G, source, depth_limit=None, sort_neighbors=None) -> Iterator[tuple[Any, list[Any]]]:
    edges = list(bfs_edges(G, source, depth_limit=depth_limit))
    if not edges:
        yield source, []
    for parent, group in groupby(edges, itemgetter(0)):
        yield parent, [child for _, child in group]


def bfs_layers(G, sources) -> Iterator[list[Any]]:
    given = [sources] if sources in G else list(set(sources))  # NetworkX also takes them in this order
    for source in given:
        _present(G, source)
    if not given:
        return
    found = Search(G, *given)
    order = found.order()
    sizes = np.bincount(found.distance[order])
    for layer in np.split(order, np.cumsum(sizes)[:-1]):
        yield G.labels(layer)


def descendants_at_distance(G, source, distance) -> set[Any]:
    hops = Search(G, _present(G, source)).distance
    return set(G.labels(np.flatnonzero(hops == distance))) if distance >= 0 else set()


def descendants(G, source) -> set[Any]:
    return set(G.labels(np.flatnonzero(Search(G, _present(G, source)).distance > 0)))


def ancestors(G, source) -> set[Any]:
    depth = CPU.asarray(mg.bfs(G.reversed(), G.index[_present(G, source)]).depth)
    return set(G.labels(np.flatnonzero(depth > 0)))


def hops_between(G: ConvertedGraph, source: Any, target: Any) -> Any:
    """How many hops `target` is from `source`; None where it is out of reach.

    Raises
    ------
    networkx.NodeNotFound
        If one of them isn't there.
    """
    hops = length_between(G, source, target, missing="Source {} is not in G")
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return hops


def has_path(G, source, target) -> bool:
    return hops_between(G, source, target) is not None


def predecessor(G, source, target=None, cutoff=None, return_seen=None) -> Any:
    found = search(G, source, missing="Source {} not in G")
    limit = max(np.ceil(cutoff), 1) if cutoff else None  # this function checks after each level
    parents = found.predecessors(limit)
    if target is None:
        return (parents, found.lengths(limit)) if return_seen else parents
    seen = parents.get(target, [])
    if not return_seen:
        return seen
    return seen, found.length_to(target) if target in parents else -1


def single_source_shortest_path_length(G, source, cutoff=None) -> dict[Any, int]:
    return search(G, source, missing="Source {} is not in G").lengths(_levels(cutoff))


def single_target_shortest_path_length(G, target, cutoff=None) -> dict[Any, int]:
    return search(G, target, missing="Target {} is not in G").lengths(_levels(cutoff))


def all_pairs_shortest_path_length(G, cutoff=None) -> Iterator[tuple[Any, dict[Any, int]]]:
    for node in G:
        yield node, Search(G, node).lengths(_levels(cutoff))


def single_source_shortest_path(G, source, cutoff=None) -> dict[Any, list[Any]]:
    return search(G, source, missing="Source {} not in G").paths(_levels(cutoff))


def single_target_shortest_path(G, target, cutoff=None) -> dict[Any, list[Any]]:
    return search(G, target, missing="Target {} not in G").paths(_levels(cutoff), reverse=True)


def all_pairs_shortest_path(G, cutoff=None) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    for node in G:
        yield node, Search(G, node).paths(_levels(cutoff))
