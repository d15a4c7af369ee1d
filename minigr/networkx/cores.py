"""Cores and trusses, by `minigr.core_number` and `minigr.k_truss`: see the functions of the same names in NetworkX.

The functions that return graphs return NetworkX graphs, with all attributes.
"""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.device import CPU
from minigr.networkx.graph import ConvertedGraph


def _without_loops(G: ConvertedGraph) -> Any:
    graph = G.graph()
    if graph.num_self_loops:
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; remove them with "
            "G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return graph


def core_number(G) -> dict[Any, int]:
    graph = _without_loops(G)
    return dict(zip(G, CPU.asarray(mg.core_number(graph).core).tolist(), strict=True))


def _chosen(function: Any, G: ConvertedGraph, cores: dict[Any, int] | None, *k: Any) -> Any:
    """The result of NetworkX's `function` for core numbers, by default the core numbers from this module."""
    found = core_number(G) if cores is None else cores
    return function(G.networkx(), *k, core_number=found, backend="networkx")


def k_core(G, k=None, core_number=None) -> nx.Graph:
    return _chosen(nx.k_core, G, core_number, k)


def k_shell(G, k=None, core_number=None) -> nx.Graph:
    return _chosen(nx.k_shell, G, core_number, k)


def k_crust(G, k=None, core_number=None) -> nx.Graph:
    return _chosen(nx.k_crust, G, core_number, k)


def k_corona(G, k, core_number=None) -> nx.Graph:
    return _chosen(nx.k_corona, G, core_number, k)


def k_truss(G, k) -> nx.Graph:
    least = math.ceil(min(max(k, 2), len(G) + 2))  # bounds at which every edge, and no edge, is kept
    found = mg.k_truss(_without_loops(G), least)
    src, dst = G.rows.sources, G.targets
    ends = np.minimum(src, dst) * np.int64(len(G)) + np.maximum(src, dst)
    kept = np.isin(ends, CPU.asarray(found.src) * np.int64(len(G)) + CPU.asarray(found.dst))
    graph = G.networkx()
    rows, truss = dict(graph.adjacency()), graph.__class__()
    truss.graph.update(graph.graph)
    truss.add_nodes_from((node, graph.nodes[node]) for node in G.labels(np.unique(src[kept])))
    truss.add_edges_from((u, v, rows[u][v]) for u, v in zip(G.labels(src[kept]), G.labels(dst[kept]), strict=True))
    return truss
