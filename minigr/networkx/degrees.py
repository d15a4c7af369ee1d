"""Degrees as shares of all other nodes: see the functions of the same names in NetworkX."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.networkx.graph import ConvertedGraph


def degrees(G: ConvertedGraph, *, inward: bool, outward: bool) -> Any:
    """The number of edges that begin, end, or do either at each node, int64[n]. A self-loop does both."""
    src, dst = G.rows.ends()
    begin, end = (np.bincount(ends, minlength=len(G)) for ends in (src, dst))
    return begin * outward + end * inward


def _shares(G: ConvertedGraph, count: Any) -> dict[Any, float]:
    if len(G) <= 1:
        return dict.fromkeys(G, 1)
    return dict(zip(G, (count * (1.0 / (len(G) - 1.0))).tolist(), strict=True))  # rounded as in NetworkX


def degree_centrality(G) -> dict[Any, float]:
    return _shares(G, degrees(G, inward=True, outward=True))


def in_degree_centrality(G) -> dict[Any, float]:
    return _shares(G, degrees(G, inward=True, outward=False))


def out_degree_centrality(G) -> dict[Any, float]:
    return _shares(G, degrees(G, inward=False, outward=True))
