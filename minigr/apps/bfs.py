"""Breadth-first search: depths and a tree of parents, in either direction.

Merrill, Garland, Grimshaw, Scalable GPU Graph Traversal (PPoPP 2012); Beamer, Asanovic, Patterson,
Direction-Optimizing Breadth-First Search (SC 2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_source, takes_parts
from minigr.apps.common.paths import HasPaths
from minigr.apps.common.sources import choose_sources
from minigr.apps.common.tables import VertexTable
from minigr.cached import cached_property
from minigr.device import device_of
from minigr.enactor.enactor import Enactor
from minigr.graphs.checks import is_single
from minigr.jit.atomics import atomic_cas
from minigr.jit.functor import Functor
from minigr.memory import out_of_memory
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem
from minigr.program.trace import Trace


class BFSProblem(Problem):
    depth = vertex_field(np.int32, fill=-1)
    parent = vertex_field(np.int32, fill=-1)


class BFSFunctor(Functor):
    def cond_target(dst, depth):
        return depth[dst] < 0

    def cond_advance(dst, iteration, depth):
        return atomic_cas(depth, dst, -1, iteration) == -1

    def apply_advance(src, dst, parent):
        parent[dst] = src


class BFSEnactor(Enactor, problem=BFSProblem, functor=BFSFunctor, looks_at=("direction", "balance")):
    direction: Direction = "auto"
    balance: Balance = "auto"

    def start(self, sources: Any) -> Frontier:
        self.graph._device.put(self.problem.depth, sources, 0)
        return Frontier.of(sources)

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, direction=self.direction, balance=self.balance, duplicates="impossible")


@dataclass(frozen=True)
class BFSResult(HasPaths, VertexTable, columns=("depth", "parent"), vertices=("parent",)):
    """Depths and parents of a breadth-first search; `path_to` builds a path from the parents.

    Attributes
    ----------
    depth : int32 array, one for each vertex
        The number of edges on a shortest path from the source, or from the nearest of several sources; -1 if there is
        no path.
    parent : int32 array, one for each vertex
        The previous vertex on a shortest path to the vertex; -1 for sources, and for vertices without a path.
    iterations : int
    trace : Trace or None
    """

    depth: Any
    parent: Any
    iterations: int
    trace: Trace | None

    _length, _never = "depth", -1

    @cached_property
    @out_of_memory
    def root(self) -> Any:
        """int32, one for each vertex: the source at which its path begins; -1 if there is no path.

        Computed from the parents at the first access, in O(vertices * log levels).
        """
        xp = device_of(self.depth).xp
        root = xp.where(self.depth > 0, self.parent, xp.arange(len(self.parent), dtype=np.int32))
        while bool((self.depth[root] > 0).any()):
            root = root[root]
        return xp.where(self.depth >= 0, root, np.int32(-1))


@takes_parts
def bfs(
    graph: Any,
    source: Any,
    *,
    direction: Direction = "auto",
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> BFSResult:
    """Breadth-first search from `source`, one vertex or several vertices at once, along the direction of edges.

    The work is O(vertices + edges), and there are as many steps as levels. Depths are the same in every run. If a
    vertex has several possible parents, the parent may differ from run to run.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    source : int or sequence of int
        One vertex or several vertices, all at depth 0. Each vertex is reached from the nearest source. For a separate
        search from each source, see `multi_source_bfs`.
    direction : {"auto", "push", "pull"}
        Whether a step follows the edges of its frontier (push), or other vertices look for the frontier (pull), as in
        `minigr.operators.advance`. The choice changes only the speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If `source` is not a vertex of the graph. If ``direction="pull"`` and the graph keeps no in-edges.
    ProblemError
        If a source is given twice. If `direction`, `balance` or `driver` is unknown. If
        ``direction="pull"`` is given together with a balance other than ``"auto"`` or ``"block"``.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.bfs(mg.generate.path(4, device="cpu"), 1)
    >>> result.depth, result.parent
    (array([1, 0, 1, 2], dtype=int32), array([ 1, -1,  1,  2], dtype=int32))
    >>> mg.bfs(mg.generate.path(5, device="cpu"), [0, 4]).root[[1, 3]]
    array([0, 4], dtype=int32)
    >>> result.path_to(3)
    array([1, 2, 3], dtype=int32)
    """
    enactor = BFSEnactor(graph, trace=trace, driver=driver)
    enactor.direction, enactor.balance = direction, balance
    single = is_single(source)
    enactor.run(check_source(graph, source) if single else choose_sources(graph, source, None, 0, "bfs"))
    problem = enactor.problem
    return BFSResult(problem.depth, problem.parent, enactor.iterations, enactor.trace)
