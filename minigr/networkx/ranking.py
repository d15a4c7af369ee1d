"""Ranks, by `minigr.pagerank` and `minigr.hits`: see the functions of the same names in NetworkX."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError
from minigr.networkx.graph import nonnegative
from minigr.networkx.refusal import CannotAnswer


def pagerank(
    G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight", dangling=None
) -> dict[Any, float]:
    if len(G) == 0:
        return {}
    jumps = None
    if personalization is not None:
        jumps = np.fromiter((personalization.get(node, 0) for node in G), np.float64, len(G))
        if jumps.sum() == 0:
            raise ZeroDivisionError("all personalization is 0")
        if not (np.isfinite(jumps).all() and (jumps >= 0).all()):
            raise CannotAnswer("personalization must be finite and at least 0")
    graph = nonnegative(G.graph(weight))
    try:
        result = mg.pagerank(graph, alpha, tol, max_iter, jumps, precision="double")
    except GraphError as error:
        raise CannotAnswer(str(error)) from error
    if not result.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return dict(zip(G, CPU.asarray(result.rank).tolist(), strict=True))


def hits(
    G, max_iter=100, tol=1.0e-8, nstart=None, normalized=True, *, method="power_iteration"
) -> tuple[dict[Any, float], dict[Any, float]]:
    if len(G) == 0:
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    found = mg.hits(nonnegative(G.graph("weight")), tol, max_iter)
    if not found.converged:
        raise CannotAnswer(f"hubs change by more than {tol} after {max_iter} iterations")
    hub, authority = CPU.asarray(found.hub), CPU.asarray(found.authority)
    if not hub.any():
        raise CannotAnswer("all weights are 0")
    return dict(zip(G, hub.tolist(), strict=True)), dict(zip(G, authority.tolist(), strict=True))
