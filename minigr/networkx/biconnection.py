"""Bridges, articulation points and biconnected components: see the functions of the same names in NetworkX.

Parallel edges count as one edge, except for bridges, as in NetworkX.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import minigr as mg
from minigr.device import CPU


def biconnected_component_edges(G) -> Iterator[list[tuple[Any, Any]]]:
    from minigr.networkx.lowlinks import biconnected_order  # with Numba

    src, dst, ends, _ = biconnected_order(G)
    edges, begin = list(zip(G.labels(src), G.labels(dst), strict=True)), 0
    for end in ends.tolist():
        yield edges[begin:end]
        begin = end


def biconnected_components(G) -> Iterator[set[Any]]:
    for edges in biconnected_component_edges(G):
        yield {node for edge in edges for node in edge}


def articulation_points(G) -> Iterator[Any]:
    from minigr.networkx.lowlinks import biconnected_order  # with Numba

    yield from G.labels(biconnected_order(G)[3])


def is_biconnected(G) -> bool:
    graph = G.graph()
    src, dst = G.rows.ends()
    joined = len(np.unique(np.concatenate([src[src != dst], dst[src != dst]])))
    return joined == len(G) and mg.biconnected_components(graph).num_components == 1


def bridges(G, root=None) -> Iterator[tuple[Any, Any]]:
    found = mg.bridges(G.graph())
    src, dst = G.rows.ends()
    taken = np.isin(_pairs(G, src, dst), _pairs(G, CPU.asarray(found.src), CPU.asarray(found.dst)))
    yield from zip(G.labels(src[taken]), G.labels(dst[taken]), strict=True)


def _pairs(G: Any, src: Any, dst: Any) -> Any:
    return src.astype(np.int64) * len(G) + dst


def has_bridges(G, root=None) -> bool:
    return len(mg.bridges(G.graph()).edges) > 0
