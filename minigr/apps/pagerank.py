"""PageRank by power iteration, as NetworkX defines it.

Page, Brin, Motwani, Winograd, The PageRank Citation Ranking (1999). The rank of vertices without out-edges goes to all
vertices by the teleport distribution; the error is the L1 norm of the change, compared with vertices times `tol`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common import require
from minigr.apps.transition import random_walk
from minigr.enactor.control import Stop
from minigr.enactor.enactor import Enactor
from minigr.enactor.problem import Problem, parameter, scalar_field, vertex_field
from minigr.enactor.trace import Trace
from minigr.jit.functor import Functor
from minigr.operators import compute
from minigr.operators.frontier import Frontier, Handle

_ENOUGH_FOR_SINGLE = 0.05  # of the ranks, which sum to 1: an accepted change that is far above single precision's


class PageRankProblem(Problem):
    rank = vertex_field(np.float64)
    # What a vertex gives to each out-edge, per unit of weight. Odd steps read `share` and write `next_share`, even ones
    # the other way round, so that ranks and shares need one pass.
    share = vertex_field(np.float64)
    next_share = vertex_field(np.float64)
    per_weight = vertex_field(np.float64)  # 1 over the weight of a vertex's out-edges; 0 where that is 0
    teleport = vertex_field(np.float64)
    uniform = parameter(np.float64)  # each vertex's chance of a jump; 0: it stands in `teleport`
    damping = parameter(np.float64)
    tolerance = parameter(np.float64)
    dangling = scalar_field(np.float64)
    error = scalar_field(np.float64)


class SingleShares(PageRankProblem):
    share = vertex_field(np.float32)
    next_share = vertex_field(np.float32)


class Start(Functor):
    def apply(vertex, rank, share, per_weight, teleport, uniform):
        first = uniform if uniform > 0.0 else teleport[vertex]
        rank[vertex] = first
        share[vertex] = first * per_weight[vertex]
        return first if per_weight[vertex] == 0.0 else 0.0


class Gather(Functor):
    def map(src, iteration, share, next_share):
        return (share if iteration & 1 else next_share)[src]

    def apply_reduce(
        vertex, value, iteration, rank, share, next_share, per_weight, teleport, uniform, damping, dangling
    ):
        jump, old, given = uniform if uniform > 0.0 else teleport[vertex], rank[vertex], per_weight[vertex]
        new = damping * (value + dangling * jump) + (1.0 - damping) * jump
        rank[vertex] = new
        target = next_share if iteration & 1 else share
        target[vertex] = new * given
        return abs(new - old), new if given == 0.0 else 0.0

    def until(error, tolerance):
        return error < tolerance


class WeightedGather(Gather):
    def map(src, weight, iteration, share, next_share):
        return (share if iteration & 1 else next_share)[src] * weight


class PageRankEnactor(Enactor, problem=PageRankProblem, functor=Gather):
    def step(self, frontier: Handle) -> None:
        gather = WeightedGather if self.graph.weighted else Gather
        self.neighbor_reduce(frontier, gather, direction="in", reduce="add", scalar=("error", "dangling"))


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


def check_parameters(algorithm: str, damping: float, tol: float) -> None:
    """Raise `ProblemError` for a parameter out of range."""
    require(0 <= damping < 1, f"{algorithm}: damping={damping} must be at least 0 and less than 1")
    require(tol > 0, f"{algorithm}: tol={tol} must be above 0")


def pagerank(
    graph: Any,
    damping: float = 0.85,
    tol: float = 1e-6,
    max_iter: int = 100,
    personalization: Any = None,
    *,
    precision: str = "auto",
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
    precision : {"auto", "single", "double"}
        Of what vertices hand to their neighbors; ranks and sums are in double precision always. Single moves less
        memory and each rank by up to 1e-7 of itself. ``"auto"`` takes it where the change that ends the iteration is
        above 0.05, which is far coarser.

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
    check_parameters("pagerank", damping, tol)
    require(precision in ("auto", "single", "double"), f"pagerank: precision={precision!r} is auto, single or double")
    walk, count = random_walk(graph, personalization, "pagerank"), graph.num_live_vertices
    single = precision == "single" or (precision == "auto" and tol * count >= _ENOUGH_FOR_SINGLE)
    personal = walk.jumps is not None
    parameters = {"uniform": 0.0 if personal else 1.0 / max(count, 1), "damping": damping, "tolerance": tol * count}
    # Without preferences `teleport` is not looked at: an array there is anyhow saves one.
    arrays = {"teleport": walk.jumps if personal else walk.chance, "per_weight": walk.chance}
    problem: Any = (SingleShares if single else PageRankProblem)(walk.graph, **parameters, **arrays)
    compute(problem, Frontier.all_vertices(), Start, into="dangling")
    enactor = PageRankEnactor(walk.graph, max_iterations=max_iter, trace=trace, driver=driver, problem=problem)
    enactor.run()
    converged = enactor.stopped is not Stop.BUDGET
    return PageRankResult(walk.as_given(problem.rank), enactor.iterations, converged, enactor.trace)
