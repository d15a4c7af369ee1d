"""Correlations of degrees: see the functions of the same names in NetworkX."""

from __future__ import annotations

import math
from typing import Any

import minigr as mg
from minigr.device import CPU
from minigr.networkx.graph import ConvertedGraph
from minigr.networkx.refusal import CannotAnswer


def degree_assortativity_coefficient(G, x="out", y="in", weight=None, nodes=None) -> float:
    found = mg.degree_assortativity(G.graph(), x, y).coefficient
    if math.isnan(found):
        raise CannotAnswer(
            "all ends of edges have the same degree, so NetworkX's answer depends on how sums are rounded"
        )
    return found


def average_neighbor_degree(G, source="out", target="out", nodes=None, weight=None) -> dict[Any, float]:
    found = mg.degree_assortativity(_without_loops(G), head=target).average_neighbor_degree
    return dict(zip(G, CPU.asarray(found).tolist(), strict=True))


def rich_club_coefficient(G, normalized=True, Q=100, seed=None, *, n_samples=1) -> dict[int, float]:
    found = mg.rich_club_coefficient(_without_loops(G))
    return dict(enumerate(CPU.asarray(found.coefficient).tolist())) if len(G.targets) else {}


def _without_loops(G: ConvertedGraph) -> Any:
    graph = G.graph()
    if graph.num_self_loops:
        raise CannotAnswer("a self-loop counts twice in a degree, but once among the neighbors")
    return graph
