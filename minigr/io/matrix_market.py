"""Matrix Market files (.mtx): a square matrix, whose entry (i, j) is an arc from i to j; ids from 1.

A symmetric matrix is an undirected graph, every other a directed one; the entries are the weights, unless it is a
pattern. Of a dense (array) matrix, the entries that aren't zero are arcs. A file without the banner is taken for a
general matrix.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.graphs.convert import edge_arrays
from minigr.io.contents import Edges, Options, narrowed
from minigr.io.note import Note, note_of, parse_note, with_noted_dtype
from minigr.io.replace import replacing
from minigr.io.rows_as_text import write_rows
from minigr.io.source import largest_content, open_source
from minigr.io.table import id_fault, weight_fault

if TYPE_CHECKING:
    from minigr.graphs import Graph

_BANNER = "%%MatrixMarket matrix {} {} {}"
_LONGEST_LINE = 1 << 16
_SHORTEST_ENTRY = 2  # bytes: a digit and the end of the line


@dataclass(frozen=True)
class _Head:
    layout: str  # coordinate or array
    field: str  # pattern, integer or real
    symmetry: str  # general, symmetric or skew-symmetric
    size: int
    entries: int
    lines: int  # how many lines the head takes
    has_banner: bool
    note: Note | None

    @property
    def text(self) -> bytes:
        shape = f"{self.size} {self.size}" + (f" {self.entries}" if self.layout == "coordinate" else "")
        return f"{_BANNER.format(self.layout, self.field, self.symmetry)}\n{shape}\n".encode()


def read(path: Path, options: Options) -> Edges:
    """The arcs of a Matrix Market file; see the module's description."""
    with open_source(path, options.progress) as handle:
        head = _head(handle, path)
        if head.entries * _SHORTEST_ENTRY > largest_content(path) + 1:  # before memory for them is asked for
            raise FormatError(
                path, f"{head.entries} entries promised, more than the file can hold; is it cut short?", head.lines
            )
        body_start = handle.tell()
        if head.has_banner:
            handle.seek(0)
            try:
                return _edges(_parse(handle), head, path, options)
            except (ValueError, OverflowError):
                handle.seek(body_start)
        entries = _checked_entries(handle, head, path, options)
    # No banner, or blank lines and comments between the entries: nothing wrong, but too much for the fast parser.
    try:
        return _edges(_parse(io.BytesIO(head.text + entries)), head, path, options)
    except (ValueError, OverflowError) as error:
        raise FormatError(path, f"the matrix can't be read: {error}") from error


def _parse(handle: BinaryIO) -> Any:
    import scipy.io

    return scipy.io.mmread(handle, spmatrix=False)


def _edges(matrix: Any, head: _Head, path: Path, options: Options) -> Edges:
    if head.layout == "array":
        src, dst = (ids.astype(np.int32) for ids in np.nonzero(matrix))
        weights = matrix[src, dst]
    else:
        src, dst, weights = matrix.row, matrix.col, matrix.data
    if head.field == "pattern" or not options.weights:
        weights = None
    elif np.isnan(weights).any():
        raise ValueError("NaN")  # the second scan says where
    symmetric = head.symmetry == "symmetric"
    weights = narrowed(weights) if head.note is None else with_noted_dtype(weights, head.note)
    return Edges(src, dst, weights, head.size, directed=not symmetric, both_ways=symmetric)


def _head(handle: BinaryIO, path: Path) -> _Head:
    banner, note, kind, line = None, None, ("coordinate", "", "general"), 0
    while True:
        text = handle.readline(_LONGEST_LINE).decode(errors="replace")
        line += 1
        if line == 1 and text.startswith("%%"):
            banner, kind = text, _kind(text, path)
        elif not text or (text.strip() and not text.startswith("%")):
            break
        note = note or parse_note(text)
    what = "the size of the matrix (ROWS COLUMNS" + (")" if kind[0] == "array" else " ENTRIES)")
    if not re.fullmatch(r"\s*\d+\s+\d+" + (r"\s*" if kind[0] == "array" else r"\s+\d+\s*"), text):
        got = f"got {text.strip()[:40]!r}" if text else "but the file ends"
        raise FormatError(path, f"expected {what}, {got}", line)
    rows, columns, *entries = (int(number) for number in text.split())
    if rows != columns:
        raise FormatError(path, f"the matrix is {rows} by {columns}, but an adjacency matrix is square", line)
    if rows > MAX_VERTICES:
        raise FormatError(path, f"{rows} rows are more than int32 vertex ids allow ({MAX_VERTICES})", line)
    if kind[1] == "":
        kind = (kind[0], _field_of_first_entry(handle), kind[2])
    dense = rows * rows if kind[2] == "general" else rows * (rows + (1 if kind[2] == "symmetric" else -1)) // 2
    return _Head(*kind, rows, entries[0] if entries else dense, line, banner is not None, note)


def _kind(banner: str, path: Path) -> tuple[str, str, str]:
    words = banner.lower().split()
    if len(words) != 5 or words[0] != "%%matrixmarket" or words[1] != "matrix":
        raise FormatError(path, f"expected {_BANNER.format('LAYOUT', 'FIELD', 'SYMMETRY')!r}", 1)
    layout, field, symmetry = words[2:]
    field = {"double": "real", "unsigned-integer": "integer"}.get(field, field)
    if layout not in ("coordinate", "array") or symmetry not in ("general", "symmetric", "skew-symmetric"):
        raise FormatError(path, f"can't make a graph of a {layout} {symmetry} matrix", 1)
    if field not in ("pattern", "integer", "real"):
        raise FormatError(path, f"weights are integer or real, but the entries are {field}", 1)
    if field == "pattern" and (layout == "array" or symmetry == "skew-symmetric"):
        raise FormatError(
            path, f"there is no {layout} {symmetry} pattern matrix; should it be 'coordinate' 'general'?", 1
        )
    return layout, field, symmetry


def _field_of_first_entry(handle: BinaryIO) -> str:
    start = handle.tell()
    fields = next((raw.split() for raw in iter(lambda: handle.readline(_LONGEST_LINE), b"") if raw.strip()), [])
    handle.seek(start)
    return "pattern" if len(fields) == 2 else "real"


def _checked_entries(handle: BinaryIO, head: _Head, path: Path, options: Options) -> bytes:
    """The entries without comments and blank lines. Raises `FormatError` at the first line that is wrong."""

    def fail(message: str) -> NoReturn:
        raise FormatError(path, message, number)

    ids = 0 if head.layout == "array" else 2
    width = ids + (head.field != "pattern")
    entries: list[bytes] = []
    number = head.lines
    for number, raw in enumerate(handle, head.lines + 1):  # noqa: B007 - fail() uses the number
        fields = raw.decode(errors="replace").split()
        if not fields or fields[0].startswith("%"):
            continue
        if len(entries) == head.entries:
            fail(f"the size line promises {head.entries} entries, but another line follows")
        if len(fields) != width:
            fail(f"expected {width} fields, got {len(fields)}")
        for field in fields[:ids]:
            if fault := id_fault(field, lowest=1, highest=head.size):
                fail(fault)
        for field in fields[ids:]:
            fault = weight_fault(field)
            if fault and (options.weights or "NaN" not in fault):
                fail(fault)
            if head.field == "integer" and not re.fullmatch(r"[+-]?\d+", field):
                fail(f"{field[:40]!r} is not a whole number, but the banner says integer")
        entries.append(" ".join(fields).encode())
    if len(entries) < head.entries:
        fail(f"the size line promises {head.entries} entries, but there are {len(entries)}; is the file cut short?")
    return b"\n".join(entries) + b"\n"


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
    banner = _BANNER.format("coordinate", field, "general" if graph.directed else "symmetric")
    size = f"{graph.num_vertices} {graph.num_vertices} {len(row)}"
    with replacing(path) as handle:
        handle.write(f"{banner}\n% {note_of(graph)}\n{size}\n".encode())
        write_rows(handle, columns, " ")
