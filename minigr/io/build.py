"""Graphs from edges that are read in parts, twice. Only the rows are held in memory, never all edges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import FormatError, GraphError
from minigr.graphs import Graph
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.checks import MAX_VERTICES, as_vector
from minigr.graphs.rows_cpu import RowsOfParts
from minigr.io.contents import Edges, Options, Parts, may_count, plausible_count, redirected
from minigr.io.sizes import require_room
from minigr.io.source import Unchanged
from minigr.io.weighing import Weighing

KEPT = 1 << 20
"""The bytes of sources up to which edges are kept for the second pass."""


class Unusual(Exception):
    """The edges can't be processed part by part."""


class Building:
    """Builds rows on the CPU from edges that come in parts.

    The constructor makes the first pass over the edges. Then `arcs`, `num_vertices`, `weight_dtype` and `rows` are
    known, and `put_all` makes another pass.

    Parameters
    ----------
    parts : Parts
    path : Path
        The name for error messages.
    options : Options
    directed : bool, optional
        Whether edges are directed, if the file doesn't specify it.
    weight_dtype : dtype, optional
        The requested dtype of the weights.

    Raises
    ------
    FormatError, OutOfMemoryError
        As by `minigr.read`.
    Unusual
        If the edges must be processed as a whole, or if only the whole shows the error in them.
    """

    def __init__(self, parts: Parts, path: Path, options: Options, directed: bool | None, weight_dtype: Any) -> None:
        self._parts, self._path = parts, path
        self._weighing = Weighing(parts, weight_dtype)
        self.directed = bool(directed) if parts.directed is None else parts.directed
        self._edges, self._largest = 0, -1
        self._kept: list[Edges] | None = []  # the parts, if they are small
        self._unchanged, self._looked_through = Unchanged(parts.paths), False
        counted = self._look_through(options)
        self.num_vertices = plausible_count(path, parts.num_vertices, self._largest, self._edges, options)
        if self._largest >= self.num_vertices:
            raise Unusual
        self._require_rows(self.num_vertices)
        if counted is None:
            counted = RowsOfParts(not self.directed)
            for src, dst, _ in self._each():
                counted.count(src, dst, self._largest)
        self.rows, self.arcs = counted, counted.begin(self.num_vertices)
        self.weight_dtype = _or_unusual(lambda: self._weighing.dtype)
        self.bytes_per_arc = 4 + (self.weight_dtype.itemsize if self.weight_dtype else 0)

    def _require_rows(self, vertices: int) -> None:
        require_room(self._path, 8 * (vertices + 1), f"the rows of {vertices:,} vertices")

    def put_all(self) -> None:
        """Put the arcs into their rows, as far as the rows have space."""
        for src, dst, weights in self._each():
            self.rows.put(src, dst, None if weights is None else _or_unusual(partial(self._weighing.stored, weights)))
        self._unchanged.check()

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
        """Keep a part of the first pass, unless the kept parts are already too large."""
        if self._kept is not None:
            self._kept.append(part)
            if sum(each.src.nbytes for each in self._kept) > KEPT:
                self._kept = None

    def _look_through(self, options: Options) -> RowsOfParts | None:
        """Count edges, and the arcs of each row. Return None if ids grow too fast compared with edges."""
        rows: RowsOfParts | None = RowsOfParts(not self.directed)
        for src, dst, weights in self._each():
            before, self._edges = self._largest, self._edges + len(src)
            self._largest = max(before, int(src.max()), int(dst.max()))
            if min(int(src.min()), int(dst.min())) < 0:
                raise Unusual
            if not may_count(self._largest, self._edges, options):
                rows = None
            if rows is not None:
                if self._largest > before:
                    self._require_rows(self._largest + 1)
                rows.count(src, dst, self._largest)
            if weights is not None:
                self._weighing.see(weights)
        self._looked_through = True
        return rows


def _or_unusual(make: Callable[[], Any]) -> Any:
    """The result of `make` for weights. A wrong weight raises `Unusual`, because only the whole numbers its edge."""
    try:
        return make()
    except (GraphError, FormatError):
        raise Unusual from None


def graph_of_parts(
    parts: Parts, path: Path, options: Options, directed: bool | None, weight_dtype: Any, empty: Callable[..., Any]
) -> Graph:
    """Build the graph on the CPU, in arrays that `empty` makes; raises the errors of `Building`."""
    building = Building(parts, path, options, directed, weight_dtype)
    what = f"a graph of {building.num_vertices:,} vertices and {building.arcs:,} arcs"
    require_room(path, building.arcs * building.bytes_per_arc, what)
    building.rows.allocate(building.weight_dtype, empty=empty)
    building.put_all()
    return redirected(Graph(Adjacency(*building.rows.finish()), building.directed, CPU), directed)
