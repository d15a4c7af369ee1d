"""Matrix Market files (.mtx): a square matrix, whose entry (i, j) is an arc from i to j; ids from 1.

A symmetric matrix is an undirected graph, every other a directed one; the entries are the weights, unless it is a
pattern. Of a dense (array) matrix, the entries that aren't zero are arcs. A file without the banner is taken for a
general matrix.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.convert import edge_arrays
from minigr.io.contents import Edges, Options, narrowed
from minigr.io.matrix_market_head import BANNER, Head, read_head
from minigr.io.note import note_of, with_noted_dtype
from minigr.io.replace import replacing
from minigr.io.rows_as_text import write_rows
from minigr.io.source import largest_content, open_source
from minigr.io.table import TableError, id_fault, read_table, weight_fault

if TYPE_CHECKING:
    from minigr.graphs import Graph

_SHORTEST_ENTRY = 2  # bytes: a digit and the end of the line


def read(path: Path, options: Options) -> Edges:
    """The arcs of a Matrix Market file; see the module's description."""
    with open_source(path, options.progress) as handle:
        head = read_head(handle, path)
        # refused here, because indexing a dense matrix takes memory by the size promised
        if head.entries * _SHORTEST_ENTRY > largest_content(path) + 1:
            raise FormatError(
                path, f"{head.entries} entries promised, more than the file can hold; is it cut short?", head.lines
            )
        if head.layout == "array":
            src, dst, weights = _dense(_checked_values(handle, head, path, options), head)
        else:
            src, dst, weights = _sparse(handle, head, path, options)
    if head.symmetry == "skew-symmetric":
        src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
        weights = None if weights is None else np.concatenate([weights, -weights])
    weights = narrowed(weights) if head.note is None else with_noted_dtype(weights, head.note)
    weights = weights if options.weights else None
    return Edges(src, dst, weights, head.size, directed=head.symmetry != "symmetric")


def _sparse(handle: BinaryIO, head: Head, path: Path, options: Options) -> tuple[Any, Any, Any]:
    start = handle.tell()
    weight = "weight" if options.weights else "value"
    names = ("src", "dst") if head.field == "pattern" else ("src", "dst", weight)
    try:
        src, dst, weights = read_table(handle, names, separator=r"\s+", comment="%")
        if len(src) != head.entries:
            raise TableError(f"there are {len(src)} entries")
        if len(src) and (min(src.min(), dst.min()) < 1 or max(src.max(), dst.max()) > head.size):
            raise TableError(f"an id is not between 1 and {head.size}")
        if head.field == "integer" and weights is not None and weights.dtype.kind != "i":
            raise TableError("a value is not a whole number")
    except TableError as error:
        handle.seek(start)
        _checked_values(handle, head, path, options)
        raise FormatError(path, f"the entries can't be read: {error}") from error
    if head.field == "real" and weights is not None:
        weights = weights.astype(np.float64, copy=False)  # whole numbers only, as it happens
    return src - 1, dst - 1, weights


def _dense(values: list[str], head: Head) -> tuple[Any, Any, Any]:
    """Arcs and weights of a dense matrix, stored by columns; of a symmetric one, what is below the diagonal."""
    weights = np.array(values, np.int64 if head.field == "integer" else np.float64)
    if head.symmetry == "general":
        columns, rows = np.divmod(np.arange(head.entries), max(head.size, 1))
    else:
        columns, rows = np.triu_indices(head.size, 0 if head.symmetry == "symmetric" else 1)
    there = weights != 0
    return rows[there], columns[there], weights[there]


def _checked_values(handle: BinaryIO, head: Head, path: Path, options: Options) -> list[str]:
    """The last field of each entry. Raises `FormatError` at the first line that is wrong."""
    ids = 0 if head.layout == "array" else 2
    width = ids + (head.field != "pattern")
    values: list[str] = []
    number = head.lines
    for raw in handle:
        number += 1
        fields = raw.decode(errors="replace").split("%")[0].split()
        if not fields:
            continue
        fault: str | None = None
        if len(values) == head.entries:
            fault = f"the size line promises {head.entries} entries, but another line follows"
        elif len(fields) != width:
            fault = f"expected {width} fields, got {len(fields)}"
        faults = [id_fault(field, lowest=1, highest=head.size) for field in fields[:ids]]
        faults += [_value_fault(field, head.field) for field in fields[ids:] if options.weights]
        if fault := fault or next(filter(None, faults), None):
            raise FormatError(path, fault, number)
        values.append(fields[-1])
    if len(values) < head.entries:
        what = f"the size line promises {head.entries} entries, but there are {len(values)}; is the file cut short?"
        raise FormatError(path, what, number)
    return values


def _value_fault(token: str, field: str) -> str | None:
    if field == "integer" and not re.fullmatch(r"[+-]?\d+", token):
        return f"{token[:40]!r} is not a whole number, but the banner says integer"
    return weight_fault(token)


def write(graph: Graph, path: Path) -> None:
    """Write `graph` as a coordinate matrix: symmetric if it is undirected, a pattern if it has no weights."""
    row, column, weights = edge_arrays(graph)
    if not graph.directed:
        row, column = column, row  # of a symmetric matrix, the lower triangle is what is stored
    columns = {"row": row + 1, "column": column + 1}
    field = "pattern"
    if weights is not None:
        columns["weight"] = weights
        field = "integer" if weights.dtype.kind == "i" else "real"
    banner = BANNER.format("coordinate", field, "general" if graph.directed else "symmetric")
    size = f"{graph.num_vertices} {graph.num_vertices} {len(row)}"
    with replacing(path) as handle:
        handle.write(f"{banner}\n% {note_of(graph)}\n{size}\n".encode())
        write_rows(handle, columns, " ")
