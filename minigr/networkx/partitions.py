"""Partitions of high modularity, and measures of partitions: see the functions of the same names in NetworkX."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.community.quality import NotAPartition
from networkx.utils import create_py_random_state

import minigr as mg
from minigr.device import CPU
from minigr.networkx.graph import ConvertedGraph, nonnegative
from minigr.networkx.refusal import CannotAnswer


def louvain_communities(
    G, weight="weight", resolution=1, threshold=0.0000001, max_level=None, seed=None
) -> list[set[Any]]:
    return _last(louvain_partitions(G, weight, resolution, threshold, seed), max_level)


def louvain_partitions(G, weight="weight", resolution=1, threshold=0.0000001, seed=None) -> Iterator[list[set[Any]]]:
    found = mg.louvain(nonnegative(G.graph(weight)), _resolution(resolution), _drawn(seed), threshold)
    return _levels(G, found)


def leiden_communities(
    G, weight="weight", resolution=1, max_level=None, seed=None, metric="cpm", theta=0.01
) -> list[set[Any]]:
    return _last(leiden_partitions(G, weight, resolution, seed), max_level)


def leiden_partitions(
    G, weight="weight", resolution=1, seed=None, metric="cpm", theta=0.01
) -> Iterator[list[set[Any]]]:
    found = mg.leiden(nonnegative(G.graph(weight)), _resolution(resolution), _drawn(seed))
    return _levels(G, found)


def modularity(G, communities, weight="weight", resolution=1) -> float:
    communities = list(communities)
    label = _label(G, communities)
    if label is None:
        raise NotAPartition(G, communities)
    found = mg.modularity(nonnegative(G.graph(weight)), label, _resolution(resolution))
    if math.isnan(found):
        raise ZeroDivisionError("modularity: the weights sum to 0")  # as in NetworkX
    return found


def partition_quality(G, partition) -> tuple[float, float]:
    label = _label(G, list(partition))
    if label is None:
        raise nx.NetworkXError("`partition` is not a valid partition of the nodes of G")
    coverage, performance = mg.partition_quality(G.graph(), label)
    if G.is_multigraph():
        performance = -1.0
    if math.isnan(coverage) or math.isnan(performance):
        raise ZeroDivisionError("partition_quality: the graph has no edges, or a single node")  # as in NetworkX
    return coverage, performance


def _last(partitions: Iterator[list[set[Any]]], max_level: int | None) -> list[set[Any]]:
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")
    some = list(partitions)
    return some[-1 if max_level is None else min(max_level, len(some)) - 1]


def _levels(G: ConvertedGraph, found: Any) -> Iterator[list[set[Any]]]:
    if not found.converged:
        raise CannotAnswer("moves didn't come to an end")
    return (list(G.groups(CPU.asarray(label))) for label in found.levels)


def _drawn(seed: Any) -> int:
    return create_py_random_state(seed).getrandbits(63)  # Python's own state, so that random.seed() decides


def _resolution(resolution: Any) -> float:
    if not 0 <= resolution < math.inf:
        raise CannotAnswer(f"resolution {resolution} is not finite and at least 0")
    return float(resolution)


def _label(G: ConvertedGraph, communities: Any) -> Any:
    """The number of each node's community, by place; None unless each node is in exactly one community."""
    nodes = [node for community in communities for node in community]
    if len(nodes) != len(G) or not all(node in G for node in nodes):
        return None
    label = np.full(len(G), -1)
    label[[G.index[node] for node in nodes]] = np.repeat(np.arange(len(communities)), list(map(len, communities)))
    return None if (label < 0).any() else label
