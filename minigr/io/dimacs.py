"""DIMACS shortest-path graphs (.gr): ``p sp n m``, then m lines ``a u v w``, ids from 1.

Lines that begin with c are comments. Without a p line, ids count from 0. A .gr file that begins with SECTION is a PACE
file; see `pace`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io import pace
from minigr.io.contents import Edges, Options, Parts
from minigr.io.parser import read_parts
from minigr.io.source import next_line, open_source
from minigr.io.table import Table
from minigr.io.tokens import whole

_ARC = "a FROM TO WEIGHT"


@dataclass(frozen=True)
class Head:
    """The contents of the lines before the arcs."""

    start: int  # byte where the arcs begin
    lines: int  # number of lines before
    vertices: int | None  # number in the p line
    arcs: int | None


def read(path: Path, options: Options) -> Edges | Parts:
    """The arcs of a DIMACS file, or the edges of a PACE file."""
    with open_source(path, options.progress) as handle:
        if pace.begins_here(handle):
            return pace.read_edges(handle, path, options)
        head = head_of(handle, path)
    table = table_of(head, options)
    lowest = table.lowest

    def parts() -> Iterator[Edges]:
        with open_source(path, options.progress) as handle:
            handle.seek(head.start)
            for part in read_parts(handle, path, table, head.lines + 1):
                yield Edges(part["src"] - lowest, part["dst"] - lowest, part.get("weight"))

    return Parts((path,), parts, head.vertices, True, options.weights)


def table_of(head: Head, options: Options) -> Table:
    """The format of the arcs."""
    return Table(
        ("mark", "src", "dst", "weight" if options.weights else "value"),
        comment="",
        comment_line="c",
        mark="a",
        lowest=0 if head.vertices is None else 1,
        highest=MAX_VERTICES - 1 if head.vertices is None else head.vertices,
        promised=head.arcs,
        promise="the p line promises {} arcs",
        shape=_ARC,
    )


def head_of(handle: BinaryIO, path: Path) -> Head:
    lines = 0
    while True:
        start = handle.tell()
        raw = next_line(handle, path, lines + 1, b"c")
        text = raw.decode(errors="replace").strip(" \t\r\n")
        if raw and (not text or text.startswith("c")):
            lines += 1
            continue
        if promise := re.fullmatch(r"p\s+sp\s+([0-9]+)\s+([0-9]+)", text):
            vertices, arcs = (whole(count) or 0 for count in promise.groups())
            if vertices > MAX_VERTICES:
                raise FormatError(
                    path, f"{vertices} vertices are more than int32 ids allow ({MAX_VERTICES})", lines + 1
                )
            return Head(handle.tell(), lines + 1, vertices, arcs)
        if re.match(r"a\s", text):
            return Head(start, lines, None, None)
        what = f"got {text[:40]!r}" if raw else "but the file ends"
        raise FormatError(path, f"expected 'p sp VERTICES ARCS' or '{_ARC}', {what}", lines + 1)
