"""Matchings: see the functions of the same names in NetworkX.

A maximal matching is found as in NetworkX, by a loop over the edges in NetworkX's order, which decides the matching.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.device import CPU
from minigr.errors import ProblemError
from minigr.jit.kernel import entry
from minigr.networkx.components import is_connected
from minigr.networkx.refusal import CannotAnswer


def maximal_matching(G) -> set[tuple[Any, Any]]:
    src, dst = G.rows.ends()
    taken = np.zeros(len(src), np.bool_)
    _take(src, dst, np.zeros(len(G), np.bool_), taken)
    return set(zip(G.labels(src[taken]), G.labels(dst[taken]), strict=True))


@entry
def _take(src, dst, matched, taken):
    """Put each edge whose ends are not matched yet in `taken`."""
    for edge in range(src.size):
        u, v = src[edge], dst[edge]
        if u != v and not matched[u] and not matched[v]:
            matched[u], matched[v], taken[edge] = True, True, True


def hopcroft_karp_matching(G, top_nodes=None) -> dict[Any, Any]:
    side = _sides_of(G, top_nodes)
    try:
        mate = CPU.asarray(mg.maximum_bipartite_matching(G.graph(), side).mate)
    except ProblemError as error:
        raise CannotAnswer(str(error)) from error
    matched = np.flatnonzero(mate >= 0)
    matched = matched[np.argsort(side[matched], kind="stable")]
    return dict(zip(G.labels(matched), G.labels(mate[matched]), strict=True))


def _sides_of(G: Any, top_nodes: Any) -> Any:
    """The side of each node, int32: 0 for the side whose edges are listed first, and 1 for the other side."""
    if top_nodes is None:
        if not is_connected(G):
            raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")
        found = mg.bipartite_sides(G.graph())
        if not found.bipartite:
            raise nx.NetworkXError("Graph is not bipartite.")
        return CPU.asarray(found.side)
    side = np.ones(len(G), np.int32)
    try:
        side[[G.index[node] for node in top_nodes]] = 0
    except KeyError as error:
        raise CannotAnswer(f"{error} of top_nodes is no node of the graph") from error
    return side
