"""Centralities, by minigr's functions of nearly the same names as those of NetworkX."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
from networkx.utils import create_py_random_state

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from minigr.networkx.graph import ConvertedGraph, nonnegative
from minigr.networkx.refusal import CannotAnswer
from minigr.networkx.search import EXACT


def _in_double(G: ConvertedGraph, weight: Any) -> bool:
    """Whether there are weights. They must be weights that both minigr and NetworkX add up as doubles."""
    weights = G.weights(weight)
    if weights is not None and weights.values.dtype == np.float32:
        raise CannotAnswer("NetworkX adds weights of 32 bits in 32 bits, but minigr's centralities add them in 64 bits")
    return weights is not None


def _with_exact_lengths(G: ConvertedGraph, weight: Any) -> bool:
    """As `_in_double`, where paths that are as long must be told from others: no sum of ints may be rounded."""
    weights = G.weights(weight)
    if weights is None:
        return False
    some_are_ints = weights.mixed or weights.values.dtype == np.int64
    if some_are_ints and weights.values.max().item() * len(G) >= EXACT:
        raise CannotAnswer("a distance could be an int of 2**53 or more")
    return _in_double(G, weight)


@cache
def _samples_are_scaled_alike() -> bool:
    """Whether NetworkX gives NaN as the centrality of a node that is the only sample, as from version 3.6 on."""
    found = nx.betweenness_centrality(nx.path_graph(3), k=1, seed=1, backend="networkx")
    return any(map(math.isnan, found.values()))


@cache
def _samples_of_edges_are_scaled_alike() -> bool:
    """Whether NetworkX scales the scores of edges from some nodes, as from version 3.6 on."""
    return nx.edge_betweenness_centrality(nx.path_graph(2), k=1, seed=1, backend="networkx")[0, 1] == 1.0


def _from_drawn(
    G: ConvertedGraph, k: int | None, seed: Any, are_scaled_alike: Callable[[], bool], find: Callable[[Any], Any]
) -> Any:
    """The result of `find` for k nodes, drawn as NetworkX draws them. If all nodes are used, `find` gets None."""
    state, sources = create_py_random_state(seed), None
    if k is not None:
        if not are_scaled_alike():
            raise CannotAnswer("this version of NetworkX scales results from a sample of nodes differently")
        drawn = deepcopy(state).sample(list(G), k)  # from a copy, because a refused call must not draw
        sources = [G.index[node] for node in drawn]
    try:
        found = find(sources)
    except GraphError as error:
        raise CannotAnswer(str(error)) from error
    if sources is not None:
        state.sample(list(G), k)
    return found


def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None) -> dict[Any, float]:
    weighted, graph = _with_exact_lengths(G, weight), nonnegative(G.simple(weight))
    how = {"weighted": weighted, "normalized": normalized, "endpoints": endpoints}
    count = None if k == len(G) else k  # NetworkX draws none of all nodes here, but for edges it does
    found = _from_drawn(
        G, count, seed, _samples_are_scaled_alike, lambda sources: mg.betweenness_centrality(graph, sources, **how)
    )
    return dict(zip(G, CPU.asarray(found.score).tolist(), strict=True))


def edge_betweenness_centrality(G, k=None, normalized=True, weight=None, seed=None) -> dict[tuple[Any, Any], float]:
    weighted, graph = _with_exact_lengths(G, weight), nonnegative(G.graph(weight))
    how = {"weighted": weighted, "normalized": normalized}
    alike = _samples_of_edges_are_scaled_alike
    found = _from_drawn(G, k, seed, alike, lambda sources: mg.edge_betweenness_centrality(graph, sources, **how))
    src, dst = (ends.astype(np.int64) for ends in G.rows.ends())
    ends = (src, dst) if G.is_directed() else (np.minimum(src, dst), np.maximum(src, dst))
    # `found` has edges in the order of their ends, and the result has them in NetworkX's order.
    there, here = (u * len(G) + v for u, v in ((CPU.asarray(found.src).astype(np.int64), CPU.asarray(found.dst)), ends))
    score = CPU.asarray(found.score)[np.searchsorted(there, here)].tolist()
    return dict(zip(zip(*map(G.labels, (src, dst)), strict=True), score, strict=True))


def closeness_centrality(G, u=None, distance=None, wf_improved=True, *, sp=None) -> Any:
    weighted, graph = _in_double(G, distance), nonnegative(G.graph(distance))
    if u is None:
        found = mg.closeness_centrality(graph, weighted=weighted).score
        return dict(zip(G, CPU.asarray(found).tolist(), strict=True))
    if u not in G:
        raise nx.NodeNotFound(f"Source {u} is not in G")
    place = G.index[u]
    return float(mg.closeness_centrality(graph, [place], weighted=weighted).score[place])


def harmonic_centrality(G, nbunch=None, distance=None, sources=None) -> dict[Any, float]:
    nodes = set(G.nbunch_iter(nbunch))  # NetworkX's result has the order of this set
    weighted, graph = _in_double(G, distance), nonnegative(G.graph(distance))
    places = [G.index[node] for node in nodes]
    found = CPU.asarray(mg.harmonic_centrality(graph, places, weighted=weighted).score)[places].tolist()
    return {node: score or 0 for node, score in zip(nodes, found, strict=True)}  # NetworkX returns an int for no paths


def _iterated(G: ConvertedGraph, weight: Any, max_iter: int, find: Callable[[Any], Any]) -> dict[Any, float]:
    _in_double(G, weight)
    try:
        found = find(nonnegative(G.graph(weight)))
    except ProblemError as error:
        raise CannotAnswer(str(error)) from error
    if not found.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return dict(zip(G, CPU.asarray(found.score).tolist(), strict=True))


def eigenvector_centrality(G, max_iter=100, tol=1e-6, nstart=None, weight=None) -> dict[Any, float]:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    return _iterated(G, weight, max_iter, lambda graph: mg.eigenvector_centrality(graph, tol, max_iter, shift=1.0))


def katz_centrality(
    G, alpha=0.1, beta=1.0, max_iter=1000, tol=1e-6, nstart=None, normalized=True, weight=None
) -> dict[Any, float]:
    if len(G) == 0:
        return {}
    try:
        own: Any = float(beta)
    except (TypeError, ValueError, AttributeError) as error:
        if set(beta) != set(G):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from error
        own = np.fromiter((beta[node] for node in G), np.float64, len(G))

    def find(graph: Any) -> Any:
        return mg.katz_centrality(graph, alpha, own, tol, max_iter, normalized=normalized)

    return _iterated(G, weight, max_iter, find)
