"""Eigenvector centrality by power iteration: the score of a vertex depends on the scores of its in-neighbors.

Bonacich, Factoring and Weighting Approaches to Status Scores and Clique Identification (Journal of Mathematical
Sociology 1972). The iteration uses the adjacency matrix plus a multiple of the identity. This sum has the same
eigenvectors, but it does not have two greatest eigenvalues of opposite signs, as the adjacency matrix of a bipartite
graph has.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigr.apps.common.checks import require, require_nonnegative_weights, require_numbers, scale_of, takes_parts
from minigr.apps.common.scores import IteratedScores
from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.operators.calls import compute
from minigr.operators.options import Balance
from minigr.program.control import Driver, Stop
from minigr.program.executor import Progress
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

_LEAST_SHIFT = 1e-150  # the least shift for weights of at most 1: its square is above 0 in float64


class EigenvectorProblem(Problem):
    score = vertex_field(np.float64)
    gathered = vertex_field(np.float64)  # the next `score` up to a factor
    squares = scalar_field(np.float64)  # the sum of the squares of `gathered`
    error = scalar_field(np.float64)
    tolerance = parameter(np.float64)
    scale = parameter(np.float64)  # the factor of weights
    shift = parameter(np.float64)  # the multiple of the identity, for scaled weights


class Gather(Functor):
    def map(src, score):
        return score[src]

    def apply_reduce(vertex, value, score, gathered, scale, shift):
        gathered[vertex] = shift * score[vertex] + value * scale
        return gathered[vertex] * gathered[vertex]


class WeightedGather(Gather):
    def map(src, weight, score, scale):
        return score[src] * (weight * scale)

    def apply_reduce(vertex, value, score, gathered, shift):
        gathered[vertex] = shift * score[vertex] + value
        return gathered[vertex] * gathered[vertex]


class Normalize(Functor):
    def apply(vertex, score, gathered, squares):
        old, score[vertex] = score[vertex], gathered[vertex] / math.sqrt(squares) if squares > 0.0 else 0.0
        return abs(score[vertex] - old)

    def until(error, tolerance):
        return error < tolerance


class EigenvectorEnactor(Enactor, problem=EigenvectorProblem, functor=Normalize, looks_at=("balance",)):
    balance: Balance = "auto"

    def step(self, frontier: Handle) -> None:
        gather = WeightedGather if self.graph.weighted else Gather
        how: Any = {"direction": "in", "reduce": "add", "dtype": np.float64, "balance": self.balance}
        self.neighbor_reduce(frontier, gather, scalar="squares", **how)
        self.compute(frontier, into="error")


@takes_parts
def eigenvector_centrality(
    graph: Any,
    tol: float = 1e-6,
    max_iter: int = 100,
    *,
    shift: float | None = None,
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> IteratedScores:
    """The eigenvector of the greatest eigenvalue: a score is proportional to the sum of the scores over all in-edges.

    If the graph has weights, an edge counts by its weight. For a directed graph, the result is the left eigenvector, as
    in NetworkX; use `graph.reverse()` for the right eigenvector. If several eigenvectors have the greatest eigenvalue,
    as is possible in a graph that is not strongly connected, the result is the mixture that the iteration reaches from
    equal scores. Each iteration takes O(vertices + edges) work. Memory is 16 bytes for each vertex. On a CPU, the
    result is the same in every run, with any number of threads.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    tol : float
        The iteration stops when the scores change by less than the number of vertices times `tol` (L1 norm).
    max_iter : int
        Maximum number of steps. A graph whose two greatest eigenvalues are close, such as a long path, needs far more
        steps than the default.
    shift : float, optional
        The multiple of a vertex's own score that is added to the sum over its in-edges, above 0. The shift changes the
        number of steps, but no eigenvector. By default, 1 without weights; with weights, a power of 2 near the greatest
        weight, so that scaling all weights changes nothing. NetworkX uses 1. If the shift is far above the greatest
        eigenvalue, each step changes the scores so little that `tol` ends the iteration early.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes the speed and the rounding.
    progress : callable, optional
        Called a few times a second with the number of finished steps and the maximum number of steps.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If an edge weight is negative or infinite, or if the graph is a directed `DynamicGraph` that keeps no in-edges.
    ProblemError
        If `tol` is not above 0. If `shift` is not above 0, is not finite, or is more than 150 orders of magnitude
        smaller than the greatest weight. If `balance` or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.eigenvector_centrality(mg.generate.path(4, device="cpu"))
    >>> result.score.round(2), result.converged
    (array([0.37, 0.6 , 0.6 , 0.37]), True)
    """
    require_numbers("eigenvector_centrality", tol=tol, shift=1.0 if shift is None else shift)
    require(tol > 0, f"eigenvector_centrality: tol={tol} must be above 0")
    if graph.weighted:
        require_nonnegative_weights(graph, "eigenvector_centrality")
    greatest = graph.weight_summary()[2] if graph.weighted else 0.5
    count, scale = max(graph.num_live_vertices, 1), scale_of(graph)
    own = math.ldexp(scale, math.frexp(greatest)[1]) if shift is None else shift * scale
    require(
        _LEAST_SHIFT <= own < math.inf,
        f"eigenvector_centrality: shift={shift} must be above 0, finite and near to the weights: leave out shift=",
    )
    factor = max(own, 1.0)  # only the ratio of shift and weights counts, so a large shift makes the weights smaller
    options: dict[str, Any] = {"max_iterations": max_iter, "progress": progress, "trace": trace, "driver": driver}
    enactor = EigenvectorEnactor(graph, **options, tolerance=tol * count, scale=scale / factor, shift=own / factor)
    enactor.balance = balance
    problem = enactor.problem
    problem.gathered, problem.squares = 1.0, float(count) ** 2  # so that all scores begin as 1 over their number
    compute(problem, Frontier.all_vertices(), Normalize, into="error")
    enactor.run()
    return IteratedScores(problem.score, enactor.iterations, enactor.stopped is not Stop.BUDGET, enactor.trace)
