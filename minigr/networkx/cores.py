"""Core numbers, by `minigr.core_number`: see the function of the same name in NetworkX."""

from __future__ import annotations

from typing import Any

import networkx as nx

import minigr as mg
from minigr.device import CPU


def core_number(G) -> dict[Any, int]:
    graph = G.graph()
    if graph.num_self_loops:
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; remove them with "
            "G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return dict(zip(G, CPU.asarray(mg.core_number(graph).core).tolist(), strict=True))
