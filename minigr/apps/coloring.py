"""Graph coloring: in a given order, each vertex gets the least color that no neighbor before it has.

Jones, Plassmann, A Parallel Graph Coloring Heuristic (SIAM Journal on Scientific Computing 14, 1993), by priorities as
in Hasenplaugh, Kaler, Schardl, Leiserson, Ordering Heuristics for Parallel Graph Coloring (SPAA 2014): at random, or by
degree (Welsh, Powell 1967). The vertices of a step are an independent set, found as by Luby (1986).

A vertex with w neighbors before it gets one of the colors 0 to w, so it needs one bit for each of the first w colors to
find a free color. Its neighbors set the bits when they are colored, so the vertex does not read its neighbors again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import require, takes_graph
from minigr.apps.common.greedy import GreedyProblem, count_higher, falling_along, random_order
from minigr.apps.common.tables import VertexTable
from minigr.apps.common.undirected import undirected
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add, atomic_or
from minigr.jit.functor import Functor
from minigr.operators.calls import filter
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.fields import edge_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.trace import Trace

_BITS = 32  # bits of a word of `taken`
_ORDERS = "'largest_first', 'random' or all vertices in order"
_MOST = 2**31 - 1  # the greatest degree that fits in a priority


class ColoringProblem(GreedyProblem):
    color = vertex_field(np.int32, fill=-1)
    words = vertex_field(np.int32)  # the number of words of `taken` for the vertex: at most its number of edges
    begin = vertex_field(np.int64)  # the first of these words
    taken = edge_field(np.int32)  # a bit for each color that a neighbor has


class ColoringFunctor(Functor):
    def cond_filter(vertex, waits):
        return waits[vertex] == 0

    def apply(vertex, color, words, begin, taken):
        word, free = 0, 0
        while word < words[vertex] and taken[begin[vertex] + word] == -1:
            word += 1
        if word < words[vertex]:
            bits = taken[begin[vertex] + word]
            while bits >> free & 1:
                free += 1
        color[vertex] = word * _BITS + free

    def cond_target(dst, color):
        return color[dst] < 0

    def cond_advance(src, dst, color, waits, words, begin, taken):
        word = color[src] // _BITS
        if word < words[dst]:
            atomic_or(taken, begin[dst] + word, 1 << color[src] % _BITS)
        return atomic_add(waits, dst, -1) == 1


def _above(degree: Any) -> Any:
    """Shift `degree`, in place, to the bits above the bits of random numbers."""
    degree <<= 32
    return degree


class ColoringEnactor(Enactor, problem=ColoringProblem, functor=ColoringFunctor, looks_at=("balance", "direction")):
    direction: Direction = "push"
    balance: Balance = "auto"

    def start(self, live: Frontier) -> Frontier:
        problem = self.problem
        count_higher(problem, live)
        problem.words = problem.waits
        problem.words += _BITS - 1
        problem.words //= _BITS
        problem.begin = problem.words.cumsum(dtype=np.int64)
        problem.begin -= problem.words
        return filter(problem, live, ColoringFunctor)

    def step(self, frontier: Handle) -> Handle:
        self.compute(frontier)
        return self.advance(frontier, direction=self.direction, balance=self.balance, duplicates="impossible")


@dataclass(frozen=True)
class ColoringResult(VertexTable, columns=("color",)):
    """A color for each vertex; neighbors have different colors.

    Attributes
    ----------
    color : int32 array, one for each vertex
        From 0 to ``num_colors - 1``; -1 for deleted vertices.
    num_colors : int
    iterations : int
    trace : Trace or None
    """

    color: Any
    num_colors: int
    iterations: int
    trace: Trace | None


@takes_graph
def coloring(
    graph: Any,
    order: Any = "largest_first",
    seed: int = 0,
    *,
    direction: Direction = "push",
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> ColoringResult:
    """Color the vertices so that neighbors have different colors, as greedy coloring in the given order does.

    Directions, parallel edges and self-loops are ignored. The work is O(vertices + edges). The number of steps is the
    number of vertices on the longest path that follows the order. Memory is an int32 for each arc. The colors depend
    only on the graph, `order` and `seed`. A directed graph is first copied without its directions.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    order : {"largest_first", "random"} or integer array
        "largest_first" colors vertices of higher degree first, and vertices of equal degree in random order. This order
        uses few colors. "random" colors all vertices in random order. Degrees count self-loops and parallel edges of an
        undirected graph. An array lists all vertices, each once, in the order in which to color them. Deleted vertices
        may be anywhere in the array.
    seed : int
        The seed of the random numbers, if the order uses them.
    direction : {"push", "pull", "auto"}
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
        If `seed` is not a whole number of 64 bits, or `order` contains values that are not vertex ids.
    ProblemError
        If `order` is otherwise invalid. If `direction`, `balance` or `driver` is unknown. If ``direction="pull"`` is
        given together with a balance other than
        ``"auto"`` or ``"block"``.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.coloring(mg.generate.star(4, device="cpu"))
    >>> result.color, result.num_colors
    (array([0, 1, 1, 1], dtype=int32), 2)
    """
    named = isinstance(order, str)
    require(not named or order in ("largest_first", "random"), f"coloring: order={order!r} is {_ORDERS}")
    priority = random_order(graph, seed) if named else falling_along(graph, order)
    graph, live = undirected(graph)
    if named and order == "largest_first":
        priority += _above(graph.degree().clip(0, _MOST))
    enactor = ColoringEnactor(graph, trace=trace, driver=driver, priority=priority)
    enactor.direction, enactor.balance = direction, balance
    enactor.run(live)
    color = enactor.problem.color
    num_colors = int(color.max()) + 1 if len(color) else 0
    return ColoringResult(color, num_colors, enactor.iterations, enactor.trace)
