"""Graphs of edges that are read in parts, twice: the edges are never all in memory, only the rows that they become."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import FormatError, GraphError
from minigr.graphs import Graph
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.checks import MAX_VERTICES, as_vector, as_vertex_count, as_weights
from minigr.graphs.rows_cpu import RowsOfParts
from minigr.io.contents import REMEDY, Edges, Options, Parts, cast, check_agrees, redirected
from minigr.io.sizes import ALWAYS_ALLOWED, PER_EDGE, refuse_sparse, require_room

KEPT = 1 << 20
"""Bytes of sources, up to which edges are kept for the second pass."""


class Unusual(Exception):
    """The edges can't be taken part by part."""


class Building:
    """Rows on the CPU of edges that come in parts.

    The first pass over the edges is made here. Then `arcs`, `num_vertices`, `weight_dtype` and `rows` are known, and
    `put_all` makes another pass.

    Parameters
    ----------
    parts : Parts
    path : Path
        What to name in an error.
    options : Options
    directed : bool, optional
        For edges that don't say, whether they are directed.
    weight_dtype : dtype, optional
        That the weights are to have.

    Raises
    ------
    FormatError, OutOfMemoryError
        As by `minigr.read`.
    Unusual
        If edges must be looked at as a whole, also to say what is wrong with them.
    """

    def __init__(self, parts: Parts, path: Path, options: Options, directed: bool | None, weight_dtype: Any) -> None:
        self._parts, self._path = parts, path
        self._asked = None if weight_dtype is None else np.dtype(weight_dtype)
        self.directed = bool(directed) if parts.directed is None else parts.directed
        self._edges, self._largest = 0, -1
        self._kept: list[Edges] | None = []  # the parts, if there are few
        self._base = np.dtype(np.float64 if parts.real else np.int64) if parts.cast is None or parts.real else None
        self._least = self._most = 0  # of whole weights
        self._state, self._looked_through = self._stat(), False
        counted = self._look_through(options.num_vertices)
        self.num_vertices = self._count_of_vertices(options)
        if counted is None:
            counted = RowsOfParts(not self.directed)
            for src, dst, _ in self._each():
                counted.count(src, dst, self._largest)
        require_room(path, 8 * (self.num_vertices + 1), f"the rows of {self.num_vertices:,} vertices")
        self.rows, self.arcs = counted, counted.begin(self.num_vertices)
        self.weight_dtype = self._weights(np.empty(0, self._base or np.int64)).dtype if parts.weighted else None
        self.bytes_per_arc = 4 + (self.weight_dtype.itemsize if self.weight_dtype else 0)

    def put_all(self) -> None:
        """Put the arcs into their rows, as far as these have room."""
        for src, dst, weights in self._each():
            self.rows.put(src, dst, None if weights is None else self._weights(weights))
        if self._stat() != self._state:
            raise FormatError(self._path, "the file changed while it was read; read it again")

    def _stat(self) -> list[tuple[int, int, int]]:
        """What tells whether the files are those of the first pass."""
        stats = map(os.stat, self._parts.paths)
        return [(stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in stats]

    def _each(self) -> Any:
        """The parts: ends as int32, and weights."""
        for part in self._parts.read() if not self._looked_through or self._kept is None else self._kept:
            if not len(part.src):
                continue
            if not self._looked_through:
                self._keep(part)
            src, dst = (as_vector(CPU, ids, "ids") for ids in (part.src, part.dst))
            if src.dtype != np.int32 or dst.dtype != np.int32:
                if src.dtype.kind not in "iu" or dst.dtype.kind not in "iu":
                    raise Unusual
                if max(int(src.max()), int(dst.max())) >= MAX_VERTICES or min(int(src.min()), int(dst.min())) < 0:
                    raise Unusual
                src, dst = src.astype(np.int32), dst.astype(np.int32)
            yield src, dst, part.weights

    def _keep(self, part: Edges) -> None:
        """Keep a part of the first pass, unless too much is kept already."""
        if self._kept is not None:
            self._kept.append(part)
            if sum(each.src.nbytes for each in self._kept) > KEPT:
                self._kept = None

    def _look_through(self, expected: int | None) -> RowsOfParts | None:
        """Count edges, and the arcs of each row unless ids grow faster than edges; then None is returned."""
        rows: RowsOfParts | None = RowsOfParts(not self.directed)
        for src, dst, weights in self._each():
            self._edges += len(src)
            largest = max(int(src.max()), int(dst.max()))
            if largest > self._largest:
                self._largest = largest
                require_room(self._path, 8 * (largest + 2), f"the rows of {largest + 1:,} vertices")
            if min(int(src.min()), int(dst.min())) < 0:
                raise Unusual
            if self._largest >= max(ALWAYS_ALLOWED, PER_EDGE * self._edges, expected or 0):
                rows = None
            if rows is not None:
                rows.count(src, dst, self._largest)
            if weights is not None:
                self._base = weights.dtype if self._base is None else np.result_type(self._base, weights.dtype)
                if weights.dtype.kind == "i":
                    self._least = min(self._least, int(weights.min()))
                    self._most = max(self._most, int(weights.max()))
        self._looked_through = True
        return rows

    def _count_of_vertices(self, options: Options) -> int:
        """As `minigr.io.contents.vertices_of` finds it."""
        count = self._parts.num_vertices
        if count is not None:
            count = as_vertex_count(count, "the number of vertices")
            check_agrees(self._path, count, options)
        count = options.num_vertices if count is None else count
        if count is not None and self._largest >= count:
            raise Unusual
        count = self._largest + 1 if count is None else count
        if options.num_vertices is None:
            refuse_sparse(self._path, count, self._edges, REMEDY.format(count))
        return count

    def _weights(self, weights: Any) -> Any:
        """Weights of a part, as they are to be stored."""
        try:
            found = weights.astype(self._base, copy=False)
            if self._parts.cast is not None:
                found = self._parts.cast(found)
            elif found.dtype.kind == "i" and self._least >= -(2**31) and self._most < 2**31:
                found = found.astype(np.int32)
            if self._asked is not None:
                found = cast(as_vector(CPU, found, "weights"), self._asked, "")
            return as_weights(CPU, found, len(found))
        except (GraphError, FormatError):
            raise Unusual from None  # the whole is looked at for the number of the edge


def graph_of_parts(
    parts: Parts, path: Path, options: Options, directed: bool | None, weight_dtype: Any, empty: Callable[..., Any]
) -> Graph:
    """The graph on the CPU, in arrays that `empty` makes; see `Building` for what is raised."""
    building = Building(parts, path, options, directed, weight_dtype)
    what = f"a graph of {building.num_vertices:,} vertices and {building.arcs:,} arcs"
    require_room(path, building.arcs * building.bytes_per_arc, what)
    building.rows.allocate(building.weight_dtype, empty=empty)
    building.put_all()
    return redirected(Graph(Adjacency(*building.rows.finish()), building.directed, CPU), directed)
