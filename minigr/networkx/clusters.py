"""Triangles and what is made of them, by `minigr.triangle_count`: see the functions of the same names in NetworkX."""

from __future__ import annotations

from typing import Any

import networkx as nx

import minigr as mg
from minigr.device import CPU
from minigr.networkx.graph import ConvertedGraph


def triangles(G, nodes=None) -> dict[Any, int]:
    found = mg.triangle_count(G.graph(), per_vertex=True)
    return dict(zip(G, CPU.asarray(found.per_vertex).tolist(), strict=True))


def _counted(G: ConvertedGraph) -> Any:
    if G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")
    return mg.triangle_count(G.graph(), clustering=True)


def clustering(G, nodes=None, weight=None) -> dict[Any, float]:
    found = CPU.asarray(_counted(G).clustering).tolist()
    return dict(zip(G, (share or 0 for share in found), strict=True))  # NetworkX has an int for none


def average_clustering(G, nodes=None, weight=None, count_zeros=True) -> float:
    shares = [share for share in clustering(G).values() if count_zeros or share > 0]
    return sum(shares) / len(shares)


def transitivity(G) -> float:
    return _counted(G).transitivity or 0
