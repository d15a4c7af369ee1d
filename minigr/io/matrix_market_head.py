"""The head of a Matrix Market file: banner, comments, size line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.note import Note, parse_note

BANNER = "%%MatrixMarket matrix {} {} {}"
LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class Head:
    """The banner and the size line of a Matrix Market file."""

    layout: str  # coordinate or array
    field: str  # pattern, integer or real
    symmetry: str  # general, symmetric or skew-symmetric
    size: int
    entries: int
    lines: int  # how many lines the head takes
    note: Note | None


def read_head(handle: BinaryIO, path: Path) -> Head:
    """The head of a file; leaves `handle` at the first entry."""
    note, kind, line = None, ("coordinate", "", "general"), 0
    while True:
        text = handle.readline(LONGEST_LINE).decode(errors="replace")
        line += 1
        if line == 1 and text.startswith("%%"):
            kind = _kind(text, path)
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
    return Head(*kind, rows, entries[0] if entries else dense, line, note)


def _kind(banner: str, path: Path) -> tuple[str, str, str]:
    words = banner.lower().split()
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


def _field_of_first_entry(handle: BinaryIO) -> str:
    start = handle.tell()
    fields = next((raw.split() for raw in iter(lambda: handle.readline(LONGEST_LINE), b"") if raw.strip()), [])
    handle.seek(start)
    return "pattern" if len(fields) == 2 else "real"
