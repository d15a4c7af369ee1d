"""Katz centrality: walks to a vertex, the shorter ones counting more.

Katz, A New Status Index Derived from Sociometric Analysis (Psychometrika 1953). The sum over all walks is found step by
step: each adds the walks that are one edge longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.checks import require, require_nonnegative_weights, scale_of, takes_parts
from minigr.apps.common.scores import IteratedScores, to_unit_length
from minigr.apps.common.strength import sure_attenuation
from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.operators.options import Balance
from minigr.program.control import Driver, Stop
from minigr.program.executor import Progress
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem


class KatzProblem(Problem):
    # Odd steps read `score` and write `next_score`, even ones the other way round.
    score = vertex_field(np.float64)
    next_score = vertex_field(np.float64)
    beta = vertex_field(np.float64)
    alpha = parameter(np.float64)  # over `scale`
    scale = parameter(np.float64)  # of weights
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
    """A score of its own for each vertex, and `alpha` times the scores over all in-edges.

    So a walk of k edges from one vertex to another adds ``alpha**k`` times the first one's `beta` to the score of the
    other, times the weights of its edges, where there are any. Of a directed graph walks along the edges count, as in
    NetworkX; take `graph.reverse()` for walks against them. Each iteration takes O(vertices + edges) work, and 24 bytes
    of memory for each vertex are taken. On a CPU the result is the same in every run, with any number of threads.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    alpha : float, optional
        At least 0, and less than 1 over the greatest eigenvalue of the adjacency matrix, because otherwise long walks
        add more than short ones and there is no sum: then the result has not converged. By default 0.9 over the
        greatest sum of weights at a vertex, of its out-edges, or over the greatest out-degree, which is small enough
        for any graph. NetworkX's is 0.1.
    beta : float or array
        The own score of all vertices, or of each.
    tol : float
        Stop once the scores change by less than vertices times `tol` (L1 norm), before they are normalized.
    max_iter : int
        Stop after so many steps.
    normalized : bool
        Divide the scores by a number, so that their squares sum to 1.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. It changes the speed, and the rounding.
    progress : callable, optional
        Called a few times a second with how many steps are done, and of how many at most.
    trace : bool
        Keep a table of the steps in ``result.trace``, as an `Enactor` does. Slower.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Raises
    ------
    GraphError
        For a negative or infinite edge weight, and for a directed `DynamicGraph` that keeps no in-edges.
    ProblemError
        If `alpha` is negative or infinite, `tol` not above 0, or `beta` not finite or not one number for each vertex;
        for an unknown balance or driver.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2], [1, 2, 3], directed=True, device="cpu")
    >>> mg.katz_centrality(g, alpha=0.5, normalized=False).score
    array([1.   , 1.5  , 1.75 , 1.875])
    """
    require(alpha is None or 0 <= alpha < np.inf, f"katz_centrality: alpha={alpha} must be at least 0 and finite")
    require(tol > 0, f"katz_centrality: tol={tol} must be above 0")
    count, alike = graph.num_vertices, np.ndim(beta) == 0
    own = np.asarray(beta if alike else graph._device.host.asarray(beta), np.float64)
    require(
        alike or own.shape == (count,),
        f"katz_centrality: beta must be a number, or one for each of {count} vertices, got shape {own.shape}",
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
