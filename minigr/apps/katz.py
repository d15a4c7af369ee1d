"""Katz centrality: the number of walks to a vertex, where shorter walks count more.

Katz, A New Status Index Derived from Sociometric Analysis (Psychometrika 1953). The sum over all walks is computed step
by step: each step adds the walks with one more edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.checks import require, require_nonnegative_weights, require_numbers, scale_of, takes_parts
from minigr.apps.common.scores import IteratedScores, to_unit_length
from minigr.apps.common.strength import sure_attenuation
from minigr.enactor.enactor import Enactor
from minigr.graphs.checks import is_single, readable
from minigr.jit.functor import Functor
from minigr.missing import refuse_masked
from minigr.operators.options import Balance
from minigr.program.control import Driver, Stop
from minigr.program.executor import Progress
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem


class KatzProblem(Problem):
    # Odd steps read `score` and write `next_score`, and even steps do the opposite.
    score = vertex_field(np.float64)
    next_score = vertex_field(np.float64)
    beta = vertex_field(np.float64)
    alpha = parameter(np.float64)  # divided by `scale`
    scale = parameter(np.float64)  # the factor of weights
    tolerance = parameter(np.float64)
    error = scalar_field(np.float64)


class Gather(Functor):
    def map(src, iteration, score, next_score):
        return (score if iteration & 1 else next_score)[src]

    def apply_reduce(vertex, value, iteration, score, next_score, beta, alpha):
        new = alpha * value + beta[vertex]
        if iteration & 1:
            old, next_score[vertex] = score[vertex], new
        else:
            old, score[vertex] = next_score[vertex], new
        return abs(new - old)

    def until(error, tolerance):
        return error < tolerance


class WeightedGather(Gather):
    def map(src, weight, iteration, score, next_score, scale):
        return (score if iteration & 1 else next_score)[src] * (weight * scale)


class KatzEnactor(Enactor, problem=KatzProblem, functor=Gather, looks_at=("balance",)):
    balance: Balance = "auto"

    def step(self, frontier: Handle) -> None:
        gather = WeightedGather if self.graph.weighted else Gather
        how: Any = {"direction": "in", "reduce": "add", "dtype": np.float64, "balance": self.balance}
        self.neighbor_reduce(frontier, gather, scalar="error", **how)


@takes_parts
def katz_centrality(
    graph: Any,
    alpha: float | None = None,
    beta: Any = 1.0,
    tol: float = 1e-6,
    max_iter: int = 1000,
    *,
    normalized: bool = True,
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> IteratedScores:
    """A score for each vertex: its own score, `beta`, plus `alpha` times the sum of the scores over all in-edges.

    A walk of k edges from vertex u to vertex v therefore adds ``alpha**k`` times the `beta` of u to the score of v. If
    the graph has weights, this product is multiplied by the weights of the walk's edges. In a directed graph, walks
    along the direction of edges count, as in NetworkX; use `graph.reverse()` for walks against the direction of edges.
    Each iteration takes O(vertices + edges) work. Memory is 24 bytes for each vertex. On a CPU, the result is the same
    in every run, with any number of threads.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    alpha : float, optional
        The factor for each edge of a walk, at least 0 and less than 1 over the greatest eigenvalue of the adjacency
        matrix. For a greater factor, long walks add more than short walks, no sum exists, and the result has not
        converged. By default, 0.9 over the greatest sum of the weights of a vertex's out-edges; without weights, 0.9
        over the greatest out-degree. The default is small enough for any graph. NetworkX uses 0.1.
    beta : float or array
        The own score of all vertices, or an array with the own score of each vertex.
    tol : float
        The iteration stops when the scores, before normalization, change by less than the number of vertices times
        `tol` (L1 norm).
    max_iter : int
        Maximum number of steps.
    normalized : bool
        Whether to scale the scores so that their squares sum to 1.
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
        If `alpha` is negative or infinite. If `tol` is not above 0. If `beta` is not finite, or is neither a number nor
        an array with one number for each vertex. If `balance` or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2], [1, 2, 3], directed=True, device="cpu")
    >>> mg.katz_centrality(g, alpha=0.5, normalized=False).score
    array([1.   , 1.5  , 1.75 , 1.875])
    """
    require_numbers("katz_centrality", tol=tol, alpha=0.0 if alpha is None else alpha)
    require(alpha is None or 0 <= alpha < np.inf, f"katz_centrality: alpha={alpha} must be at least 0 and finite")
    require(tol > 0, f"katz_centrality: tol={tol} must be above 0")
    refuse_masked(beta, "beta")
    count, alike = graph.num_vertices, is_single(beta)
    own = np.asarray(beta if alike else graph._device.host.asarray(readable(beta, "beta")), np.float64)
    require(
        alike or own.shape == (count,),
        f"katz_centrality: beta must be a number, or have one for each of {count} vertices, got shape {own.shape}",
    )
    require(bool(np.isfinite(own).all()), "katz_centrality: beta must be finite")
    if graph.weighted:
        require_nonnegative_weights(graph, "katz_centrality")
    scale = scale_of(graph)
    factor = sure_attenuation(graph, scale) if alpha is None else alpha / scale
    parameters = {"alpha": factor, "scale": scale, "tolerance": tol * graph.num_live_vertices}
    options: dict[str, Any] = {"max_iterations": max_iter, "progress": progress, "trace": trace, "driver": driver}
    enactor = KatzEnactor(graph, **options, **parameters)
    enactor.balance = balance
    enactor.problem.beta = float(own) if alike else graph._device.asarray(own)
    enactor.run()
    score = enactor.problem.next_score if enactor.iterations & 1 else enactor.problem.score
    if normalized:
        to_unit_length(graph, score, float(np.abs(own).max(initial=0.0)) or 1.0)
    return IteratedScores(score, enactor.iterations, enactor.stopped is not Stop.BUDGET, enactor.trace)
