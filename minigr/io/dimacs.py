"""DIMACS shortest-path graphs (.gr): ``p sp n m``, then m lines ``a u v w``, ids from 1.

Lines that begin with c are comments. A file without the p line is taken to count from 0. A .gr file that begins with
SECTION is a PACE one, see `pace`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io import pace
from minigr.io.contents import Edges, Options, narrowed
from minigr.io.source import open_source
from minigr.io.table import TableError, id_fault, read_table, weight_fault

_FIELDS = ("mark", "src", "dst", "weight")
_LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class _Head:
    start: int  # where the arcs begin, in bytes
    lines: int  # how many lines come before
    vertices: int | None  # as promised by the p line
    arcs: int | None


def read(path: Path, options: Options) -> Edges:
    """The arcs of a DIMACS file, or the edges of a PACE one."""
    with open_source(path, options.progress) as handle:
        if pace.begins_here(handle):
            return pace.read_edges(handle, path, options)
        head = _head(handle, path)
        lowest = 0 if head.vertices is None else 1
        highest = MAX_VERTICES - 1 if head.vertices is None else head.vertices
        handle.seek(head.start)
        try:
            src, dst, weights = read_table(handle, _FIELDS, separator=r"\s+", comment="c", mark="a")
            if len(src) and (min(src.min(), dst.min()) < lowest or max(src.max(), dst.max()) > highest):
                raise TableError(f"a vertex id is not between {lowest} and {highest}")
        except TableError as error:
            handle.seek(head.start)
            _raise_at_line(handle, path, head.lines, lowest, highest)
            raise FormatError(path, f"the arcs can't be read: {error}") from error
    if head.arcs is not None and len(src) != head.arcs:
        raise FormatError(
            path, f"the p line promises {head.arcs} arcs, but there are {len(src)}; is the file cut short?"
        )
    if lowest == 1:
        src, dst = src - 1, dst - 1
    return Edges(src, dst, narrowed(weights) if options.weights else None, head.vertices, directed=True)


def _head(handle: BinaryIO, path: Path) -> _Head:
    lines = 0
    while True:
        start = handle.tell()
        raw = handle.readline(_LONGEST_LINE)
        text = raw.decode(errors="replace").strip()
        if raw and (not text or text == "c" or text.startswith(("c ", "c\t"))):
            lines += 1
            continue
        if promise := re.fullmatch(r"p\s+sp\s+(\d+)\s+(\d+)", text):
            vertices, arcs = (int(number) for number in promise.groups())
            if vertices > MAX_VERTICES:
                raise FormatError(
                    path, f"{vertices} vertices are more than int32 ids allow ({MAX_VERTICES})", lines + 1
                )
            return _Head(handle.tell(), lines + 1, vertices, arcs)
        if re.match(r"a\s", text):
            return _Head(start, lines, None, None)
        what = f"got {text[:40]!r}" if raw else "but the file ends"
        raise FormatError(path, f"expected 'p sp VERTICES ARCS' or 'a FROM TO WEIGHT', {what}", lines + 1)


def _raise_at_line(handle: BinaryIO, path: Path, lines: int, lowest: int, highest: int) -> Any:
    for number, raw in enumerate(handle, lines + 1):
        fields = raw.decode(errors="replace").split("c", maxsplit=1)[0].split()
        if not fields:
            continue
        if len(fields) != 4 or fields[0] != "a":
            raise FormatError(path, f"expected 'a FROM TO WEIGHT', got {' '.join(fields)[:60]!r}", number)
        fault = id_fault(fields[1], False, lowest, highest) or id_fault(fields[2], False, lowest, highest)
        if fault := fault or weight_fault(fields[3]):
            raise FormatError(path, fault, number)
