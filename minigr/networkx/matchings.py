"""Matchings: see the functions of the same names in NetworkX.

A maximal matching is found as NetworkX finds it, by a loop over the edges in its order, which decides what is matched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import entry


def maximal_matching(G) -> set[tuple[Any, Any]]:
    src, dst = G.rows.ends()
    taken = np.zeros(len(src), np.bool_)
    _take(src, dst, np.zeros(len(G), np.bool_), taken)
    return set(zip(G.labels(src[taken]), G.labels(dst[taken]), strict=True))


@entry
def _take(src, dst, matched, taken):
    """Each edge whose ends are not matched yet is `taken`."""
    for edge in range(src.size):
        u, v = src[edge], dst[edge]
        if u != v and not matched[u] and not matched[v]:
            matched[u], matched[v], taken[edge] = True, True, True
