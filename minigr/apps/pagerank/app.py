"""PageRank as NetworkX defines it.

Page, Brin, Motwani, Winograd, The PageRank Citation Ranking (1999). The rank of vertices without out-edges goes to all
vertices by the teleport distribution. The error is the L1 norm of the change, and is compared with the number of
vertices times `tol`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from minigr.apps.common.checks import require, require_numbers, takes_parts
from minigr.apps.common.tables import VertexTable
from minigr.apps.pagerank.pull import PageRankEnactor, PageRankProblem, SingleShares, first_shares
from minigr.apps.pagerank.push import PushEnactor, ResidualEnactor, ResidualProblem
from minigr.apps.pagerank.transition import random_walk
from minigr.operators.options import Balance
from minigr.program.control import Driver, Stop
from minigr.program.executor import Progress
from minigr.program.node import check_choice
from minigr.program.trace import Trace

COARSE = 0.05
"""A total change of the ranks. If `tol` accepts this much, single precision is enough: its error is far less."""
Method = Literal["pull", "push", "residual"]
Precision = Literal["auto", "single", "double"]
_ENACTORS: dict[Method, Any] = {"pull": PageRankEnactor, "push": PushEnactor, "residual": ResidualEnactor}


@dataclass(frozen=True)
class PageRankResult(VertexTable, columns=("rank",)):
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
    require_numbers(algorithm, damping=damping, tol=tol)
    require(0 <= damping < 1, f"{algorithm}: damping={damping} must be at least 0 and less than 1")
    require(tol > 0, f"{algorithm}: tol={tol} must be above 0")


@takes_parts
def pagerank(
    graph: Any,
    damping: float = 0.85,
    tol: float = 1e-6,
    max_iter: int = 100,
    personalization: Any = None,
    *,
    method: Method = "pull",
    precision: Precision = "auto",
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> PageRankResult:
    """PageRank; edge weights, if the graph has any, are the chances to follow an edge.

    Each iteration takes O(vertices + edges) work, except for ``method="residual"``. With ``method="pull"`` on a CPU,
    the result is the same in every run, with any number of threads.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    damping : float
        Chance to follow an edge, from 0 up to but not including 1.
    tol : float
        Stop when the ranks change by less than vertices times `tol` (L1 norm).
    max_iter : int
        Maximum number of steps.
    personalization : array or mapping, optional
        Distribution of the targets of jumps: a weight of at least 0 for each vertex, or for the vertices in the
        mapping.
    method : {"pull", "push", "residual"}
        With ``"pull"``, vertices gather from their in-neighbors. With ``"push"``, vertices add to their out-neighbors,
        which needs no in-edges. With ``"residual"``, a vertex adds to its out-neighbors only if the vertex received
        more than ``(1 - damping) * tol`` since it last did so. The total that is left at the end is less than vertices
        times `tol`, like the last change with the other methods.
    precision : {"auto", "single", "double"}
        Precision of the values that vertices pass to their neighbors in a pull; ranks and sums are always in double
        precision. Single precision moves less memory, and changes each rank by up to 1e-7 of its value. ``"auto"``
        selects single precision if the change that ends the iteration is at least 0.05, which is far coarser than this
        rounding. If weights are so large or small that single precision would lose ranks, ``"auto"`` selects double
        precision.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes the speed and the rounding.
    progress : callable, optional
        Function that is called a few times a second with the number of steps done and the maximum number of steps.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If an edge weight is negative or infinite, or if weights are so large or small that float64 cannot hold the sum
        of the weights at a vertex, or 1 over the sum.
    ProblemError
        If a parameter is out of range, if `method`, `precision`, `balance` or `driver` is unknown, or if single
        precision is requested with another method than ``"pull"`` or is too little for the weights.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.pagerank(mg.generate.star(3, device="cpu"))
    >>> result.rank.round(3), result.converged
    (array([0.486, 0.257, 0.257]), True)
    """
    check_parameters("pagerank", damping, tol)
    check_choice(method, get_args(Method), "pagerank: method")
    check_choice(precision, get_args(Precision), "pagerank: precision")
    pulls = method == "pull"
    require(pulls or precision != "single", f"pagerank: precision='single' is for method='pull', not {method!r}")
    walk, count = random_walk(graph, personalization, "pagerank"), graph.num_live_vertices
    require(
        precision != "single" or walk.single,
        "pagerank: with these weights precision='single' would lose ranks: use 'double', or divide the weights by "
        "their mean",
    )
    single = pulls and walk.single and (precision == "single" or (precision == "auto" and tol * count >= COARSE))
    fields: Any = ResidualProblem if method == "residual" else SingleShares if single else PageRankProblem
    personal = walk.jumps is not None
    tolerance = tol * (1.0 - damping) if method == "residual" else tol * count
    parameters = {"uniform": 0.0 if personal else 1.0 / max(count, 1), "damping": damping, "tolerance": tolerance}
    # Without preferences `teleport` is not read, so an array that exists already takes its place.
    arrays = {"teleport": walk.jumps if personal else walk.chance, "per_weight": walk.chance}
    if method != "residual":
        arrays["share"] = first_shares(walk.graph, walk.chance, np.float32 if single else np.float64)
    problem = fields(walk.graph, **parameters, **arrays)
    options: dict[str, Any] = {"max_iterations": max_iter, "progress": progress, "trace": trace, "driver": driver}
    enactor = _ENACTORS[method](walk.graph, **options, problem=problem)
    enactor.balance = balance
    enactor.run(*(() if method == "residual" else (walk.dead_ends,)))
    converged = enactor.stopped is not Stop.BUDGET
    return PageRankResult(walk.as_given(enactor.rank()), enactor.iterations, converged, enactor.trace)
