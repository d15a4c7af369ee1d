"""METIS graphs (.graph): ``n m [fmt [ncon]]``, then the neighbors of each vertex on a line of its own, ids from 1.

fmt has three digits: vertex sizes, vertex weights (ncon of them), edge weights. Sizes and vertex weights are read over.
A blank line is a vertex without neighbors; lines that begin with % are comments.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io import table
from minigr.io.contents import Edges, Options, narrowed
from minigr.io.sizes import require_room
from minigr.io.source import Line, blocks, largest_content, next_line, open_source
from minigr.io.table import split
from minigr.io.tokens import id_fault, whole

_BLANK = np.isin(np.arange(256), np.frombuffer(b" \t\r\n", np.uint8))


class _UnfitError(Exception):
    """The text is not as it should be; who raises it doesn't know the line."""


@dataclass(frozen=True)
class _Head:
    vertices: int
    edges: int
    skipped: int  # numbers about the vertex itself at the beginning of each line
    weighted: bool


def read(path: Path, options: Options) -> Edges:
    """The edges of a METIS file; each stands there twice, which is checked when the graph is built."""
    with open_source(path, options.progress) as handle:
        head, line = _head(handle, path)
        if head.vertices > largest_content(path):
            what = f"{head.vertices} vertices promised, each with a line, more than the file can hold; is it cut short?"
            raise FormatError(path, what, line)
        lengths, numbers = _rows(handle, path, head, line + 1)
    in_row = lengths - head.skipped
    per_arc = 2 if head.weighted else 1
    arcs = int(in_row.sum()) // per_arc
    # The blank line of a last vertex without neighbors is easily lost; more lines than one are not.
    missing = head.vertices - len(lengths)
    if arcs != 2 * head.edges or missing > (0 if head.skipped else 1):
        raise FormatError(
            path,
            f"the header promises {head.vertices} vertices and {head.edges} edges, each in two lines, but there are "
            f"{arcs} neighbors in {len(lengths)} lines; is the file cut short?",
        )
    if head.skipped:
        starts = np.cumsum(lengths) - lengths
        numbers = numbers[np.arange(len(numbers)) - np.repeat(starts, lengths) >= head.skipped]
    src = np.repeat(np.arange(len(lengths), dtype=np.int32), in_row // per_arc)
    dst, weights = numbers[::per_arc], numbers[1::2] if head.weighted and options.weights else None
    return Edges(src, (dst - 1).astype(np.int32), narrowed(weights), head.vertices, directed=False, both_ways=True)


def _head(handle: BinaryIO, path: Path) -> tuple[_Head, int]:
    """The header, and the number of its line."""
    line = 1
    while (raw := next_line(handle, path, line, b"%")).startswith(b"%"):
        line += 1
    fields = split(raw.decode(errors="replace").strip(" \t\r\n"), " ")
    counts = [whole(field) for field in fields]
    if not 2 <= len(fields) <= 4 or any(count is None or count < 0 for count in counts):
        text = " ".join(fields)
        raise FormatError(path, f"expected 'VERTICES EDGES [FORMAT [CONSTRAINTS]]', got {text[:60]!r}", line)
    vertices, edges = counts[0] or 0, counts[1] or 0
    constraints = (counts[3] or 0) if len(counts) > 3 else 1
    code = fields[2].zfill(3) if len(fields) > 2 else "000"
    if vertices > MAX_VERTICES or not re.fullmatch("[01]{3}", code):
        what = f"{vertices} vertices in format {code[:9]}: at most {MAX_VERTICES}, and three digits 0 or 1"
        raise FormatError(path, what, line)
    if constraints > MAX_VERTICES:
        raise FormatError(path, f"{constraints} weights for each vertex are more than the file can hold", line)
    return _Head(vertices, edges, int(code[0]) + constraints * int(code[1]), code[2] == "1"), line


def _rows(handle: BinaryIO, path: Path, head: _Head, line: int) -> tuple[Any, Any]:
    """How many numbers there are in the line of each vertex, and the numbers."""
    lengths, numbers = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    vertex = count = 0
    at = Line(line)
    for block in blocks(handle, path, at, b"%", long_lines=True):
        try:
            of_lines, of_block = _parsed(block, head, vertex)
        except _UnfitError as error:
            _raise_at_line(block, path, head, vertex, at.number)
            raise FormatError(path, f"the lines from {at.number} on can't be read: {error}") from error
        lengths.append(of_lines)
        numbers.append(of_block)
        vertex += len(of_lines)
        at.number += block.count(b"\n")
        count += len(of_block)
        require_room(path, 3 * 8 * (count + vertex), "its rows")
    return np.concatenate(lengths), np.concatenate(numbers)


def _parsed(block: bytes, head: _Head, vertex: int) -> tuple[Any, Any]:
    """The same of some lines, of which the first is that of vertex `vertex`."""
    if b"%" in block:
        block = re.sub(rb"(?m)^%.*\n?", b"", block)
    if _has_odd_blanks(block):
        raise _UnfitError("there is a blank character that is neither a blank nor a tab nor the end of a line")
    lengths = _fields_per_line(block)
    rest = head.vertices - vertex
    if lengths[rest:].any():
        raise _UnfitError("there are more lines than vertices")
    lengths = lengths[:rest]
    in_row = lengths - head.skipped
    if (in_row < 0).any() or (head.weighted and (in_row % 2).any()):
        raise _UnfitError("a line is too short")
    numbers = _whole_numbers(block)
    if len(numbers) != lengths.sum():
        raise _UnfitError("not every field is a number")
    starts = np.cumsum(lengths) - lengths
    place = np.arange(len(numbers)) - np.repeat(starts, lengths) - head.skipped
    ends = numbers[(place >= 0) & (place % 2 == 0)] if head.weighted else numbers[place >= 0]
    if len(ends) and (ends.min() < 1 or ends.max() > head.vertices):
        raise _UnfitError(f"a neighbor is not between 1 and {head.vertices}")
    return lengths, numbers


def _has_odd_blanks(block: bytes) -> bool:
    """Whether there are blanks that pandas takes as it likes: a carriage return alone, a vertical tab, a form feed.

    Before version 3 it takes a zero byte for the end of a number, too.
    """
    if b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
        return True
    return b"\v" in block or b"\f" in block or b"\0" in block


def _fields_per_line(block: bytes) -> Any:
    text = np.frombuffer(block if block.endswith(b"\n") or not block else block + b"\n", np.uint8)
    blank = _BLANK[text]
    begins = ~blank
    begins[1:] &= blank[:-1]
    ends = np.searchsorted(np.flatnonzero(begins), np.flatnonzero(text == ord("\n")))
    return np.diff(ends, prepend=0)


def _whole_numbers(block: bytes) -> Any:
    if len(block) <= table.SHORT:
        values = [
            whole(token) for token in re.split("[ \t\r\n]+", block.decode(errors="replace").strip(" \t\r\n")) if token
        ]
        if any(value is None or not -(2**63) <= value < 2**63 for value in values):
            raise _UnfitError("a field is not a whole number of 64 bits")
        return np.array(values, np.int64)
    if b"," in block:  # which pandas would take for the end of a field
        raise _UnfitError("a field is not a whole number of 64 bits")
    import pandas as pd

    a_line_each = io.BytesIO(block.translate(bytes.maketrans(b" \t\r", b"\n" * 3)))
    try:
        frame = pd.read_csv(a_line_each, header=None, names=["x"], quoting=3, na_filter=False, low_memory=False)
    except (ValueError, OverflowError) as error:
        raise _UnfitError(str(error)) from error
    numbers = frame["x"].to_numpy()
    if len(numbers) and numbers.dtype.kind != "i":
        raise _UnfitError("a field is not a whole number of 64 bits")
    return numbers.astype(np.int64, copy=False)


def _raise_at_line(block: bytes, path: Path, head: _Head, vertex: int, line: int) -> None:
    """Raise `FormatError` at the first line that is wrong by itself."""
    for number, raw in enumerate(block.split(b"\n"), line):
        if raw.startswith(b"%") or (number == line + block.count(b"\n") and not raw):
            continue  # what follows the last end of line is no line
        fields = split(raw.decode(errors="replace").strip(" \t\r"), " ")
        fault: str | None = None
        if vertex < head.vertices:
            fault = _fault_of_line(fields, head)
        elif fields:
            fault = f"the header promises {head.vertices} vertices, but another line follows"
        if fault:
            raise FormatError(path, fault, number)
        vertex += 1


def _fault_of_line(fields: list[str], head: _Head) -> str | None:
    if len(fields) < head.skipped or (head.weighted and (len(fields) - head.skipped) % 2):
        return f"expected {head.skipped} numbers of the vertex, then neighbors{' and weights' * head.weighted}"
    for i, field in enumerate(fields):
        at = i - head.skipped
        if at < 0 or (head.weighted and at % 2):
            fault = id_fault(field, -(2**63), 2**63 - 1, "weight")
        else:
            fault = id_fault(field, 1, head.vertices)
        if fault:
            return fault
    return None
