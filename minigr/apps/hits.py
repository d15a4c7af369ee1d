"""Hubs and authorities: HITS, by power iteration.

Kleinberg, Authoritative Sources in a Hyperlinked Environment (Journal of the ACM 46, 1999). A good hub has edges to
good authorities, and a good authority has edges from good hubs. Authority scores are the sums of hub scores over
in-edges, and hub scores are the sums of authority scores over out-edges. Both are scaled to a sum of 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import require, require_nonnegative_weights, require_numbers, scale_of, takes_parts
from minigr.apps.common.tables import VertexTable
from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.operators.options import Balance
from minigr.program.control import Driver, Stop
from minigr.program.executor import Progress
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem
from minigr.program.trace import Trace


class HITSProblem(Problem):
    hub = vertex_field(np.float64)
    authority = vertex_field(np.float64)
    gathered = vertex_field(np.float64)  # the next `hub` up to a factor
    authorities = scalar_field(np.float64)  # the sum of `authority` before it is scaled
    hubs = scalar_field(np.float64)  # the sum of `gathered`
    error = scalar_field(np.float64)
    tolerance = parameter(np.float64)
    scale = parameter(np.float64, default=1.0)  # the factor of weights


class Authority(Functor):
    def map(src, hub):
        return hub[src]

    def apply_reduce(value):
        return value


class WeightedAuthority(Authority):
    def map(src, weight, hub, scale):
        return hub[src] * (weight * scale)


class Hub(Functor):
    def map(dst, authority):
        return authority[dst]

    def apply_reduce(value):
        return value


class WeightedHub(Hub):
    def map(dst, weight, authority, scale):
        return authority[dst] * (weight * scale)


class Normalize(Functor):
    def apply(vertex, hub, authority, gathered, authorities, hubs):
        old, hub[vertex] = hub[vertex], gathered[vertex] / hubs if hubs > 0.0 else 0.0
        authority[vertex] = authority[vertex] / authorities if authorities > 0.0 else 0.0
        return abs(hub[vertex] - old)

    def until(error, tolerance):
        return error < tolerance


class HITSEnactor(Enactor, problem=HITSProblem, functor=Normalize, looks_at=("balance",)):
    balance: Balance = "auto"

    def step(self, frontier: Handle) -> None:
        inward, outward = (WeightedAuthority, WeightedHub) if self.graph.weighted else (Authority, Hub)
        how: Any = {"reduce": "add", "balance": self.balance}
        self.neighbor_reduce(frontier, inward, direction="in", into="authority", scalar="authorities", **how)
        self.neighbor_reduce(frontier, outward, into="gathered", scalar="hubs", **how)
        self.compute(frontier, into="error")


@dataclass(frozen=True)
class HITSResult(VertexTable, columns=("hub", "authority")):
    """Hub and authority scores.

    Attributes
    ----------
    hub, authority : float64 array, one for each vertex
        Each array sums to 1; all elements are 0 in a graph without edges.
    iterations : int
    converged : bool
        False if `max_iter` ended the iteration.
    trace : Trace or None
    """

    hub: Any
    authority: Any
    iterations: int
    converged: bool
    trace: Trace | None


@takes_parts
def hits(
    graph: Any,
    tol: float = 1e-8,
    max_iter: int = 100,
    *,
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> HITSResult:
    """Hub and authority scores of HITS; if the graph has weights, an edge counts by its weight.

    The scores are the left and right singular vectors of the adjacency matrix for its greatest singular value, as in
    NetworkX. All weights may be very large or very small. If several singular vectors have the greatest singular value,
    as in a directed path and in some graphs of several parts, the result is the mixture that the iteration reaches from
    equal hubs. Each iteration takes O(vertices + edges) work. On a CPU, the result is the same in every run, with any
    number of threads. Memory is 24 bytes for each vertex.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    tol : float
        The iteration stops when the hub scores change by less than `tol` in total (L1 norm).
    max_iter : int
        Maximum number of steps.
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
        If `tol` is not above 0, or `balance` or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1], [2, 3, 3], directed=True, device="cpu")
    >>> result = mg.hits(g)
    >>> result.hub.round(3), result.authority.round(3)
    (array([0.618, 0.382, 0.   , 0.   ]), array([0.   , 0.   , 0.382, 0.618]))
    """
    require_numbers("hits", tol=tol)
    require(tol > 0, f"hits: tol={tol} must be above 0")
    if graph.weighted:
        require_nonnegative_weights(graph, "hits")
    options: dict[str, Any] = {"max_iterations": max_iter, "progress": progress, "trace": trace, "driver": driver}
    enactor = HITSEnactor(graph, **options, tolerance=tol, scale=scale_of(graph))
    enactor.balance = balance
    problem = enactor.problem
    problem.hub[Frontier.all_vertices().vertices_on(graph)] = 1.0 / max(graph.num_live_vertices, 1)
    enactor.run()
    converged = enactor.stopped is not Stop.BUDGET
    return HITSResult(problem.hub, problem.authority, enactor.iterations, converged, enactor.trace)
