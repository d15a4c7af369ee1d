"""Similarity of vertices: for all edges, for given pairs, and the most similar pairs of all.

Liben-Nowell, Kleinberg, The Link-Prediction Problem for Social Networks (JASIST 58, 2007) compare similarity measures.
Jaccard (Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901); Sørensen (Biologiske Skrifter 5, 1948);
Adamic, Adar, Friends and Neighbors on the Web (Social Networks 25, 2003); Zhou, Lü, Zhang, Predicting Missing Links via
Local Information (European Physical Journal B 71, 2009): resource allocation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from minigr.apps.common.checks import check_vertices, takes_graph
from minigr.apps.common.tables import EdgeTable
from minigr.apps.similarity.edges import sums_of_edges
from minigr.apps.similarity.measures import Measure, Shared, check_weights, formula_of
from minigr.apps.similarity.pairs import Measured, measured
from minigr.apps.similarity.top import best_of_all, best_of_each
from minigr.errors import ProblemError
from minigr.graphs.backend import scope
from minigr.graphs.checks import is_single, whole_number
from minigr.program.frontier import Frontier
from minigr.program.item_ids import require_below
from minigr.program.node import check_choice


@dataclass(frozen=True)
class SimilarityResult(EdgeTable, columns=("src", "dst", "score"), vertices=("src", "dst")):
    """Pairs of vertices and their similarity.

    Attributes
    ----------
    src, dst : int32 arrays, one element for each pair
        The vertices of the pair.
    score : float64 array, one element for each pair
        Value of the measure. Measures that are counts have whole numbers.
    """

    src: Any
    dst: Any
    score: Any


@takes_graph
def similarity(
    graph: Any, pairs: Any = None, *, measure: Measure = "jaccard", weighted: bool = False
) -> SimilarityResult:
    """Similarity of the vertices of each pair by their shared neighbors, for all edges or for given pairs.

    Directions, parallel edges and self-loops are ignored: N(v) is the set of the other vertices that have an edge to or
    from v, and d(v) is the size of N(v). With c common neighbors of two vertices u and v, the measures are

    =========================== =====================================================
    ``jaccard``                 c / (d(u) + d(v) - c)
    ``overlap``                 c / min(d(u), d(v))
    ``sorensen``                2 c / (d(u) + d(v)), which is Dice's coefficient, too
    ``cosine``                  c / sqrt(d(u) d(v)), which is Salton's index, too
    ``adamic_adar``             the sum of 1 / log d(w) over the common neighbors w
    ``resource_allocation``     the sum of 1 / d(w) over the common neighbors w
    ``common_neighbors``        c
    ``preferential_attachment`` d(u) d(v)
    =========================== =====================================================

    A measure of vertices without neighbors is 0. The first four and the last two measures are made of exact counts, so
    they are the same in every run on every device. The sums of ``adamic_adar`` and ``resource_allocation``, and sums of
    weights, differ from run to run by rounding on a GPU.

    For all edges, the work is O(m sqrt(m)), with the copy that `triangle_count` keeps, and the memory is about 40 bytes
    for each edge. For a given pair, the work is at most O(d(u) + d(v)). Given pairs need a copy of a graph that is
    directed, or has parallel edges or self-loops.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    pairs : array of shape (n, 2), sequence of pairs, or Frontier of pairs, optional
        Pairs of vertices, which need not be edges. A pair may appear more than once, and may consist of a vertex and
        itself. By default, all edges, each once.
    measure : {"jaccard", "overlap", "sorensen", "cosine", "adamic_adar", "resource_allocation", "common_neighbors", \
            "preferential_attachment"}
    weighted : bool
        Whether to compare weights, too. The graph must be undirected, without parallel edges and self-loops, and the
        measure one of the first four. The sum over common neighbors of the lesser of both weights replaces c, and the
        sum of the weights at v replaces d(v). For ``cosine``, the sum of the products replaces c, and the sum of the
        squares replaces d(v).

    Returns
    -------
    SimilarityResult
        Given pairs in their order; edges in the order of their ends, with ``src < dst``.

    Raises
    ------
    ProblemError
        If `measure` is unknown, or does not support weights and `weighted` is True; if `pairs` does not hold pairs, or
        holds a vertex that is not in the graph.
    GraphError
        If `pairs` holds a vertex that was deleted. By weight, if the graph has no weights, or has negative or infinite
        weights, directions, parallel edges or self-loops.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], device="cpu")
    >>> result = mg.similarity(g)
    >>> result.src, result.dst, result.score.round(2)
    (array([0, 0, 1, 2], dtype=int32), array([1, 2, 2, 3], dtype=int32), array([0.33, 0.25, 0.25, 0.  ]))
    >>> mg.similarity(g, [(0, 3), (1, 3)], measure="cosine").score.round(2)
    array([0.71, 0.71])
    """
    check_choice(measure, get_args(Measure), "similarity: measure")
    if weighted:
        check_weights(graph, measure, "similarity")
    with scope(graph._device):
        if pairs is None and not weighted:
            src, dst, shared, degree = sums_of_edges(graph, measure)
            of = Measured(graph, formula_of(measure), degree.astype(np.float64))
            return SimilarityResult(src, dst, of.values(shared, src, dst))
        of = measured(graph, measure, weighted)
        if pairs is None:
            src, dst, *_ = of.graph.to_edges()
            pairs = Frontier.of_pairs(src, dst)
        pairs = _as_pairs(graph, pairs)
        src, dst = pairs.pairs
        return SimilarityResult(src, dst, of.of_pairs(pairs))


@takes_graph
def most_similar(
    graph: Any,
    k: int,
    *,
    measure: Shared = "jaccard",
    vertices: Any = None,
    per_vertex: bool = False,
    weighted: bool = False,
) -> SimilarityResult:
    """The `k` most similar pairs of all vertices, or for each vertex the `k` most similar other vertices.

    The measures are those of `similarity`. Pairs that share no neighbor, and by weight pairs whose common neighbors all
    count 0, are left out; pairs of neighbors are not. Among equally similar pairs, the pairs of lesser vertices are
    taken. So the result is the same in every run, except if sums that differ by rounding are nearly equal.

    The work is that of all two-hop paths from `vertices`. Such paths are very many around hubs, and at most O(m) for
    each vertex. About 4 million paths are in memory at a time, at 24 bytes each, in addition to tables for each thread
    and 8 bytes for each arc. With `per_vertex`, each of the `k` pairs of each vertex takes 12 more bytes.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    k : int
        Number of pairs to find, at least 1.
    measure : {"jaccard", "overlap", "sorensen", "cosine", "adamic_adar", "resource_allocation", "common_neighbors"}
    vertices : int or sequence of int, optional
        Only pairs with one of these vertices, as ``src``, are compared. By default, all vertices; each pair then
        appears once, with ``src < dst``.
    per_vertex : bool
        Whether to find `k` pairs for each of the vertices. A pair then appears for both of its vertices, if it is among
        the best pairs of each.
    weighted : bool
        Whether to compare weights, too, as `similarity` does.

    Returns
    -------
    SimilarityResult
        The best pair first. With `per_vertex`, pairs are in the order of `src`, and the best pair of each vertex is
        first. There may be fewer than `k` pairs.

    Raises
    ------
    ProblemError
        If `measure` is unknown, or does not support weights and `weighted` is True.
    GraphError
        If `k` is not an integer of at least 1, or if one of `vertices` does not exist; by weight, as for `similarity`.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1, 1, 2], [2, 3, 2, 3, 4], device="cpu")
    >>> result = mg.most_similar(g, 2)
    >>> result.src, result.dst, result.score.round(2)
    (array([0, 2], dtype=int32), array([1, 3], dtype=int32), array([1.  , 0.67]))
    >>> mg.most_similar(g, 1, vertices=[3, 4], per_vertex=True).dst
    array([2, 0], dtype=int32)
    """
    check_choice(measure, get_args(Shared), "most_similar: measure")
    if weighted:
        check_weights(graph, measure, "most_similar")
    count = min(whole_number(k, "most_similar: k", 1, 2**63 - 1), max(graph.num_vertices**2, 1))
    with scope(graph._device):
        chosen = graph._device.full(graph.num_vertices, vertices is None, np.bool_)
        if vertices is not None:
            ids = check_vertices(graph, [vertices] if is_single(vertices) else vertices, "vertices")
            chosen[ids] = True
            graph._device.expect(chosen, len(ids))
        of = measured(graph, measure, weighted)
        if of.graph.layout != "csr":
            of = replace(of, graph=of.graph.to_graph())
        return SimilarityResult(*(best_of_each if per_vertex else best_of_all)(of, chosen, count))


def _as_pairs(graph: Any, given: Any) -> Frontier:
    """A frontier of pairs of vertices of the graph, on its device."""
    pairs = given if isinstance(given, Frontier) else Frontier.of_pairs(given, device=graph._device)
    if pairs.kind != "pairs":
        raise ProblemError(
            f"similarity takes a frontier of pairs, got one of {pairs.kind}: leave out pairs= for all edges"
        )
    for ends in pairs.pairs:
        require_below(ends, graph.num_vertices, "vertices")
        if graph.num_live_vertices < graph.num_vertices:
            check_vertices(graph, ends, "pairs")
    return pairs
