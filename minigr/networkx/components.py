"""Connected components, by minigr's functions: see the functions of the same names in NetworkX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.device import CPU
from minigr.networkx.graph import ConvertedGraph


def _components(G: ConvertedGraph) -> Any:
    return mg.connected_components(G.graph())


def connected_components(G) -> Iterator[set[Any]]:
    yield from G.groups(CPU.asarray(_components(G).label))


def number_connected_components(G) -> int:
    return _components(G).num_components


def is_connected(G) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _components(G).num_components == 1


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected


def strongly_connected_components(G) -> Iterator[set[Any]]:
    from minigr.networkx.lowlinks import strong_order  # with Numba

    found, ends = strong_order(G)
    nodes, begin = G.labels(found), 0
    for end in ends.tolist():
        yield set(nodes[begin:end])
        begin = end


def number_strongly_connected_components(G) -> int:
    return mg.strongly_connected_components(G.graph()).num_components


def is_strongly_connected(G) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_strongly_connected_components(G) == 1


def is_bipartite(G) -> bool:
    return mg.bipartite_sides(G.graph()).bipartite


def node_connected_component(G, n) -> set[Any]:
    place = G.index[n]
    return set(G.labels(np.flatnonzero(CPU.asarray(mg.bfs(G.graph(), place).depth) >= 0)))
