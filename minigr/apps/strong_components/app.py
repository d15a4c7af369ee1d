"""Strongly connected components: trimming, searches in both directions from a pivot, and rounds with random roots.

Slota, Rajamanickam, Madduri, BFS and Coloring-based Parallel Algorithms for Strongly Connected Components and Related
Problems (IPDPS 2014), for trimming and the pivot; Alabandi, Sands, Biros, Burtscher, A High-Performance Algorithm for
Computing Strongly Connected Components on GPUs (ECL-SCC, SC 2023), for the rounds, with roots in a random order as in
Coppersmith, Fleischer, Hendrickson, Pinar, A Divide-and-Conquer Algorithm for Identifying Strongly Connected Components
(2005).

Each vertex has two roots: one that reaches it, and one that it reaches. If both are the same, the vertex is in the
component of this root. If two vertices differ in one of their roots, they are in different components, and later rounds
skip edges between them. A vertex is trimmed if all its in-edges, or all its out-edges, are from or to trimmed vertices;
both its roots are then the vertex itself. The pivot becomes a root of all vertices that it reaches and, among these, of
all vertices that reach it; their component usually is the largest one. In the rounds that follow, each remaining vertex
takes the first root, in a random order, among the roots that reach it along edges in each direction.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_how, takes_graph
from minigr.apps.components import ComponentsResult, connected_components
from minigr.apps.strong_components.search import NO_OTHER_ROOT, ReachEnactor, StrongProblem, TrimEnactor
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_min
from minigr.jit.functor import Functor
from minigr.operators.options import Balance, Direction
from minigr.primitives.random_cpu import random_bits
from minigr.program.control import Driver
from minigr.program.frontier import Frontier, Handle
from minigr.program.node import check_in_edges
from minigr.program.trace import Trace

_VERTEX = 2**32 - 1  # the bits of a root that hold its vertex; the bits above hold its place in the random order
_FOUND = -1  # in `part`: the vertex is in a component that was found; no other part has this number


def root_of_its_own(vertex: Any) -> Any:
    """The vertex as its own root, with a random place in the order."""
    return np.int64(random_bits(np.uint64(0), np.uint64(vertex)) >> np.uint64(33)) << 32 | vertex


class Spread(Functor):
    def cond_advance(src, dst, part, reached):
        root = reached[src]
        return part[src] == part[dst] and root < reached[dst] and root < atomic_min(reached, dst, root)


class SpreadEnactor(Enactor, problem=StrongProblem, functor=Spread, looks_at=("balance",)):
    balance: Balance = "auto"

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, balance=self.balance)


class Match(Functor):
    def apply(vertex, least, reached, reaches):
        if reached[vertex] == reaches[vertex]:
            atomic_min(least, reached[vertex] & _VERTEX, vertex)

    def cond_filter(vertex, label, part, least, reached, reaches):
        found = reached[vertex] == reaches[vertex]
        if found:
            label[vertex] = least[reached[vertex] & _VERTEX]
        part[vertex] = _FOUND if found else (reached[vertex] & _VERTEX) << 32 | (reaches[vertex] & _VERTEX)
        return not found

    def apply_filter(vertex, reached, reaches):
        reached[vertex] = reaches[vertex] = root_of_its_own(vertex)


class MatchEnactor(Enactor, problem=StrongProblem, functor=Match, looks_at=()):
    """One step: labels the vertices whose roots are equal, and outputs the others, each as its own root again."""

    def step(self, frontier: Handle) -> Handle:
        self.compute(frontier)
        return self.filter(frontier)


@takes_graph
def strongly_connected_components(
    graph: Any,
    *,
    direction: Direction = "auto",
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> ComponentsResult:
    """Strongly connected components: a path leads from each vertex of one to each other, along the direction of edges.

    A label is the least vertex of its component. Labels are the same in every run. For an undirected graph, the
    components are the connected components. The work is O((vertices + edges) log vertices) in expectation, and
    O(vertices + edges) up to the end of the search from the pivot. Memory is 40 bytes for each vertex, besides the
    reverse graph. There are O(log vertices) loops. Each loop runs on the device and takes as many steps as paths have
    edges. `iterations` and `trace` cover all loops.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    direction : {"auto", "push", "pull"}
        Whether a step follows the edges of its frontier (push), or other vertices look for the frontier (pull), as in
        `minigr.operators.advance`. Only the searches from the pivot can pull. The choice changes only the speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph is a directed `DynamicGraph` that does not keep in-edges.
    ProblemError
        If `direction`, `balance` or `driver` is unknown, or if a pull does not support `balance`.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 2, 3, 4], [1, 2, 0, 3, 4, 3], directed=True, device="cpu")
    >>> result = mg.strongly_connected_components(g)
    >>> result.label, result.num_components
    (array([0, 0, 0, 3, 3], dtype=int32), 2)
    """
    if not graph.directed:
        return connected_components(graph, direction=direction, balance=balance, trace=trace, driver=driver)
    check_how("strongly_connected_components", direction, balance)
    ahead: Any = StrongProblem(graph)
    check_in_edges(ahead, "strongly_connected_components")
    shared = {name: getattr(ahead, name) for name in ("label", "part", "least")}
    back: Any = StrongProblem(graph.reverse(), **shared, reached=ahead.reaches, reaches=ahead.reached)
    loops: list[Enactor] = []

    def run(enactor: type[Enactor], problem: Any, *arguments: Any, steps: int | None = None) -> Any:
        loop: Any = enactor(problem.graph, problem=problem, max_iterations=steps, trace=trace, driver=driver)
        loop.direction, loop.balance = direction, balance
        loops.append(loop)
        return loop.run_for_output(*arguments)

    xp = graph._device.xp
    run(TrimEnactor, ahead, graph.in_degree())
    run(TrimEnactor, back, xp.where(ahead.reached < 0, graph.out_degree(), -1))
    edges = xp.minimum(ahead.waits, back.waits)  # the lesser number of in- and out-edges left: above 0 if not trimmed
    pivot = int(edges.argmax()) if len(edges) else 0
    if len(edges) and edges[pivot] > 0:
        run(ReachEnactor, ahead, pivot, NO_OTHER_ROOT)
        run(ReachEnactor, back, pivot, pivot)
    left = run(MatchEnactor, ahead, Frontier.all_vertices(), steps=1)
    for _ in graph._device.rounds(count()):
        if not len(left):
            break
        run(SpreadEnactor, ahead, left)
        run(SpreadEnactor, back, left)
        left = run(MatchEnactor, ahead, left, steps=1)
    label = ahead.label
    components = int((label == xp.arange(len(label))).sum())
    rows = Trace([row for loop in loops for row in loop.trace or ()]) if trace else None
    return ComponentsResult(label, components, sum(loop.iterations for loop in loops), rows)
