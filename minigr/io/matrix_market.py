"""Matrix Market files (.mtx): a square matrix, whose entry (i, j) is an arc from i to j; ids from 1.

A symmetric matrix is an undirected graph, and any other matrix is a directed graph. The entries are the weights, unless
the matrix is a pattern. In a dense (array) matrix, the nonzero entries are arcs. A file without the banner is treated
as a general matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.errors import FormatError
from minigr.io.contents import Edges, Options, Parts, narrowed
from minigr.io.matrix_market_head import BANNER, Head, read_head
from minigr.io.note import note_of
from minigr.io.parser import read_parts, read_table
from minigr.io.pieces import edges_in_pieces
from minigr.io.rows_as_text import write_rows
from minigr.io.source import largest_content, open_source
from minigr.io.table import Table
from minigr.replace import replacing

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.graphs.partitioned.queries import PartsQueries

_SHORTEST_ENTRY = 2  # bytes: a digit and the end of the line
_PROMISE = "the size line promises {} entries"


def read(path: Path, options: Options) -> Edges | Parts:
    """The arcs of a Matrix Market file; see the module's description."""
    with open_source(path, options.progress) as handle:
        head = read_head(handle, path)
        if head.entries * _SHORTEST_ENTRY > largest_content(path) + 1:
            raise FormatError(
                path,
                f"the size line promises {head.entries} entries, more than the file can hold; is it cut short?",
                head.lines,
            )
        weight = "weight" if options.weights else "value"
        ids = () if head.layout == "array" else ("src", "dst")
        table = Table(
            ids + (() if head.field == "pattern" else ("weight" if head.layout == "array" else weight,)),
            comment="%",
            lowest=1,
            highest=head.size,
            whole=head.field == "integer",
            promised=head.entries,
            promise=_PROMISE,
        )
        if head.layout == "coordinate" and head.symmetry != "skew-symmetric":
            return _parts(path, options, head, table, handle.tell())
        columns = read_table(handle, path, table, head.lines + 1)
    weights = columns.get("weight")
    if head.field == "real" and weights is not None:
        weights = weights.astype(np.float64, copy=False)  # even if all weights are whole numbers
    if head.layout == "array":
        src, dst, weights = _dense(weights, head)
    else:
        src, dst = columns["src"] - 1, columns["dst"] - 1
    if head.symmetry == "skew-symmetric":
        off = src != dst  # an entry on the diagonal is there once
        src, dst = np.concatenate([src, dst[off]]), np.concatenate([dst, src[off]])
        weights = None if weights is None else np.concatenate([weights, -weights[off]])
    weights = weights if options.weights else None
    if head.note is not None and options.weights:
        head.note.check_weights(weights is not None, path)
    weights = narrowed(weights) if head.note is None or weights is None else head.note.cast(weights, path)
    return Edges(src, dst, weights, head.size, directed=head.symmetry != "symmetric")


def _parts(path: Path, options: Options, head: Head, table: Table, start: int) -> Parts:
    """The entries of a sparse matrix, from byte `start` on. Each entry is an arc or an edge."""
    weighted, real = "weight" in table.wanted, head.field == "real"
    if head.note is not None and options.weights:
        head.note.check_weights(weighted, path)

    def parts() -> Iterator[Edges]:
        with open_source(path, options.progress) as handle:
            handle.seek(start)
            for part in read_parts(handle, path, table, head.lines + 1):
                weights = part.get("weight")
                if weights is not None and real:
                    weights = weights.astype(np.float64, copy=False)  # even if all weights are whole numbers
                yield Edges(part["src"] - 1, part["dst"] - 1, weights)

    cast = None if head.note is None else partial(head.note.cast, path=path)
    return Parts((path,), parts, head.size, head.symmetry == "general", weighted, real, cast)


def _dense(values: Any, head: Head) -> tuple[Any, Any, Any]:
    """Arcs and weights of a dense matrix, stored by columns; a symmetric matrix stores the part below the diagonal."""
    there = np.flatnonzero(values)
    if head.symmetry == "general":
        columns, rows = np.divmod(there, max(head.size, 1))
    else:
        above = 0 if head.symmetry == "symmetric" else 1  # rows that a column omits, in addition to its number
        lengths = np.arange(head.size - above, 0, -1)
        starts = np.cumsum(lengths) - lengths
        columns = np.searchsorted(starts, there, side="right") - 1
        rows = there - starts[columns] + columns + above
    return rows.astype(np.int32), columns.astype(np.int32), values[there]


def write(graph: Graph | PartsQueries, path: Path) -> None:
    """Write `graph` as a coordinate matrix: symmetric if it is undirected, a pattern if it has no weights."""
    field = "pattern"
    if graph.weighted:
        field = "integer" if graph.weight_dtype.kind == "i" else "real"
    banner = BANNER.format("coordinate", field, "general" if graph.directed else "symmetric")
    size = f"{graph.num_vertices} {graph.num_vertices} {graph.num_edges}"
    with replacing(path) as handle:
        handle.write(f"{banner}\n% {note_of(graph)}\n{size}\n".encode())
        for row, column, weights in edges_in_pieces(graph):
            # A symmetric matrix stores the lower triangle.
            row, column = (row, column) if graph.directed else (column, row)
            columns = {"row": row + 1, "column": column + 1} | ({} if weights is None else {"weight": weights})
            write_rows(handle, columns, " ")
