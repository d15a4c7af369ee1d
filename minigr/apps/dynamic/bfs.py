"""Breadth-first search that follows its graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.bfs import bfs
from minigr.apps.dynamic.tree import LOST, Relax, ShortestPathTree, TreeProblem
from minigr.enactor.problem import parameter, vertex_field
from minigr.jit.atomics import atomic_exch, atomic_min
from minigr.jit.functor import Functor

_FAR = np.iinfo(np.int32).max
_WIDTH = 1.0  # whole levels, so that no vertex is relaxed twice


class HopsProblem(TreeProblem):
    distance = vertex_field(np.int32, fill=_FAR)
    far = parameter(np.int32, default=_FAR)


class RelaxHop(Relax):
    def cond_advance(src, dst, distance):
        through = distance[src] + 1
        return through < distance[dst] and through < atomic_min(distance, dst, through)

    def map(src, distance):
        return distance[src] + 1


class AdoptHop(Functor):
    def map(src, dst, distance):
        return src if distance[src] + 1 == distance[dst] else -1

    def apply_reduce(vertex, value, parent):
        parent[vertex] = value


def _relax_arc(i, src, dst, distance, parent):
    through, head = distance[src[i]] + 1, dst[i]
    if through < distance[head] and through < atomic_min(distance, head, through):
        return head if atomic_exch(parent, head, LOST) != LOST else -1
    return -1


class BFS(ShortestPathTree):
    """Depths and a tree of parents from `source`, as `mg.bfs` finds them, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. An insertion costs the vertices that come nearer
    and their edges; a deletion those whose path in the tree is cut and their edges, both ways; and each a few passes
    over all vertices. Depths are those of `mg.bfs` after each batch, in every run; which of several possible parents a
    vertex gets is not the same. Takes 8 bytes of memory for each vertex, and more while it works.

    Parameters
    ----------
    graph : DynamicGraph
        A directed one must keep its in-edges. Weights, if there are any, make no difference.
    source : int
    recompute : {"auto", "always", "never"}
        Whether batches are repaired into the answer or have it computed anew. ``"auto"``: anew if the batch has more
        than an eighth as many edges as the graph, if it cuts off more than an eighth of all vertices, or if that was
        found to be quicker.
    driver : str
        As for `mg.bfs`.

    Attributes
    ----------
    graph : DynamicGraph
    source : int
    depth : int32[n]
        Edges on a shortest path from the source; -1 where there is none. A copy, made when it is asked for.
    parent : int32[n]
        The vertex before it on such a path; -1 for the source and where there is none. A copy.
    last_update : Update
        How the answer was last brought up to date: ``kind``, ``reason``, ``edges``, ``touched``, ``seconds``.

    Raises
    ------
    GraphError
        If the graph is no DynamicGraph, lacks in-edges, or has no vertex `source`; also when the answer is asked for
        after the source was deleted.
    ProblemError
        For an unknown `recompute` or `driver`.

    Notes
    -----
    Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813),
    algorithm 6. Where the graph was changed by its own methods or another answer, which ``graph.version`` tells, the
    answer is computed anew when it is asked for, or with the next batch.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.DynamicGraph.from_edges([0, 1, 2, 0], [1, 2, 3, 4], num_vertices=5, directed=False, device="cpu")
    >>> search = mg.dynamic.BFS(graph, 0, recompute="never")
    >>> search.insert_edges([4], [3])
    1
    >>> search.depth, search.parent
    (array([0, 1, 2, 2, 1], dtype=int32), array([-1,  0,  1,  4,  0], dtype=int32))
    >>> search.delete_edges([0], [1])
    1
    >>> search.depth, search.last_update.kind, search.last_update.touched
    (array([0, 4, 3, 2, 1], dtype=int32), 'repair', 2)
    """

    _name = "dynamic.BFS"
    _relax_arc = staticmethod(_relax_arc)
    _relax, _adopt = RelaxHop, AdoptHop
    _sum_dtype = np.int64  # one more than `far` is not int32
    _width = _WIDTH

    def __init__(self, graph: Any, source: int, *, recompute: str = "auto", driver: str = "auto") -> None:
        super().__init__(graph, source, recompute, driver)

    @property
    def depth(self) -> Any:
        """int32[n], a copy: edges on a shortest path from the source; -1 where there is none."""
        self._be_current()
        distance = self._problem.distance
        return self.graph._device.xp.where(distance == _FAR, np.int32(-1), distance)

    def _compute(self) -> None:
        found = bfs(self.graph, self._source, driver=self._driver)
        distance = self.graph._device.xp.where(found.depth < 0, np.int32(_FAR), found.depth)
        self._problem = HopsProblem(self.graph, distance=distance, parent=found.parent, num_lost=self._new_count())
