"""Triangles and measures based on them, by `minigr.triangle_count`: see the functions of the same names in NetworkX."""

from __future__ import annotations

from typing import Any

import networkx as nx

import minigr as mg
from minigr.device import CPU
from minigr.networkx.graph import ConvertedGraph


def _at(G: ConvertedGraph, nodes: Any, values: list[Any]) -> Any:
    """The values of all nodes, the values of some nodes as a dict, or the value of one node."""
    if nodes is None:
        return dict(zip(G, values, strict=True))
    if nodes in G:
        return values[G.index[nodes]]
    return {node: values[G.index[node]] for node in G.nbunch_iter(nodes)}


def triangles(G, nodes=None) -> Any:
    if nodes is not None and G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")
    return _at(G, nodes, CPU.asarray(mg.triangle_count(G.graph(), per_vertex=True).per_vertex).tolist())


def _counted(G: ConvertedGraph) -> Any:
    if G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")
    return mg.triangle_count(G.graph(), clustering=True)


def clustering(G, nodes=None, weight=None) -> Any:
    found = CPU.asarray(_counted(G).clustering).tolist()
    return _at(G, nodes, [share or 0 for share in found])  # NetworkX returns an int for no triangles


def average_clustering(G, nodes=None, weight=None, count_zeros=True) -> float:
    shares = [share for share in clustering(G, nodes).values() if count_zeros or share > 0]
    return sum(shares) / len(shares)


def transitivity(G) -> float:
    return _counted(G).transitivity or 0
