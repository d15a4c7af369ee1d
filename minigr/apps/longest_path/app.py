"""Longest paths of a directed acyclic graph, by hops or by weight.

Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, section 24.2 (critical paths), with all vertices of a
topological level at a time: see `minigr.apps.topological`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.tables import VertexTable
from minigr.apps.longest_path.lengths import HopParents, HopParentsProblem, LengthsEnactor, Parents, ParentsProblem
from minigr.apps.topological import LevelsEnactor, require_acyclic, require_directed
from minigr.cached import cached_property
from minigr.device import CPU, device_of
from minigr.errors import GraphError
from minigr.graphs.wide import in_64_bits
from minigr.memory import out_of_memory
from minigr.operators.calls import advance
from minigr.operators.options import Balance
from minigr.program.control import Driver
from minigr.program.frontier import Frontier
from minigr.program.trace import Trace


@dataclass(frozen=True)
class LongestPathResult(VertexTable, columns=("length", "parent"), vertices=("parent",)):
    """Longest paths of a directed acyclic graph.

    Attributes
    ----------
    length : int32 array by hops, float32 or float64 array by weight, one for each vertex
        Length of a longest path that ends at the vertex; at least 0, because a path may begin at the vertex. -1 for
        deleted vertices.
    parent : int32 array, one for each vertex
        The preceding vertex on such a path, or the greatest of several possible vertices; -1 for the first vertex of a
        path.
    longest : int by hops, float by weight
        The length of a longest path of the graph; 0 if the graph has no vertices.
    iterations : int
    trace : Trace or None
    """

    length: Any
    parent: Any
    longest: int | float
    iterations: int
    trace: Trace | None

    @cached_property
    @out_of_memory
    def path(self) -> Any:
        """int32: the vertices of a longest path, in order; if several paths are longest, a path to the least vertex.

        The path is computed from the parents at the first access, on the host. It is empty if the graph has no
        vertices.
        """
        length, parent, found = CPU.asarray(self.length), CPU.asarray(self.parent), []
        vertex = int(length.argmax()) if len(length) and length.max() >= 0 else -1
        while vertex >= 0:
            found.append(vertex)
            vertex = int(parent[vertex])
        return device_of(self.length).asarray(np.array(found[::-1], np.int32))


@takes_graph
def dag_longest_path(
    graph: Any,
    *,
    weighted: bool = False,
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> LongestPathResult:
    """The longest path of a directed acyclic graph (DAG), and the longest path to each of its vertices.

    By weight, lengths are float32 for float32 weights and float64 for other weights. The result is the same in every
    run. The algorithm takes O(vertices + edges) work and one step for each topological level. Memory is 12 bytes for
    each vertex by hops, and 16 or 20 bytes by weight.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Directed, without cycles.
    weighted : bool
        If True, lengths are sums of weights, which may be negative. If False, lengths are numbers of hops. Of parallel
        edges, the edge of the greatest weight counts. A length that is beyond the range of its dtype is infinite.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph is undirected or has a cycle; the message names the cycle. By weight, if the graph has no weights
        or an infinite weight.
    ProblemError
        If `balance` or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1, 2], [1, 3, 2, 3], [1.0, 9.0, 1.0, 1.0], directed=True, device="cpu")
    >>> result = mg.dag_longest_path(g)
    >>> result.longest, result.path
    (3, array([0, 1, 2, 3], dtype=int32))
    >>> result = mg.dag_longest_path(g, weighted=True)
    >>> result.longest, result.path, result.length
    (9.0, array([0, 3], dtype=int32), array([0., 1., 2., 9.]))
    """
    require_directed(graph, "dag_longest_path")
    if weighted:
        _require_finite_weights(graph)
    enactor: Any = (LengthsEnactor if weighted else LevelsEnactor)(graph, trace=trace, driver=driver)
    enactor.balance = balance
    enactor.run()
    problem = enactor.problem
    require_acyclic(problem, "dag_longest_path")
    length = problem.length if weighted else problem.level
    if weighted and graph.num_live_vertices < graph.num_vertices:
        length[problem.level < 0] = -1
    tree: Any = (ParentsProblem if weighted else HopParentsProblem)(graph, length=length)
    advance(tree, Frontier.all_vertices(), Parents if weighted else HopParents, output=None, balance=balance)
    none = 0.0 if weighted else 0
    longest = max(in_64_bits(length).max().item(), none) if len(length) else none
    return LongestPathResult(length, tree.parent, longest, enactor.iterations, enactor.trace)


def _require_finite_weights(graph: Any) -> None:
    if not graph.weighted:
        raise GraphError("dag_longest_path: weighted=True needs weights, but the graph has none: leave out weighted=")
    least, _, greatest = graph.weight_summary()
    if np.isinf(least) or np.isinf(greatest):
        raise GraphError(
            f"dag_longest_path needs finite weights, but weights go from {least} to {greatest}: leave out infinite ones"
        )
