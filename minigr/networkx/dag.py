"""Directed acyclic graphs: see the functions of the same names in NetworkX."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.apps.longest_path import LongestPathResult
from minigr.device import CPU
from minigr.networkx.graph import ConvertedGraph
from minigr.networkx.refusal import CannotAnswer
from minigr.networkx.search import EXACT, is_whole


def is_directed_acyclic_graph(G) -> bool:
    return G.is_directed() and mg.topological_levels(G.graph()).acyclic


def dag_longest_path_length(G, weight="weight", default_weight=1) -> Any:
    if not is_directed_acyclic_graph(G):
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")
    G = G.where_missing(weight, default_weight)
    if not G.is_weighted(weight):
        each: Any = default_weight if weight is None else 1
        hops = int(mg.dag_longest_path(G.graph()).longest)
        return sum(repeat(each, hops)) if each > 0 else 0  # rounded as in NetworkX
    found = _by_weight(G, weight)
    if found.longest == 0:
        return 0  # the length of a path of one node, which is the first that NetworkX finds
    if not is_whole(G, weight):
        return found.longest
    if found.longest >= EXACT:
        raise CannotAnswer("a length is 2**53 or more")
    return int(found.longest)


def _by_weight(G: ConvertedGraph, weight: Any) -> LongestPathResult:
    graph = G.graph(weight)
    if graph.weight_dtype == np.float32:
        raise CannotAnswer("weights have 32 bits, and so would their sum")
    least, _, greatest = graph.weight_summary()
    if np.isinf(least) or np.isinf(greatest):
        raise CannotAnswer(f"weights go from {least} to {greatest}, but must be finite")
    return mg.dag_longest_path(graph, weighted=True)


def transitive_reduction(G) -> nx.DiGraph:
    if not is_directed_acyclic_graph(G):
        raise nx.NetworkXError("Directed Acyclic Graph required for transitive_reduction")
    found, reduced = mg.transitive_reduction(G.graph()), nx.DiGraph()
    reduced.add_nodes_from(G)
    reduced.add_edges_from(zip(*(G.labels(CPU.asarray(ends)) for ends in (found.src, found.dst)), strict=True))
    return reduced
