"""Triangles that follow their graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.maintained import Maintained, Recompute, up_to_date
from minigr.apps.dynamic.common.undirected import Undirected
from minigr.apps.dynamic.triangles.loops import BatchEnactor, BatchVertexEnactor
from minigr.apps.triangles import triangle_count
from minigr.program.control import Driver
from minigr.signatures import names_options

_SHARE = 6  # parts of a triangle: if 1, 2 or 3 of its edges are in the batch, each counts an integer number of sixths


class TriangleCount(Maintained):
    """Triangles, as `mg.triangle_count` counts them, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. For each edge of a batch, the repair scans the
    neighbors of the end with fewer neighbors, and nothing of the rest of the graph. Duplicates and self-loops in a
    batch are ignored, and so are directions. Counts are exact, and the same in every run. The answer takes a bit for
    each lane of the graph's slabs, and 8 bytes for each vertex if `per_vertex` is used. For a directed graph, the
    answer also keeps a copy without directions, and updates the copy with the graph.

    Parameters
    ----------
    graph : DynamicGraph
    recompute : {"auto", "always", "never"}
        When to recompute the answer instead of repairing it, as in `mg.dynamic.Maintained`.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loops, as for an `Enactor`. The driver changes only the speed.

    Attributes
    ----------
    graph : DynamicGraph
    total : int
        Number of triangles.
    per_vertex : int64[n]
        Number of triangles that contain each vertex. Counted on first access, and kept up to date from then on, which
        takes an atomic for each triangle that is added or removed. A copy.
    last_update : Update
        How the answer was last brought up to date. ``touched`` counts both ends of each edge that was inserted or
        deleted.

    Raises
    ------
    GraphError
        If the graph is not a DynamicGraph.
    ProblemError
        If `recompute` or `driver` is unknown.

    Notes
    -----
    Makkar, Bader, Green, Exact and Parallel Triangle Counting in Dynamic Graphs (HiPC 2017); Concessao, Cheramangalath,
    Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813), algorithms 7 and 8. These
    papers count triangles with two and three edges of the batch separately and subtract them. Here a bit for each arc
    marks the edges of the batch. A triangle with one, two or three edges of the batch is counted from each of these
    edges as a whole, a half or a third. Deletions are counted before the graph loses the edges.

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
    _follows_mark = True

    @names_options
    def __init__(self, graph: Any, *, recompute: Recompute = "auto", driver: Driver = "auto") -> None:
        self._at_vertices: Any = None  # in sixths
        self._counting: BatchEnactor | None = None
        self._storage: tuple[Any, ...] = ()  # the arrays of the graph that `_counting` uses
        super().__init__(graph, recompute, driver)

    @up_to_date
    def total(self) -> int:
        """Number of triangles."""
        return int(self._sixths.item()) // _SHARE

    @up_to_date
    def per_vertex(self) -> Any:
        """int64[n], a copy: number of triangles that contain each vertex; kept up to date from the first access on."""
        if self._at_vertices is None:
            self._at_vertices = self._counted(per_vertex=True).per_vertex * _SHARE
            self._counting = None  # the next batch makes an enactor that counts at vertices
        return self._at_vertices // _SHARE

    def _compute(self) -> None:
        self._undirected = Undirected(self.graph)
        followed, device = self._at_vertices is not None, self.graph._device
        found = self._counted(per_vertex=followed)
        self._at_vertices = found.per_vertex * _SHARE if followed else None
        self._sixths, self._batch = device.full(1, found.total * _SHARE, np.int64), device.full(0, 0, np.int32)
        self._counting = None

    def _counted(self, per_vertex: bool) -> Any:
        return triangle_count(self._undirected.graph, per_vertex=per_vertex, driver=self._driver)

    def _before_deletion(self, src: Any, dst: Any) -> None:
        if not self._undirected.is_copy:
            self._count(src, dst, -1)

    def _repair(self, changes: Changes, most: float) -> int | None:
        if not changes.deleted:
            src, dst, new = self._undirected.insert(changes)
            self._count(src, dst, 1, new)
        elif self._undirected.is_copy:
            gone = self._undirected.gone(changes)
            self._count(*gone, -1)
            self._undirected.delete(*gone)
        return 2 * changes.count

    def _count(self, src: Any, dst: Any, sign: int, new: Any = None) -> None:
        """Add or subtract the triangles of the current graph that have an edge among these pairs.

        Repeated pairs count once. `new`: which of the pairs count; None if all do.
        """
        graph = self._undirected.graph
        words = graph.most_edge_ids // 32 + 1
        if len(self._batch) < words:
            self._batch = graph._device.full(words, 0, np.int32)
        arcs = graph._mark_arcs(src, dst, self._batch, new)
        version, self._version = self._version, -1  # so that after an exception, the answer is recomputed
        if self._counting is None:
            fields = {"degree": graph.out_edges.degrees, "batch": self._batch, "sixths": self._sixths, "sign": sign}
            self._counting = self._enactor(graph, **fields)
        elif any(now is not before for now, before in zip(graph.storage, self._storage, strict=True)):
            self._counting.problem.use(degree=graph.out_edges.degrees, batch=self._batch)
        self._storage = graph.storage
        self._counting.problem.sign = sign
        self._counting.run(arcs)
        self._version = version

    def _enactor(self, graph: Any, **fields: Any) -> BatchEnactor:
        if self._at_vertices is None:
            return BatchEnactor(graph, max_iterations=1, **fields)
        return BatchVertexEnactor(graph, max_iterations=1, triangles=self._at_vertices, **fields)
