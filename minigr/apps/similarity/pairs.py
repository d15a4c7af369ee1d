"""Sums over the common neighbors of given pairs of vertices, by `intersect`, and measures of these pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.undirected import undirected
from minigr.apps.similarity.measures import COSINE, PRODUCT, formula_of, shares_of, value_of, weighted_norms
from minigr.graphs.backend import scope
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import intersect
from minigr.primitives.transform import transform
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class PairProblem(Problem):
    shared = array_field(np.float64)


class Count(Functor):
    def apply_count(idx, count, shared):
        shared[idx] = count


class ShareProblem(PairProblem):
    share = vertex_field(np.float64)


class SumOfShares(Functor):
    def apply_intersect(src, dst, common, idx, share, shared):
        if common != src and common != dst:  # with self-loops, a vertex of the pair may be a common neighbor
            atomic_add(shared, idx, share[common])


class WeightProblem(PairProblem):
    weights = array_field(np.float64)
    product = parameter(np.int32)


class SumOfWeights(Functor):
    def apply_intersect(idx, src_edge, dst_edge, weights, product, shared):
        a, b = weights[src_edge], weights[dst_edge]
        atomic_add(shared, idx, a * b if product else min(a, b))


def _sums(graph: Any, pairs: Frontier, problem: type[PairProblem], functor: type[Functor], **fields: Any) -> Any:
    shared = graph._device.full(len(pairs), 0, np.float64)
    intersect(problem(graph, shared=shared, **fields), pairs, functor)
    return shared


def count_common(graph: Any, pairs: Frontier) -> Any:
    """float64[pairs]: the number of common neighbors of each pair. With self-loops, the pair itself may be included."""
    return _sums(graph, pairs, PairProblem, Count)


def sum_shares(graph: Any, pairs: Frontier, share: Any) -> Any:
    """float64[pairs]: the sum of the shares of the common neighbors of each pair, without the pair itself."""
    return _sums(graph, pairs, ShareProblem, SumOfShares, share=share)


def value_of_pair(i, shared, src, dst, norm, formula):
    """The measure of pair i."""
    return value_of(formula, np.float64(shared[i]), norm[src[i]], norm[dst[i]])


@dataclass(frozen=True)
class Measured:
    """A simple undirected graph, and the data that a measure needs.

    Attributes
    ----------
    graph : Graph or DynamicGraph
    formula : int
    norm : float64[n]
    share : float64[n] or None
        The term of each vertex as a common neighbor; None if all terms are 1, or if weights are compared.
    weights : float64[arcs] or None
    """

    graph: Any
    formula: int
    norm: Any
    share: Any = None
    weights: Any = None

    def values(self, shared: Any, src: Any, dst: Any) -> Any:
        """float64[pairs]: the measure of pairs, from the sums over their common neighbors."""
        return transform(
            value_of_pair, count=len(src), shared=shared, src=src, dst=dst, norm=self.norm, formula=self.formula
        )

    def of_pairs(self, pairs: Frontier) -> Any:
        """float64[pairs]: the measure of the pairs of a frontier."""
        if self.weights is not None:
            product = self.formula == COSINE
            shared = _sums(self.graph, pairs, WeightProblem, SumOfWeights, weights=self.weights, product=product)
        elif self.formula == PRODUCT:
            shared = self.graph._device.full(len(pairs), 0, np.float64)
        elif self.share is not None:
            shared = sum_shares(self.graph, pairs, self.share)
        else:
            shared = count_common(self.graph, pairs)
        return self.values(shared, *pairs.pairs)


def measured(graph: Any, measure: str, weighted: bool) -> Measured:
    """The data that `measure` needs of a graph. If the graph is not simple and undirected, such a copy is made."""
    with scope(graph._device):
        if weighted:
            rows = graph if graph.layout == "csr" else graph.to_graph()
            weights, norm = weighted_norms(rows, measure)
            return Measured(rows, formula_of(measure), norm, None, weights)
        simple = undirected(graph, simple=True)[0]
        degree = simple.out_degree()
        return Measured(simple, formula_of(measure), degree.astype(np.float64), shares_of(measure, degree))
