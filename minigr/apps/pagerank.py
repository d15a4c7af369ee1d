"""PageRank by power iteration, as NetworkX defines it.

Page, Brin, Motwani, Winograd, The PageRank Citation Ranking (1999). The rank of vertices without out-edges goes to all
vertices by the teleport distribution; the error is the L1 norm of the change, compared with vertices times `tol`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common import require, require_nonnegative_weights
from minigr.apps.personalization import teleport_distribution
from minigr.enactor.control import Stop
from minigr.enactor.enactor import Enactor
from minigr.enactor.problem import Problem, parameter, scalar_field, vertex_field
from minigr.enactor.trace import Trace
from minigr.jit.functor import Functor
from minigr.operators import neighbor_reduce
from minigr.operators.frontier import Frontier, Handle


class PageRankProblem(Problem):
    rank = vertex_field(np.float64, fill=lambda graph: 1.0 / max(graph.num_vertices, 1))
    share = vertex_field(np.float64)  # what a vertex gives to each out-edge, per unit of weight
    out_weight = vertex_field(np.float64)
    teleport = vertex_field(np.float64, fill=lambda graph: 1.0 / max(graph.num_vertices, 1))
    dangling = scalar_field(np.float64)
    error = scalar_field(np.float64)
    damping = parameter(np.float64)
    tolerance = parameter(np.float64)


class Share(Functor):
    def apply(vertex, rank, share, out_weight):
        if out_weight[vertex] == 0.0:
            share[vertex] = 0.0
            return rank[vertex]
        share[vertex] = rank[vertex] / out_weight[vertex]
        return 0.0


class Gather(Functor):
    def map(src, share):
        return share[src]

    def apply_reduce(vertex, value, rank, teleport, dangling, damping):
        new = damping * (value + dangling * teleport[vertex]) + (1.0 - damping) * teleport[vertex]
        change = abs(new - rank[vertex])
        rank[vertex] = new
        return change

    def until(error, tolerance):
        return error < tolerance


class WeightedGather(Gather):
    def map(src, weight, share):
        return share[src] * weight


class Weight(Functor):
    def map(weight):
        return weight


class PageRankEnactor(Enactor, problem=PageRankProblem, functor=Gather):
    def step(self, frontier: Handle) -> None:
        self.compute(frontier, Share, into="dangling")
        gather = WeightedGather if self.graph.weighted else Gather
        self.neighbor_reduce(frontier, gather, direction="in", reduce="add", scalar="error")


@dataclass(frozen=True)
class PageRankResult:
    """Ranks, which sum to 1.

    Attributes
    ----------
    rank : float64 array, one for each vertex
    iterations : int
    converged : bool
        False if `max_iter` ended the iteration.
    trace : Trace or None
    """

    rank: Any
    iterations: int
    converged: bool
    trace: Trace | None


def pagerank(
    graph: Any,
    damping: float = 0.85,
    tol: float = 1e-6,
    max_iter: int = 100,
    personalization: Any = None,
    *,
    trace: bool = False,
    driver: str = "auto",
) -> PageRankResult:
    """PageRank; edge weights, where there are any, are the chances to follow an edge.

    Each iteration takes O(vertices + edges) work. On one device with the same number of workers the result is the same
    in every run.

    Parameters
    ----------
    damping : float
        Chance to follow an edge, from 0 up to but not including 1.
    tol : float
        Stop once the ranks change by less than vertices times `tol` (L1 norm).
    max_iter : int
    personalization : array or mapping, optional
        Where a jump leads: a weight of at least 0 for each vertex, or for those in the mapping.

    Raises
    ------
    GraphError
        For a negative or infinite edge weight.
    ProblemError
        For a parameter out of range.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.pagerank(mg.generate.star(3, device="cpu"))
    >>> result.rank.round(3), result.converged
    (array([0.486, 0.257, 0.257]), True)
    """
    require(0 <= damping < 1, f"pagerank: damping={damping} must be at least 0 and less than 1")
    require(tol > 0, f"pagerank: tol={tol} must be above 0")
    parameters = {"damping": damping, "tolerance": tol * graph.num_vertices}
    enactor = PageRankEnactor(graph, max_iterations=max_iter, trace=trace, driver=driver, **parameters)
    problem = enactor.problem
    if personalization is not None:
        problem.teleport = teleport_distribution(graph, personalization)
        problem.rank = problem.teleport
    if graph.weighted:
        require_nonnegative_weights(graph, "pagerank")
        neighbor_reduce(problem, Frontier.all_vertices(), Weight, reduce="add", into="out_weight")
    else:
        problem.out_weight = graph.out_degree()
    enactor.run()
    return PageRankResult(problem.rank, enactor.iterations, enactor.stopped is not Stop.BUDGET, enactor.trace)
