"""The head of a Matrix Market file: banner, comments, size line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.note import Note, parse_note
from minigr.io.source import next_line
from minigr.io.table import split
from minigr.io.tokens import whole

BANNER = "%%MatrixMarket matrix {} {} {}"


@dataclass(frozen=True)
class Head:
    """The banner and the size line of a Matrix Market file."""

    layout: str  # coordinate or array
    field: str  # pattern, integer or real
    symmetry: str  # general, symmetric or skew-symmetric
    size: int
    entries: int
    lines: int  # number of lines of the head
    note: Note | None


def read_head(handle: BinaryIO, path: Path) -> Head:
    """The head of a file. Leaves `handle` at the first entry."""
    note, kind, line = None, ("coordinate", "", "general"), 0
    while True:
        line += 1
        raw = next_line(handle, path, line, b"%")
        text = raw.decode(errors="replace")
        if line == 1 and text.startswith("%%"):
            kind = _kind(text, path)
        elif not text or (text.strip() and not text.startswith("%")):
            break
        note = note or parse_note(raw, path, line)
    what = "the size of the matrix (ROWS COLUMNS" + (")" if kind[0] == "array" else " ENTRIES)")
    sizes = [whole(token) for token in split(text.strip(" \t\r\n"), " ")]
    if len(sizes) != (2 if kind[0] == "array" else 3) or any(size is None or size < 0 for size in sizes):
        got = f"got {text.strip()[:40]!r}" if text else "but the file ends"
        raise FormatError(path, f"expected {what}, {got}", line)
    rows, columns, *entries = (size or 0 for size in sizes)
    if rows != columns:
        raise FormatError(path, f"the matrix is {rows} by {columns}, but an adjacency matrix is square", line)
    if rows > MAX_VERTICES:
        raise FormatError(path, f"{rows} rows are more than int32 vertex ids allow ({MAX_VERTICES})", line)
    if kind[1] == "":
        kind = (kind[0], _field_of_first_entry(handle, path, line + 1), kind[2])
    dense = rows * rows if kind[2] == "general" else rows * (rows + (1 if kind[2] == "symmetric" else -1)) // 2
    head = Head(*kind, rows, entries[0] if entries else dense, line, note)
    if note is not None and note.num_vertices != rows:
        raise note.fault(path, f"{note.num_vertices} vertices, but the matrix has {rows} rows")
    if note is not None and note.directed != (head.symmetry != "symmetric"):
        raise note.fault(path, f"{'' if note.directed else 'un'}directed, but the matrix is {head.symmetry}")
    return head


def _kind(banner: str, path: Path) -> tuple[str, str, str]:
    words = split(banner.lower().strip(" \t\r\n"), " ")
    if len(words) != 5 or words[0] != "%%matrixmarket" or words[1] != "matrix":
        raise FormatError(path, f"expected {BANNER.format('LAYOUT', 'FIELD', 'SYMMETRY')!r}", 1)
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


def _field_of_first_entry(handle: BinaryIO, path: Path, line: int) -> str:
    start = handle.tell()
    fields: list[bytes] = []
    while not fields and (raw := next_line(handle, path, line, b"%")):
        fields = raw.split(b"%")[0].split()
        line += 1
    handle.seek(start)
    return "pattern" if len(fields) == 2 else "real"
