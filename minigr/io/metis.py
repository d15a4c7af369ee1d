"""METIS graphs (.graph): ``n m [fmt [ncon]]``, then the neighbors of each vertex on a line of its own, ids from 1.

fmt has three digits: vertex sizes, vertex weights (ncon per vertex), edge weights. Sizes and vertex weights are
skipped. A blank line is a vertex without neighbors; lines that begin with % are comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.graphs.rows_cpu import sort_rows
from minigr.io.contents import Options, Rows
from minigr.io.sizes import require_room
from minigr.io.source import Line, blocks, largest_content, next_line, open_source
from minigr.io.table import split
from minigr.io.text_cpu import numbers_of_lines
from minigr.io.tokens import id_fault, whole

_SHORTEST_NEIGHBOR = 2  # bytes: a digit, and a blank or the end of the line


@dataclass(frozen=True)
class Head:
    """The content of the first line."""

    vertices: int
    edges: int
    skipped: int  # numbers about the vertex at the beginning of each line
    weighted: bool


def read(path: Path, options: Options) -> Rows:
    """The rows of a METIS file. Graph construction checks that each edge occurs twice."""
    with open_source(path, options.progress) as handle:
        head, line = head_of(handle, path)
        needs = max(head.vertices, 2 * _SHORTEST_NEIGHBOR * head.edges - 1)
        if needs > largest_content(path):
            what = f"the header promises {head.vertices} vertices, each with a line, and {head.edges} edges, each in "
            what += "two lines, more than the file can hold; is it cut short?"
            raise FormatError(path, what, line)
        rows = _Rows(path, head, options)
        at = Line(line + 1)
        for block in blocks(handle, path, at, b"%", long_lines=True):
            rows.take(*(_parsed(block, head, rows.lines) or _line_by_line(block, path, head, rows.lines, at.number)))
            at.number += block.count(b"\n")
    return rows.finished()


def has_weights(head: Head, options: Options) -> bool:
    """Whether the graph gets weights."""
    return head.weighted and options.weights


class _Rows:
    """Rows to which the lines of each block are appended."""

    def __init__(self, path: Path, head: Head, options: Options) -> None:
        self._path, self._head, self._weighted = path, head, has_weights(head, options)
        self._starts = np.zeros(head.vertices + 1, np.int64)
        require_room(path, 2 * head.edges * (4 + 4 * self._weighted), "its rows")
        self._ends = np.empty(2 * head.edges, np.int32)
        self._weights = np.empty(2 * head.edges if self._weighted else 0, np.int32)  # int64 as soon as needed
        self.lines = self._arcs = 0

    def take(self, lengths: Any, ends: Any, weights: Any) -> None:
        """Append the rows of some lines: their lengths, ends and weights."""
        last, arcs = self.lines + len(lengths), self._arcs + len(ends)
        np.cumsum(lengths, out=self._starts[self.lines + 1 : last + 1])
        self._starts[self.lines + 1 : last + 1] += self._arcs
        if arcs <= len(self._ends):  # otherwise the file is refused at the end, when the count is known
            np.subtract(ends, 1, out=self._ends[self._arcs : arcs], casting="unsafe")
            if self._weighted:
                if len(weights) and (weights.min() < -(2**31) or weights.max() >= 2**31):
                    self._weights = self._weights.astype(np.int64, copy=False)
                self._weights[self._arcs : arcs] = weights
        self.lines, self._arcs = last, arcs

    def finished(self) -> Rows:
        """All rows in order."""
        head, arcs = self._head, self._arcs
        # The blank line of a last vertex without neighbors is easily lost, but more than one line is not.
        missing = head.vertices - self.lines
        if arcs != 2 * head.edges or missing > (0 if head.skipped else 1):
            raise FormatError(
                self._path,
                f"the header promises {head.vertices} vertices and {head.edges} edges, each in two lines, but there "
                f"are {arcs} neighbors in {self.lines} lines; is the file cut short?",
            )
        self._starts[self.lines :] = arcs
        bits = self._weights.view(f"i{self._weights.itemsize}")
        sort_rows(head.vertices, self._starts, self._ends, bits)
        return Rows(self._starts, self._ends, self._weights if self._weighted else None)


def head_of(handle: BinaryIO, path: Path) -> tuple[Head, int]:
    """The header, and its line number."""
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
        what = f"the header has {vertices} vertices and format {code[:9]}"
        what += f": there may be at most {MAX_VERTICES}, and the format must be three digits 0 or 1"
        raise FormatError(path, what, line)
    if constraints > MAX_VERTICES:
        raise FormatError(path, f"{constraints} weights for each vertex are more than the file can hold", line)
    return Head(vertices, edges, int(code[0]) + constraints * int(code[1]), code[2] == "1"), line


def _parsed(block: bytes, head: Head, vertex: int) -> tuple[Any, Any, Any] | None:
    """The lengths of the rows of some lines, and their ends and weights; `vertex` is the vertex of the first line.

    None if something in the lines is unusual or wrong.
    """
    if b"%" in block:
        block = re.sub(rb"(?m)^%.*\n?", b"", block)
    text = block if block.endswith(b"\n") or not block else block + b"\n"
    lengths, numbers = np.empty(text.count(b"\n"), np.int64), np.empty(len(text) // 2 + 1, np.int64)
    count = numbers_of_lines(np.frombuffer(text, np.uint8), lengths, numbers)
    rest = head.vertices - vertex
    in_row = lengths[:rest] - head.skipped
    if count < 0 or lengths[rest:].any() or (in_row < 0).any() or (head.weighted and (in_row % 2).any()):
        return None
    rows = _rows(lengths[:rest], numbers[:count], head)
    ends = rows[1]
    return None if len(ends) and (ends.min() < 1 or ends.max() > head.vertices) else rows


def _rows(lengths: Any, numbers: Any, head: Head) -> tuple[Any, Any, Any]:
    """The lengths of rows, their ends and weights, from the numbers and the number of them in each line."""
    if head.skipped:
        starts = np.cumsum(lengths) - lengths
        numbers = numbers[np.arange(len(numbers)) - np.repeat(starts, lengths) >= head.skipped]
    per_arc = 2 if head.weighted else 1
    return (lengths - head.skipped) // per_arc, numbers[::per_arc], numbers[1::2] if head.weighted else None


def _line_by_line(block: bytes, path: Path, head: Head, vertex: int, line: int) -> tuple[Any, Any, Any]:
    """Like `_parsed`, but line by line; raises `FormatError` at the first wrong line."""
    lengths: list[int] = []
    numbers: list[int] = []
    for number, raw in enumerate(block.split(b"\n"), line):
        if raw.startswith(b"%") or (number == line + block.count(b"\n") and not raw):
            continue  # the text after the last line end is not a line
        fields = split(raw.removesuffix(b"\r").decode(errors="replace"), " ")
        if vertex + len(lengths) < head.vertices:
            fault = _fault_of_line(fields, head)
            lengths.append(len(fields))
        else:
            fault = f"the header promises {head.vertices} vertices, but another line follows" if fields else None
        if fault:
            raise FormatError(path, fault, number)
        numbers += [whole(field) or 0 for field in fields]
    return _rows(np.array(lengths, np.int64), np.array(numbers, np.int64), head)


def _fault_of_line(fields: list[str], head: Head) -> str | None:
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
