"""Core numbers by peeling: the vertices with the fewest remaining neighbors are removed, many at a time.

Seidman, Network Structure and Minimum Degree (Social Networks 5, 1983); Batagelj, Zaversnik, An O(m) Algorithm for
Cores Decomposition of Networks (2003); in rounds as in Dhulipala, Blelloch, Shun, Julienne: A Framework for Parallel
Graph Algorithms using Work-efficient Bucketing (SPAA 2017).

The core number of a vertex is its number of remaining neighbors when it is peeled. Each neighbor with a greater number
loses one, and is peeled next if its number is then not greater than this core number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.tables import VertexTable
from minigr.apps.common.undirected import undirected
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.options import Balance
from minigr.program.control import Driver
from minigr.program.executor import Progress
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem
from minigr.program.trace import Trace


class CoreProblem(Problem):
    core = vertex_field(np.int32)  # of a vertex that is not peeled yet: its number of neighbors that are not peeled yet


class Peel(Functor):
    def cond_advance(src, dst, core):
        level = core[src]
        if core[dst] <= level:
            return False
        before = atomic_add(core, dst, -1)
        if before <= level:  # other threads have already lowered it to the level
            atomic_add(core, dst, 1)
        return before == level + 1

    def priority(vertex, core):
        return core[vertex]


class CoreEnactor(Enactor, problem=CoreProblem, functor=Peel, looks_at=("balance", "live")):
    """A step peels the vertices whose `core` is at most the level. If there are none, the level rises first."""

    balance: Balance = "auto"

    def start(self, live: Frontier) -> Frontier:
        self.live = live
        return Frontier.of([])

    def step(self, frontier: Handle) -> Handle:
        return self.near_far(self.advance(frontier, balance=self.balance), width=1, waiting=self.live, falling=True)


@dataclass(frozen=True)
class CoreResult(VertexTable, columns=("core",)):
    """Core numbers.

    Attributes
    ----------
    core : int32 array, one for each vertex
        0 for vertices without neighbors, and for deleted vertices.
    degeneracy : int
        The greatest core number.
    iterations : int
    trace : Trace or None
    """

    core: Any
    degeneracy: int
    iterations: int
    trace: Trace | None


@takes_graph
def core_number(
    graph: Any,
    *,
    balance: Balance = "auto",
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> CoreResult:
    """The core number of each vertex: the greatest k for which it is in a subgraph whose vertices have k neighbors.

    The algorithm counts neighbors, not edges: directions, parallel edges and self-loops are ignored. (NetworkX refuses
    self-loops, and counts a neighbor in a directed graph twice if there are edges both ways.) The result is the same in
    every run. The work is O(vertices + edges), plus a scan of the remaining vertices for each core number that occurs.
    Each round of peeling is one step. Memory is 16 bytes for each vertex. A graph that is directed or not simple is
    copied first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    progress : callable, optional
        Called a few times a second with the number of steps done, and with None because the total is unknown.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    ProblemError
        If `balance` or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], num_vertices=5, device="cpu")
    >>> result = mg.core_number(g)
    >>> result.core, result.degeneracy
    (array([2, 2, 2, 1, 0], dtype=int32), 2)
    """
    graph, live = undirected(graph, simple=True)
    enactor = CoreEnactor(graph, progress=progress, trace=trace, driver=driver)
    enactor.balance = balance
    enactor.problem.core = graph.degree()
    enactor.run(live)
    core = enactor.problem.core
    degeneracy = int(core.max()) if len(core) else 0
    return CoreResult(core, degeneracy, enactor.iterations, enactor.trace)
