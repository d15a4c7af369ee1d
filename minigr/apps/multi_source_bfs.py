"""Breadth-first searches from many sources, up to 64 of them at a time.

Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo, The More the Merrier: Efficient Multi-Source Graph
Traversal (PVLDB 8, 2014). On graphs with short paths, searches from different sources visit the same vertices at about
the same time. So each vertex has a bit for each search, and a step reads an edge once for all searches that follow it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.bits import TOGETHER, every_bit, lowest_bit, marks_of
from minigr.apps.common.checks import check_how, check_sources, takes_graph
from minigr.apps.common.tables import VertexTable
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_or
from minigr.jit.functor import Functor
from minigr.memory import require
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.executor import check_driver
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem
from minigr.program.trace import Trace


class MultiSourceProblem(Problem):
    seen = vertex_field(np.int64)  # a bit for each search that has visited the vertex
    here = vertex_field(np.int64)  # of a vertex in the frontier: the searches that found it in the last step
    found = vertex_field(np.int64)  # the searches that find the vertex in this step
    depth = array_field(np.int32)  # by search, then by vertex
    every = parameter(np.int64)  # the bits of all searches
    vertices = parameter(np.int64)


class Visit(Functor):
    def cond_target(dst, seen, found, every):
        return seen[dst] | found[dst] != every

    def cond_advance(src, dst, seen, here, found):
        new = here[src] & ~(seen[dst] | found[dst])
        return new != 0 and atomic_or(found, dst, new) == 0


class Arrive(Functor):
    def apply(vertex, iteration, seen, here, found, depth, vertices):
        new = found[vertex]
        here[vertex], found[vertex] = new, 0
        seen[vertex] |= new
        while new != 0:
            depth[lowest_bit(new) * vertices + vertex] = iteration
            new &= new - 1


class MultiSourceEnactor(
    Enactor, problem=MultiSourceProblem, functor=Visit, looks_at=("arrive", "balance", "direction")
):
    direction: Direction = "auto"
    balance: Balance = "auto"
    arrive: type[Functor] = Arrive

    def mark(self, vertices: Any, bits: Any) -> Frontier:
        """Begin the searches of `bits` at `vertices`, which are distinct and on the host."""
        ids = self.graph._device.asarray(vertices)
        self.problem.seen[ids] = self.problem.here[ids] = self.graph._device.asarray(bits)
        return Frontier("vertices", ids=ids, distinct=True)

    def start(self, sources: Any) -> Frontier:
        """Start from `sources`, at most 64 vertices, on the host."""
        places = np.arange(len(sources)) * self.graph.num_vertices + sources
        self.problem.depth[self.graph._device.asarray(places)] = 0
        return self.mark(*marks_of(sources))

    def step(self, frontier: Handle) -> Handle:
        found = self.advance(
            frontier, direction=self.direction, balance=self.balance, duplicates="impossible", again=True
        )
        self.compute(found, self.arrive)
        return found


@dataclass(frozen=True)
class MultiSourceBFSResult(VertexTable, columns=("depth",)):
    """Depths of breadth-first searches.

    Attributes
    ----------
    depth : int32 array [sources, vertices]
        Number of edges on a shortest path from the source; -1 if no path exists.
    iterations : int
        Number of steps of all searches; a step of searches that run together counts once.
    trace : Trace or None
        The trace of all steps.
    """

    depth: Any
    iterations: int
    trace: Trace | None


@takes_graph
def multi_source_bfs(
    graph: Any,
    sources: Any,
    *,
    direction: Direction = "auto",
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> MultiSourceBFSResult:
    """Breadth-first searches from each of `sources`, along the direction of edges, 64 searches at a time.

    For one search that begins at several vertices, use ``mg.bfs(graph, sources)``. Depths are the same in every run.
    The result has no parents. Searches that run together visit no more edges than the same searches run alone. If paths
    are short and the searches are at the same vertices in most steps, the searches visit few more edges than one
    search. Along long paths, as in road networks, the searches hardly ever meet, and share only the waiting time
    between steps, which gains nothing on a CPU. Memory is 36 bytes for each vertex, plus 4 bytes for each source and
    vertex for the result.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    sources : sequence of int
        Vertices, in any order. A vertex that is given twice is searched from twice.
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
        If one of `sources` is not a vertex of the graph. For ``direction="pull"``, if the graph keeps no in-edges.
    ProblemError
        If `direction`, `balance` or `driver` is unknown, or if a pull has a `balance` other than ``"auto"`` or
        ``"block"``.
    OutOfMemoryError
        If the device has no room for the result, or for the search.

    Examples
    --------
    >>> import minigr as mg
    >>> mg.multi_source_bfs(mg.generate.path(4, device="cpu"), [0, 2]).depth
    array([[0, 1, 2, 3],
           [2, 1, 0, 1]], dtype=int32)
    """
    chosen = check_sources(graph, sources)
    check_how("multi_source_bfs", direction, balance)
    check_driver(driver, graph, trace)
    require(graph._device, 4 * len(chosen) * graph.num_vertices, f"the depths from {len(chosen):,} sources")
    depth = graph._device.full((len(chosen), graph.num_vertices), -1, np.int32)
    iterations, whole = 0, Trace() if trace else None
    for first in graph._device.rounds(range(0, len(chosen), TOGETHER)):
        part = chosen[first : first + TOGETHER]
        numbers = {"every": every_bit(len(part)), "vertices": graph.num_vertices}
        rows = depth[first : first + TOGETHER].reshape(-1)
        enactor = MultiSourceEnactor(graph, trace=trace, driver=driver, depth=rows, **numbers)
        enactor.direction, enactor.balance = direction, balance
        enactor.run(part)
        iterations += enactor.iterations
        if whole is not None and enactor.trace is not None:
            whole.rows.extend(enactor.trace.rows)
    return MultiSourceBFSResult(depth, iterations, whole)
