"""Similarity of vertices: for all edges, for given pairs, and the most similar of all pairs.

Liben-Nowell, Kleinberg, The Link-Prediction Problem for Social Networks (JASIST 58, 2007) compare such measures.
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
from minigr.generate.finish import whole_number
from minigr.graphs.backend import scope
from minigr.program.frontier import Frontier
from minigr.program.item_ids import require_below
from minigr.program.node import check_choice


@dataclass(frozen=True)
class SimilarityResult(EdgeTable, columns=("src", "dst", "score"), vertices=("src", "dst")):
    """Pairs of vertices, and how similar they are.

    Attributes
    ----------
    src, dst : int32 arrays, one element for each pair
        Its vertices.
    score : float64 array, one element for each pair
        The measure. Measures that count are whole numbers.
    """

    src: Any
    dst: Any
    score: Any


@takes_graph
def similarity(
    graph: Any, pairs: Any = None, *, measure: Measure = "jaccard", weighted: bool = False
) -> SimilarityResult:
    """How similar the vertices of pairs are by the neighbors that they share: of all edges, or of given pairs.

    Directions, parallel edges and self-loops are no matter: N(v) is the set of the other vertices that have an edge to
    or from v, and d(v) their number. With c common neighbors of two vertices u and v, the measures are

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

    A measure of vertices without neighbors is 0. The first four and the last two are made of exact counts, so they are
    the same in every run on every device. The sums of ``adamic_adar`` and ``resource_allocation``, and those of
    weights, differ from run to run by rounding on a GPU.

    All edges take O(m sqrt(m)) work with what `triangle_count` keeps, and memory for some 40 bytes an edge. A pair
    takes O(d(u) + d(v)) at most. Of a graph that is directed, or has parallel edges or self-loops, pairs take a copy.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    pairs : array of shape (n, 2), sequence of pairs, or Frontier of pairs, optional
        Pairs of vertices, which need not be edges. A pair may be there more than once, and may be a vertex and itself.
        By default all edges, each once.
    measure : {"jaccard", "overlap", "sorensen", "cosine", "adamic_adar", "resource_allocation", "common_neighbors", \
            "preferential_attachment"}
    weighted : bool
        Compare weights, too, of an undirected graph without parallel edges and self-loops, by one of the first four
        measures. The sum of the lesser of both weights over common neighbors stands in place of c, and the sum of the
        weights around v in place of d(v); for ``cosine`` the sum of the products, and that of the squares.

    Returns
    -------
    SimilarityResult
        Of pairs in their order; of edges by their ends, ``src < dst``.

    Raises
    ------
    ProblemError
        For an unknown measure, or one that knows of no weights with `weighted`; for pairs that are none, or have a
        vertex that the graph doesn't have.
    GraphError
        By weight, if the graph has no weights, negative or infinite ones, directions, parallel edges or self-loops.

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
        pairs = _as_pairs(of.graph, pairs)
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
    """The `k` most similar pairs of all vertices, or for each vertex the `k` that are most similar to it.

    The measures are those of `similarity`. Pairs that share no neighbor are left out, neighbors are not. Of equally
    similar pairs those of lesser vertices are taken, so the result is the same in every run, except where sums that
    differ by rounding are nearly equal.

    Takes work for all ways of two hops from `vertices`, which are very many around hubs, O(m) at most for each vertex.
    Some 4 million ways are in memory at a time, for 24 bytes each, beside tables for each thread, and 8 bytes an arc;
    with `per_vertex` also 12 bytes for each of the `k` of each vertex.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    k : int
        At least 1.
    measure : {"jaccard", "overlap", "sorensen", "cosine", "adamic_adar", "resource_allocation", "common_neighbors"}
    vertices : int or sequence of int, optional
        Only pairs with one of these, which is ``src``. By default all; a pair is there once, ``src < dst``.
    per_vertex : bool
        Whether to find `k` for each of the vertices. A pair is then there from both of its vertices, if it is among
        the best of each.
    weighted : bool
        Compare weights, too, as `similarity` does.

    Returns
    -------
    SimilarityResult
        The best pair first; with `per_vertex` by `src`, and the best first for each. There may be fewer than `k`.

    Raises
    ------
    ProblemError
        For an unknown measure, or one that knows of no weights with `weighted`.
    GraphError
        If `k` is no whole number of at least 1, or one of `vertices` is not there; by weight as for `similarity`.

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
            ids = check_vertices(graph, [vertices] if np.ndim(vertices) == 0 else vertices, "vertices")
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
            f"similarity takes a frontier of pairs, got one of {pairs.kind}: leave it out for all edges of the graph"
        )
    for ends in pairs.pairs:
        require_below(ends, graph.num_vertices, "vertices")
    return pairs
