"""The transitive reduction of a directed acyclic graph: its edges except edges that a longer path replaces.

Aho, Garey, Ullman, The Transitive Reduction of a Directed Graph (SIAM Journal on Computing 1, 1972). Reachability is
computed from 64 vertices at a time, with a bit for each, as in Then et al., The More the Merrier: Efficient
Multi-Source Graph Traversal (VLDB 2014). No longer path can replace an edge to the next topological level, so no search
begins at vertices all of whose edges lead there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.tables import EdgeTable
from minigr.apps.topological import LevelsEnactor, require_acyclic, require_directed
from minigr.apps.transitive_reduction.reach import ReductionProblem, find_replaced
from minigr.operators.options import Balance
from minigr.program.control import Driver
from minigr.program.executor import Progress


@dataclass(frozen=True)
class TransitiveReductionResult(EdgeTable, columns=("src", "dst"), vertices=("src", "dst")):
    """The edges of a transitive reduction, in the order of their ends.

    Attributes
    ----------
    src, dst : int32 arrays, one element for each edge
    edges : int64 array, one element for each edge
        Position of the edge in ``graph.indices``; for parallel edges, the position of the first. For a `DynamicGraph`,
        the position in the indices of ``graph.to_graph()``.
    num_edges : int
    iterations : int
        Number of steps of all searches.
    """

    src: Any
    dst: Any
    edges: Any
    num_edges: int
    iterations: int


@takes_graph
def transitive_reduction(
    graph: Any, *, balance: Balance = "auto", progress: Progress | None = None, driver: Driver = "auto"
) -> TransitiveReductionResult:
    """The least set of edges that lets each vertex of a directed acyclic graph (DAG) reach the same vertices as before.

    An edge from u to v is kept if the edge is the only path from u to v. The result is the same in every run. Searches
    start from the vertices with an edge that skips a topological level. A search starts from 64 such vertices at a time
    and ends at the highest level that their edges lead to. For s such vertices, there are s / 64 searches, rounded up.
    Each search takes at most O(vertices + edges) work, and as many steps as there are levels. Memory is 40 bytes for
    each vertex, and 5 bytes for each edge. A `DynamicGraph` is first copied into rows.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Directed, without cycles. Parallel edges count as one edge.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    progress : callable, optional
        Function that is called after each search with the number of searches done and the number of all searches.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph is undirected or has a cycle. The message names the cycle.
    ProblemError
        If `balance` or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1, 2], [1, 3, 2, 3], directed=True, device="cpu")
    >>> result = mg.transitive_reduction(g)
    >>> result.src, result.dst
    (array([0, 1, 2], dtype=int32), array([1, 2, 3], dtype=int32))
    """
    require_directed(graph, "transitive_reduction")
    rows = graph if graph.layout == "csr" else graph.to_graph()
    levels = LevelsEnactor(rows, driver=driver)
    levels.balance = balance
    levels.run()
    require_acyclic(levels.problem, "transitive_reduction")
    problem = ReductionProblem(rows, level=levels.problem.level)
    iterations = find_replaced(problem, balance, progress, driver)
    src, dst, _ = rows.to_edges(both_ways=True)
    kept = ~problem.replaced
    kept[1:] &= (src[1:] != src[:-1]) | (dst[1:] != dst[:-1])
    edges = rows._device.xp.flatnonzero(kept)
    return TransitiveReductionResult(src[edges], dst[edges], edges, len(edges), iterations)
