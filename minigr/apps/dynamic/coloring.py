"""A coloring that follows its graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.coloring import coloring
from minigr.apps.common import require
from minigr.apps.dynamic.changes import Changes
from minigr.apps.dynamic.maintained import Maintained
from minigr.apps.dynamic.plain import Plain
from minigr.apps.greedy import falling_along, random_order
from minigr.enactor.enactor import Enactor
from minigr.enactor.problem import Problem, parameter, scalar_field, vertex_field
from minigr.jit.functor import Functor
from minigr.operators.frontier import Handle
from minigr.primitives import transform

_MOST = 2**31 - 1  # the greatest degree that goes into a priority
WINDOW = 64  # colors that are looked for at a time
CLEAN, DIRTY, CHANGED = 0, 1, 2


class FollowedColors(Problem):
    color = vertex_field(np.int32)
    priority = vertex_field(np.int64)  # no two are alike
    state = vertex_field(np.int32)
    window = vertex_field(np.int32)  # in which a dirty vertex looks for its color
    visited = scalar_field(np.int64)
    most = parameter(np.int64)  # vertices that may be looked at in a step


class FindColor(Functor):
    def map(src, dst, priority, color, window):
        place = color[dst] - WINDOW * window[src]
        return 1 << place if priority[dst] > priority[src] and 0 <= place < WINDOW else 0

    def apply_reduce(vertex, value, color, state, window):
        if value == -1:
            window[vertex] += 1
            return 1
        place = 0
        while value >> place & 1:
            place += 1
        found = WINDOW * window[vertex] + place
        window[vertex] = 0
        state[vertex] = CLEAN if found == color[vertex] else CHANGED
        color[vertex] = found
        return 1

    def until(most, visited):
        return visited == 0 or visited > most


class IsDirty(Functor):
    def cond_filter(vertex, state):
        return state[vertex] == DIRTY


class HasChanged(Functor):
    def cond_filter(vertex, state):
        return state[vertex] == CHANGED

    def apply_filter(vertex, state):
        state[vertex] = CLEAN


class TellLower(Functor):
    def cond_advance(src, dst, priority):
        return priority[dst] < priority[src]

    def apply_advance(dst, state, window):
        state[dst] = DIRTY
        window[dst] = 0


class RecolorEnactor(Enactor, problem=FollowedColors, functor=FindColor):
    """A vertex may look while another that it depends on changes: it is told of that, and looks again."""

    def step(self, frontier: Handle) -> None:
        dirty = self.filter(frontier, IsDirty)
        self.neighbor_reduce(dirty, reduce="or", dtype=np.int64, scalar="visited")
        self.advance(self.filter(dirty, HasChanged), TellLower, output=None)


def _mark(i, src, dst, priority, state):
    state[dst[i] if priority[dst[i]] < priority[src[i]] else src[i]] = DIRTY


class Coloring(Maintained):
    """A coloring, as `mg.coloring` finds it in a given order, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. Vertices have the least color that no neighbor
    before them in the order has, after each batch, in every run. A batch costs the edges of those vertices whose color
    changes, and of their neighbors. The order is made when the answer is computed, and is kept while it is repaired.
    Takes 20 bytes of memory for each vertex; of a directed graph also a copy without directions, which follows it.

    Parameters
    ----------
    graph : DynamicGraph
    order : {"largest_first", "random"} or integer array
        As for `mg.coloring`; degrees are those of the graph when the answer is computed. An array has every vertex that
        there ever was once.
    seed : int
        As for `mg.coloring`.
    recompute : {"auto", "always", "never"}
        Whether batches are repaired into the answer or have it computed anew. ``"auto"``: anew if the batch has more
        than an eighth as many edges as the graph, or more than an eighth of all vertices are looked at at a time.
    driver : str
        As for `mg.coloring`.

    Attributes
    ----------
    graph : DynamicGraph
    color : int32[n]
        From 0; -1 for deleted vertices. A copy, made when it is asked for.
    num_colors : int
    order : int32[n]
        All vertices, in the order in which they are colored: `mg.coloring` with this order gives the same colors.
    last_update : Update
        How the answer was last brought up to date: ``kind``, ``reason``, ``edges``, ``touched``, ``seconds``. Touched
        are the vertices that have another color.

    Raises
    ------
    GraphError
        If the graph is no DynamicGraph, `seed` is no whole number of 64 bits, or `order` holds anything but vertices.
    ProblemError
        For an unknown `order`, `recompute` or `driver`.

    Notes
    -----
    Greedy coloring by priorities (Jones, Plassmann, A Parallel Graph Coloring Heuristic, SIAM Journal on Scientific
    Computing 14, 1993) as a system of equations, one for each vertex, that is solved again from where it no longer
    holds. Each depends on vertices of higher priority only, so there is one solution, and any order of the work finds
    it. Where the graph was changed by its own methods or another answer, which ``graph.version`` tells, the answer is
    computed anew when it is asked for, or with the next batch.

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

    def __init__(
        self,
        graph: Any,
        order: Any = "largest_first",
        seed: int = 0,
        *,
        recompute: str = "auto",
        driver: str = "auto",
    ) -> None:
        known = not isinstance(order, str) or order in ("largest_first", "random")
        require(known, f"{self._name}: order={order!r} is 'largest_first', 'random' or all vertices in order")
        self._wanted, self._seed = order, seed
        super().__init__(graph, recompute, driver)

    @property
    def color(self) -> Any:
        """int32[n], a copy: from 0; -1 for deleted vertices."""
        self._be_current()
        return self._problem.color.copy()

    @property
    def num_colors(self) -> int:
        """How many there are."""
        self._be_current()
        color = self._problem.color
        return int(color.max()) + 1 if len(color) else 0

    @property
    def order(self) -> Any:
        """int32[n]: the vertices in the order in which they are colored."""
        self._be_current()
        return self.graph._device.xp.argsort(-self._problem.priority).astype(np.int32)

    def _check_batch(self, weights: Any) -> None:
        """There is nothing that the graph takes and this does not."""

    def _compute(self) -> None:
        self._plain = Plain(self.graph)
        graph, priority = self._plain.graph, self._priorities()
        order = self.graph._device.xp.argsort(-priority)
        color = coloring(graph, order, driver=self._driver).color
        if self._plain.is_copy:
            color[self.graph._deleted_ids()] = -1
        self._problem: Any = FollowedColors(graph, color=color, priority=priority, most=0)

    def _priorities(self) -> Any:
        if not isinstance(self._wanted, str):
            return falling_along(self.graph, self._wanted)
        priority = random_order(self.graph, self._seed)
        if self._wanted == "largest_first":
            priority += self._plain.graph.degree().clip(0, _MOST) << 32
        return priority

    def _repair(self, changes: Changes, most: float) -> int | None:
        problem, xp = self._problem, self.graph._device.xp
        if changes.deleted:
            src, dst = self._plain.gone(changes)
            self._plain.delete(src, dst)
        else:
            src, dst, _ = self._plain.insert(changes)
        transform(_mark, src=src, dst=dst, priority=problem.priority, state=problem.state, count=len(src))
        before, problem.most = problem.color.copy(), int(min(most, self.graph.num_vertices))
        RecolorEnactor(self._plain.graph, problem=problem, driver=self._driver).run()
        if int(problem.visited[0]):
            return None
        return int(xp.count_nonzero(problem.color != before))
