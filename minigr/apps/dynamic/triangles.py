"""Triangles that follow their graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.dynamic.changes import Changes
from minigr.apps.dynamic.maintained import Maintained
from minigr.apps.dynamic.plain import Plain
from minigr.apps.triangles import triangle_count
from minigr.enactor.problem import Problem, array_field, parameter, scalar_field, vertex_field
from minigr.jit.atomics import atomic_add, atomic_or
from minigr.jit.functor import Functor
from minigr.operators import intersect
from minigr.operators.frontier import Frontier
from minigr.primitives import transform

_SHARE = 6  # of a triangle: what each of its one, two or three edges of the batch counts is a whole number of sixths


class BatchProblem(Problem):
    triples = scalar_field(np.int64)  # triangles, for each of their edges in the batch
    batch = array_field(np.int32)  # a bit for each id of an arc: whether its edge is of the batch
    excess = array_field(np.int64)  # how many of the sixths were counted too many


class BatchVertexProblem(BatchProblem):
    triangles = vertex_field(np.int64)  # in sixths
    sign = parameter(np.int64, default=1)


def excess_of(src, dst, common, src_edge, dst_edge, batch):
    """How many sixths too many a triangle counts for one of its edges."""
    if common in (src, dst):  # by a self-loop
        return 6
    others = (batch[src_edge >> 5] >> (src_edge & 31) & 1) + (batch[dst_edge >> 5] >> (dst_edge & 31) & 1)
    return 0 if others == 0 else 2 + others  # six sixths, twice three, or three times two


class CountOfBatch(Functor):
    def apply_intersect(src, dst, common, src_edge, dst_edge, batch, excess):
        more = excess_of(src, dst, common, src_edge, dst_edge, batch)
        if more > 0:
            atomic_add(excess, 0, more)

    def apply_count(count):
        return count


class CountOfBatchAtVertices(Functor):
    def apply_intersect(src, dst, common, src_edge, dst_edge, batch, excess, triangles, sign):
        more = excess_of(src, dst, common, src_edge, dst_edge, batch)
        if more < 6:
            atomic_add(triangles, common, sign * (6 - more))
        if more > 0:
            atomic_add(excess, 0, more)
            atomic_add(triangles, src, -sign * more)
            atomic_add(triangles, dst, -sign * more)

    def apply_count(src, dst, count, triangles, sign):
        if count > 0:
            atomic_add(triangles, src, sign * 6 * count)
            atomic_add(triangles, dst, sign * 6 * count)
        return count


def _claim(i, src, dst, forth, back, degree, batch):
    """The arc of a pair from its end of higher degree; -1 for one that is not there, or comes again."""
    if forth[i] < 0 or src[i] == dst[i]:
        return -1
    least, greatest = min(forth[i], back[i]), max(forth[i], back[i])
    bit = 1 << (least & 31)
    is_first = atomic_or(batch, least >> 5, bit) & bit == 0
    atomic_or(batch, greatest >> 5, 1 << (greatest & 31))
    if not is_first:
        return -1
    return forth[i] if degree[src[i]] >= degree[dst[i]] else back[i]


def _forget(i, forth, back, batch):
    if forth[i] >= 0:
        batch[forth[i] >> 5] = 0
        batch[back[i] >> 5] = 0


class TriangleCount(Maintained):
    """Triangles, as `mg.triangle_count` counts them, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. A batch costs a look at the neighbors of one end
    of each of its edges, the one that has fewer, and nothing of the rest of the graph. Duplicates and self-loops in a
    batch are no matter, nor are directions. Counts are exact, and the same in every run. Takes a bit for each lane of
    the graph's slabs, and 8 bytes for each vertex if `per_vertex` is asked for; of a directed graph also a copy without
    directions, which follows it.

    Parameters
    ----------
    graph : DynamicGraph
    recompute : {"auto", "always", "never"}
        Whether batches are repaired into the answer or have it computed anew. ``"auto"``: anew if the batch has more
        than an eighth as many edges as the graph, or if that was found to be quicker.
    driver : str
        As for `mg.triangle_count`.

    Attributes
    ----------
    graph : DynamicGraph
    total : int
    per_vertex : int64[n]
        How many triangles each vertex is part of. Counted when it is first asked for, and followed from then on, which
        takes an atomic for each triangle that comes or goes. A copy.
    last_update : Update
        How the answer was last brought up to date: ``kind``, ``reason``, ``edges``, ``touched``, ``seconds``. Touched
        are the ends of the edges that came or went, counted for each of them.

    Raises
    ------
    GraphError
        If the graph is no DynamicGraph.
    ProblemError
        For an unknown `recompute` or `driver`.

    Notes
    -----
    Makkar, Bader, Green, Exact and Parallel Triangle Counting in Dynamic Graphs (HiPC 2017); Concessao, Cheramangalath,
    Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813), algorithms 7 and 8. There
    triangles with two and three edges of the batch are counted apart and taken off again. Here a bit for each arc tells
    which edges are the batch's, so that each of a triangle's one, two or three counts a whole, a half or a third of it.
    Deletions are counted before the graph loses them. Where the graph was changed by its own methods or another answer,
    which ``graph.version`` tells, the answer is computed anew when it is asked for, or with the next batch.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.DynamicGraph.from_graph(mg.generate.complete(4, device="cpu"))
    >>> triangles = mg.dynamic.TriangleCount(graph, recompute="never")
    >>> triangles.total, triangles.per_vertex
    (4, array([3, 3, 3, 3]))
    >>> triangles.delete_edges([0, 1], [1, 2])
    2
    >>> triangles.total, triangles.per_vertex
    (1, array([1, 0, 1, 1]))
    """

    _name = "dynamic.TriangleCount"
    _needs_in_edges = False
    _needs_new = True

    def __init__(self, graph: Any, *, recompute: str = "auto", driver: str = "auto") -> None:
        self._at_vertices: Any = None  # in sixths
        super().__init__(graph, recompute, driver)

    @property
    def total(self) -> int:
        """How many triangles there are."""
        self._be_current()
        return self._total

    @property
    def per_vertex(self) -> Any:
        """int64[n], a copy: how many triangles each vertex is part of; followed from when it is first asked for."""
        self._be_current()
        if self._at_vertices is None:
            self._at_vertices = self._counted(per_vertex=True).per_vertex * _SHARE
        return self._at_vertices // _SHARE

    def _check_batch(self, weights: Any) -> None:
        """There is nothing that the graph takes and this does not."""

    def _compute(self) -> None:
        self._plain = Plain(self.graph)
        followed = self._at_vertices is not None
        found = self._counted(per_vertex=followed)
        self._total, self._at_vertices = found.total, found.per_vertex * _SHARE if followed else None
        self._batch = self.graph._device.xp.zeros(0, np.int32)

    def _counted(self, per_vertex: bool) -> Any:
        return triangle_count(self._plain.graph, per_vertex=per_vertex, driver=self._driver)

    def _before_deletion(self, src: Any, dst: Any) -> None:
        if not self._plain.is_copy:
            self._count(src, dst, -1)

    def _repair(self, changes: Changes, most: float) -> int | None:
        if not changes.deleted:
            src, dst, new = self._plain.insert(changes)
            self._count(src, dst, 1, new)
        elif self._plain.is_copy:
            gone = self._plain.gone(changes)
            self._count(*gone, -1)
            self._plain.delete(*gone)
        return 2 * changes.count

    def _count(self, src: Any, dst: Any, sign: int, new: Any = None) -> None:
        """Add or take off the triangles that have an edge among these pairs, all of which the graph has at the moment.

        Of pairs that are the same edge one counts; `new`: which of the pairs count at all.
        """
        graph, xp = self._plain.graph, self.graph._device.xp
        words = graph.num_edge_ids // 32 + 1
        if len(self._batch) < words:
            self._batch = xp.zeros(words + words // 8, np.int32)
        forth, back = graph._find(src, dst, True)[1], graph._find(dst, src, True)[1]
        version, self._version = self._version, -1  # an exception on the way leaves it to be computed anew
        if new is not None:
            forth = xp.where(new, forth, -1)
        degree = graph.out_edges.degrees
        ends = {"forth": forth, "back": back, "batch": self._batch, "count": len(forth)}
        arcs = transform(_claim, src=src, dst=dst, degree=degree, dtype=np.int64, **ends)
        arcs.sort()  # those of a vertex together, and behind those that are left out
        arcs = arcs[int(xp.searchsorted(arcs, 0)) :]
        if len(arcs):
            fields = {"batch": self._batch, "excess": xp.zeros(1, np.int64)}
            if self._at_vertices is None:
                problem: Any = BatchProblem(graph, **fields)
                functor: Any = CountOfBatch
            else:
                problem = BatchVertexProblem(graph, triangles=self._at_vertices, sign=sign, **fields)
                functor = CountOfBatchAtVertices
            intersect(problem, Frontier.known("edges", arcs, graph, distinct=True), functor, into="triples")
            self._total += sign * (_SHARE * int(problem.triples[0]) - int(problem.excess[0])) // _SHARE
        transform(_forget, **ends)
        self._version = version
