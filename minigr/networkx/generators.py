"""Large graphs with the same edges as NetworkX's, converted: see the functions of the same names in NetworkX."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.graphs.networkx_rows import NetworkXRows
from minigr.networkx.graph import ConvertedGraph
from minigr.networkx.twister import Words


def _made(nodes: Any, src: Any, dst: Any, directed: bool = False) -> ConvertedGraph:
    """The graph to which different edges are added one by one."""
    from minigr.networkx.draws import rows  # with Numba

    return ConvertedGraph(NetworkXRows(nodes, *rows(len(nodes), src, dst, directed), None, directed))


def path_graph(n, create_using=None) -> ConvertedGraph:
    return _made(range(n), np.arange(n - 1), np.arange(1, n))


def cycle_graph(n, create_using=None) -> ConvertedGraph:
    return _made(range(n), np.arange(n), np.roll(np.arange(n), -1))


def star_graph(n, create_using=None) -> ConvertedGraph:
    return _made(range(n + 1), np.zeros(n, np.int64), np.arange(1, n + 1))


def complete_graph(n, create_using=None) -> ConvertedGraph:
    return _complete(n, directed=False)


def _complete(n: int, *, directed: bool) -> ConvertedGraph:
    src, dst = np.divmod(np.arange(n * n), n) if n else (np.empty(0, np.int64),) * 2
    chosen = src != dst if directed else src < dst
    return _made(range(n), src[chosen], dst[chosen], directed)


def grid_2d_graph(m, n, periodic=False, create_using=None) -> ConvertedGraph:
    place = np.arange(m * n).reshape(m, n)
    src = np.concatenate([place[1:].ravel(), place[:, 1:].ravel()])
    dst = np.concatenate([place[:-1].ravel(), place[:, :-1].ravel()])
    return _made([(i, j) for i in range(m) for j in range(n)], src, dst)


def gnm_random_graph(n, m, seed=None, directed=False, *, create_using=None) -> ConvertedGraph:
    from minigr.networkx.draws import random_edges

    directed = bool(directed)  # NetworkX asks no more of it than whether it is true
    if n > 1 and m >= (n * (n - 1) if directed else n * (n - 1) / 2):
        return _complete(n, directed=directed)
    with Words(seed) as words:
        return _made(range(n), *random_edges(words, n, m if n > 1 else 0, directed), directed)


def fast_gnp_random_graph(n, p, seed=None, directed=False, *, create_using=None) -> ConvertedGraph:
    from minigr.networkx.draws import skipping_edges

    directed, parts = bool(directed), []
    with Words(seed) as words:
        for _ in range(2 if directed else 1):
            parts.append(skipping_edges(words, n, p))
    (v, w), *rest = parts
    if rest:
        [(after, before)] = rest
        return _made(range(n), np.concatenate([w, after]), np.concatenate([v, before]), directed)
    return _made(range(n), v, w)
