"""Centralities by hops, by minigr's functions of nearly the same names as those of NetworkX."""

from __future__ import annotations

from typing import Any

import networkx as nx

import minigr as mg
from minigr.device import CPU


def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None) -> dict[Any, float]:
    found = mg.betweenness_centrality(G.graph(), normalized=normalized, endpoints=endpoints)
    return dict(zip(G, CPU.asarray(found.score).tolist(), strict=True))


def closeness_centrality(G, u=None, distance=None, wf_improved=True) -> Any:
    if u is None:
        return dict(zip(G, CPU.asarray(mg.closeness_centrality(G.graph()).score).tolist(), strict=True))
    if u not in G:
        raise nx.NodeNotFound(f"Source {u} is not in G")
    place = G.index[u]
    return float(mg.closeness_centrality(G.graph(), [place]).score[place])


def harmonic_centrality(G, nbunch=None, distance=None, sources=None) -> dict[Any, float]:
    found = dict(zip(G, CPU.asarray(mg.harmonic_centrality(G.graph()).score).tolist(), strict=True))
    return {node: found[node] or 0 for node in set(G)}  # in NetworkX's order, which has an int for none
