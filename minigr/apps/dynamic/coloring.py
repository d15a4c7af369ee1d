"""A coloring that follows its graph."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from minigr.apps.coloring import coloring
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.maintained import Maintained, Recompute, up_to_date
from minigr.apps.dynamic.common.undirected import Undirected
from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.primitives import transform
from minigr.program.control import Driver
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem
from minigr.signatures import names_options

WINDOW = 64  # colors that are examined at a time
_SPARE = 1.25  # times the colors of the last computed coloring: with more colors, the graph is colored again


class FollowedColors(Problem):
    color = vertex_field(np.int32)
    found = vertex_field(np.int32, fill=-1)  # a free color, or -1 while windows have no free color
    window = vertex_field(np.int32)
    clashes = vertex_field(np.int32)


class FindColor(Functor):
    def map(src, dst, color, window):
        place = color[dst] - WINDOW * window[src]
        return 1 << place if 0 <= place < WINDOW and dst != src else 0

    def apply_reduce(vertex, value, found, window):
        if value == -1:
            found[vertex], window[vertex] = -1, window[vertex] + 1
        else:
            place = 0
            while value >> place & 1:
                place += 1
            found[vertex], window[vertex] = WINDOW * window[vertex] + place, 0


class TakeColor(Functor):
    def apply(vertex, color, found):
        if found[vertex] >= 0:
            color[vertex] = found[vertex]


class Clash(Functor):
    def map(src, dst, color):
        return 1 if color[dst] == color[src] and dst < src else 0

    def apply_reduce(vertex, value, found, clashes):
        clashes[vertex] = 1 if value > 0 or found[vertex] < 0 else 0

    def cond_filter(vertex, clashes):
        return clashes[vertex] != 0


class RecolorEnactor(Enactor, problem=FollowedColors, looks_at=()):
    """Vertices take free colors in the same step; of two neighbors with equal colors, the greater one tries again."""

    def step(self, frontier: Handle) -> Handle:
        self.neighbor_reduce(frontier, FindColor, reduce="or", dtype=np.int64)
        self.compute(frontier, TakeColor)
        self.neighbor_reduce(frontier, Clash, reduce="add", dtype=np.int32)
        return self.filter(frontier, Clash)


def _clash(i, src, dst, color):
    return max(src[i], dst[i]) if src[i] != dst[i] and color[src[i]] == color[dst[i]] else -1


class Coloring(Maintained):
    """A vertex coloring, as `mg.coloring` finds it, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. Neighbors have different colors after each
    batch. If an inserted edge connects two vertices of the same color, the greater vertex takes the least color that
    none of its neighbors has. So an insertion processes the edges of the recolored vertices, and a deletion costs
    nothing. The colors depend on the graph, on the batches since the first coloring, and on which batches were
    repaired. So the same batches give the same colors in every run, on every device and with any number of threads.

    The number of colors may grow above the number that `mg.coloring` needs. When there are a quarter more colors than
    at first, the graph is colored again. The answer takes 16 bytes of memory for each vertex. For a directed graph, the
    answer also keeps a copy without directions, and updates the copy with the graph.

    Parameters
    ----------
    graph : DynamicGraph
    order : {"largest_first", "random"} or integer array
        Order of the vertices, as for `mg.coloring`, whenever the graph is colored again.
    seed : int
        Seed of the random numbers, if any are used.
    recompute : {"auto", "always", "never"}
        When to recompute the answer instead of repairing it, as in `mg.dynamic.Maintained`.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loops, as for an `Enactor`. The driver changes only the speed.

    Attributes
    ----------
    graph : DynamicGraph
    color : int32[n]
        Colors, numbered from 0; -1 for deleted vertices. A copy, made on access.
    num_colors : int
        One more than the greatest color.
    last_update : Update
        How the answer was last brought up to date. ``touched`` counts the vertices that took another color.

    Raises
    ------
    GraphError
        If the graph is not a DynamicGraph, if `seed` is not a 64-bit integer, or if `order` holds anything except
        vertices.
    ProblemError
        If `order`, `recompute` or `driver` is unknown.

    Notes
    -----
    The rounds of free colors and of clashes follow Gebremedhin, Manne, Scalable Parallel Graph Coloring Algorithms
    (Concurrency: Practice and Experience 12, 2000). To maintain the result of greedy coloring in a given order costs
    far more: a hub that changes its color makes a large part of the vertices after the hub change their colors. A
    repair is given up if more than an eighth of all vertices must change their color.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.DynamicGraph.from_graph(mg.generate.path(5, device="cpu"))
    >>> colors = mg.dynamic.Coloring(graph, [1, 0, 2, 3, 4], recompute="never")
    >>> colors.color, colors.num_colors
    (array([1, 0, 1, 0, 1], dtype=int32), 2)
    >>> colors.insert_edges([2], [0])
    1
    >>> colors.color, colors.num_colors, colors.last_update.touched
    (array([1, 0, 2, 0, 1], dtype=int32), 3, 1)
    """

    _name = "dynamic.Coloring"
    _needs_in_edges = False
    _follows_mark = True

    @names_options
    def __init__(
        self,
        graph: Any,
        order: Any = "largest_first",
        seed: int = 0,
        *,
        recompute: Recompute = "auto",
        driver: Driver = "auto",
    ) -> None:
        self._options = {"order": copy(order), "seed": seed}  # the caller may change an array
        super().__init__(graph, recompute, driver)

    @up_to_date
    def color(self) -> Any:
        """int32[n], a copy: colors, numbered from 0; -1 for deleted vertices."""
        return self._problem.color.copy()

    @up_to_date
    def num_colors(self) -> int:
        """One more than the greatest color."""
        color = self._problem.color
        return int(color.max()) + 1 if len(color) else 0

    def _compute(self) -> None:
        self._undirected = Undirected(self.graph)
        found = coloring(self.graph, **self._options, driver=self._driver)
        self._problem: Any = FollowedColors(self._undirected.graph, color=found.color)
        self._enough, self._has_many = _SPARE * found.num_colors, False

    def _repair(self, changes: Changes, most: float) -> int | None:
        if changes.deleted:
            self._undirected.delete(*self._undirected.gone(changes))
            return 0
        problem, xp = self._problem, self.graph._device.xp
        src, dst, _ = self._undirected.insert(changes)
        heads = transform(_clash, src=src, dst=dst, color=problem.color, count=len(src), dtype=np.int32)
        clashing = xp.unique(heads[heads >= 0])
        if not len(clashing):
            return 0
        if len(clashing) > most:
            return None
        recolor = RecolorEnactor(self._undirected.graph, problem=problem, driver=self._driver)
        recolor.run(Frontier("vertices", ids=clashing, distinct=True))
        self._has_many = int(problem.color[clashing].max()) + 1 > self._enough
        return len(clashing)

    def _why_poor(self) -> str | None:
        return "colors have become many" if self._has_many else None
