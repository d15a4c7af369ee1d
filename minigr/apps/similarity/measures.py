"""Measures of similarity: the term of each common neighbor in a sum, and the formula that uses the sum.

The *norm* of a vertex is its degree. With weights, it is the sum of its weights, or the sum of their squares. A measure
is a formula of the sum over the common neighbors of two vertices, and of the norms of both vertices.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from minigr.apps.common.checks import require, require_nonnegative_weights, scale_of
from minigr.errors import GraphError
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.primitives.transform import transform
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

Shared = Literal["jaccard", "overlap", "sorensen", "cosine", "adamic_adar", "resource_allocation", "common_neighbors"]
"""Measures that are 0 for vertices without a common neighbor."""
Measure = Literal[
    "jaccard", "overlap", "sorensen", "cosine", "adamic_adar", "resource_allocation", "common_neighbors",
    "preferential_attachment",
]  # fmt: skip
_SUM, _JACCARD, _OVERLAP, _SORENSEN, COSINE, PRODUCT = range(6)
FORMULAS = {"jaccard": _JACCARD, "overlap": _OVERLAP, "sorensen": _SORENSEN, "cosine": COSINE}
"""The formulas of the measures that can use weights."""
OF_NORMS = "preferential_attachment"
OF_SHARES = "adamic_adar", "resource_allocation"


def formula_of(measure: str) -> int:
    """The number of the formula of a measure, for `value_of`."""
    return PRODUCT if measure == OF_NORMS else FORMULAS.get(measure, _SUM)


def value_of(formula, shared, a, b):
    """The measure of two vertices, from the sum over their common neighbors and the norms of both vertices."""
    below = 1.0
    if formula == PRODUCT:
        return a * b
    if formula == _JACCARD:
        below = a + b - shared
    elif formula == _OVERLAP:
        below = min(a, b)
    elif formula == _SORENSEN:
        below = 0.5 * (a + b)
    elif formula == COSINE:
        below = math.sqrt(a * b)
    return shared / below if below > 0.0 else 0.0


def share_of(i, degree, logarithm):
    """The term of vertex i as a common neighbor: the inverse of its degree, or of the logarithm of its degree."""
    if degree[i] == 0:
        return 0.0
    if not logarithm:
        return 1.0 / degree[i]
    return 1.0 / math.log(degree[i]) if degree[i] > 1 else math.inf


def shares_of(measure: str, degree: Any) -> Any:
    """float64[n]: the term of each vertex as a common neighbor; None if all terms are 1."""
    if measure not in OF_SHARES:
        return None
    return transform(share_of, degree=degree, logarithm=measure == "adamic_adar")


class NormProblem(Problem):
    weights = array_field(np.float64)
    norm = vertex_field(np.float64)
    squares = parameter(np.int32)


class Norm(Functor):
    def map(edge, weights, squares):
        return weights[edge] * weights[edge] if squares else weights[edge]


def scaled_weight(i, weights, scale):
    """Weight i times `scale`, in float64. CuPy would take a subnormal weight of float32 for 0."""
    return weights[i] * np.float64(scale)


def weighted_norms(graph: Any, measure: str) -> tuple[Any, Any]:
    """float64: the weights of a graph, scaled to at most 1, and the norms of its vertices by these weights."""
    weights = transform(scaled_weight, weights=graph.weights, scale=scale_of(graph))
    problem = NormProblem(graph, weights=weights, squares=measure == "cosine")
    neighbor_reduce(problem, Frontier.all_vertices(), Norm, reduce="add", into="norm")
    return weights, problem.norm


def check_weights(graph: Any, measure: str, name: str) -> None:
    """Check that weights can be used with a measure and a graph.

    Raises
    ------
    ProblemError
        For a measure that does not use weights.
    GraphError
        If the graph has no weights, a weight that is negative or infinite, directions, parallel edges or self-loops.
    """
    require(measure in FORMULAS, f"{name}: weighted=True goes with measure={' or '.join(map(repr, FORMULAS))}")
    require_nonnegative_weights(graph, name)
    if graph.directed or graph.num_self_loops or (graph.layout == "csr" and graph.has_parallel_edges):
        raise GraphError(
            f"{name}: weighted=True needs an undirected graph without parallel edges and self-loops, but {graph!r} is "
            "directed, or has some: leave out weighted=, or merge the edges"
        )
