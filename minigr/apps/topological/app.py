"""Topological levels: the number of edges of a longest path to each vertex; or a cycle, if the graph has one.

Kahn, Topological Sorting of Large Networks (Communications of the ACM 5, 1962), with all vertices of a level at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.tables import VertexTable
from minigr.apps.topological.levels import LevelsEnactor, cycle_in, require_directed
from minigr.cached import cached_property
from minigr.device import device_of
from minigr.memory import out_of_memory
from minigr.operators.options import Balance
from minigr.program.control import Driver
from minigr.program.trace import Trace


@dataclass(frozen=True)
class LevelsResult(VertexTable, columns=("level",)):
    """Topological levels.

    Attributes
    ----------
    level : int32 array, one for each vertex
        Number of edges on a longest path that ends at the vertex, so each edge leads to a higher level. -1 for the
        vertices of cycles, for the vertices that a cycle leads to, and for deleted vertices.
    num_levels : int
    cycle : tuple of ints, or None
        The vertices of a cycle in the order of its edges, the least vertex first. A self-loop is a cycle of one vertex.
        None if there is no cycle.
    iterations : int
    trace : Trace or None
    """

    level: Any
    num_levels: int
    cycle: tuple[int, ...] | None
    iterations: int
    trace: Trace | None

    @property
    def acyclic(self) -> bool:
        """Whether the graph has no cycle."""
        return self.cycle is None

    @cached_property
    @out_of_memory
    def order(self) -> Any:
        """int32: the vertices that have a level, by level and then by id: a topological order of a DAG.

        The order is found on first access, in O(vertices * log vertices).
        """
        xp = device_of(self.level).xp
        there = xp.flatnonzero(self.level >= 0).astype(np.int32)
        return there[xp.argsort(self.level[there], kind="stable")]


@takes_graph
def topological_levels(
    graph: Any, *, balance: Balance = "auto", trace: bool = False, driver: Driver = "auto"
) -> LevelsResult:
    """The topological level of each vertex of a directed acyclic graph (DAG), or a cycle if the graph has one.

    Vertices without in-edges are at level 0. Each other vertex is one level above the highest vertex with an edge to
    it. The result is the same in every run. The work is O(vertices + edges), and there are as many steps as levels.
    Memory is 8 bytes for each vertex.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Directed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph is undirected.
    ProblemError
        If `balance` or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1, 2], [1, 3, 2, 3], directed=True, device="cpu")
    >>> result = mg.topological_levels(g)
    >>> result.level, result.order
    (array([0, 1, 2, 3], dtype=int32), array([0, 1, 2, 3], dtype=int32))
    >>> mg.topological_levels(mg.generate.cycle(4, directed=True, device="cpu")).cycle
    (0, 1, 2, 3)
    """
    require_directed(graph, "topological_levels")
    enactor = LevelsEnactor(graph, trace=trace, driver=driver)
    enactor.balance = balance
    enactor.run()
    level = enactor.problem.level
    num_levels = int(level.max()) + 1 if len(level) else 0
    return LevelsResult(level, num_levels, cycle_in(enactor.problem), enactor.iterations, enactor.trace)
