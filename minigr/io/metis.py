"""METIS graphs (.graph): ``n m [fmt [ncon]]``, then the neighbors of each vertex on a line of its own, ids from 1.

fmt has three digits: vertex sizes, vertex weights (ncon of them), edge weights. Sizes and vertex weights are read over.
A blank line is a vertex without neighbors; lines that begin with % are comments.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.contents import Edges, Options, narrowed
from minigr.io.source import open_source
from minigr.io.table import TableError, id_fault, weight_fault


@dataclass(frozen=True)
class _Head:
    vertices: int
    edges: int
    skipped: int  # numbers about the vertex itself at the beginning of each line
    weighted: bool


def read(path: Path, options: Options) -> Edges:
    """The edges of a METIS file; each stands there twice, which is checked when the graph is built."""
    with open_source(path, options.progress) as handle:
        data = handle.read()
    try:
        return _parse(data, options)
    except TableError as error:
        _raise_at_line(data, path)
        raise FormatError(path, str(error)) from error


def _parse(data: bytes, options: Options) -> Edges:
    body = re.sub(rb"(?m)^%.*\n?", b"", data) if b"%" in data else data
    first, _, body = body.partition(b"\n")
    head = _head(first.decode(errors="replace"))
    lengths = _fields_per_line(body)
    if lengths[head.vertices :].any():
        raise TableError("there are more lines than vertices")
    lengths = lengths[: head.vertices]
    in_row = lengths - head.skipped
    if (in_row < 0).any() or (head.weighted and (in_row % 2).any()):
        raise TableError("a line is too short")
    per_arc = 2 if head.weighted else 1
    arcs = int(in_row.sum()) // per_arc
    if arcs != 2 * head.edges or (head.skipped and len(lengths) < head.vertices):
        raise TableError(
            f"the header promises {head.edges} edges, each in two lines, but there are {arcs} neighbors in "
            f"{len(lengths)} lines; is the file cut short?"
        )
    numbers = _whole_numbers(body)
    starts = np.cumsum(lengths) - lengths
    place = np.arange(len(numbers)) - np.repeat(starts, lengths)
    numbers = numbers[place >= head.skipped]
    src = np.repeat(np.arange(len(lengths), dtype=np.int32), in_row // per_arc)
    dst, weights = numbers[::per_arc], numbers[1::2] if head.weighted and options.weights else None
    if arcs and (dst.min() < 1 or dst.max() > head.vertices):
        raise TableError(f"a neighbor is not between 1 and {head.vertices}")
    return Edges(src, (dst - 1).astype(np.int32), narrowed(weights), head.vertices, directed=False, both_ways=True)


def _head(text: str) -> _Head:
    fields = text.split()
    if not 2 <= len(fields) <= 4 or not all(field.isdecimal() for field in fields):
        raise TableError(f"expected 'VERTICES EDGES [FORMAT [CONSTRAINTS]]', got {text.strip()[:60]!r}")
    vertices, edges = int(fields[0]), int(fields[1])
    code = fields[2].zfill(3) if len(fields) > 2 else "000"
    if vertices > MAX_VERTICES or not re.fullmatch("[01]{3}", code):
        raise TableError(f"{vertices} vertices in format {code}: at most {MAX_VERTICES}, and three digits 0 or 1")
    constraints = int(fields[3]) if len(fields) > 3 else 1
    return _Head(vertices, edges, int(code[0]) + constraints * int(code[1]), code[2] == "1")


def _fields_per_line(body: bytes) -> Any:
    text = np.frombuffer(body if body.endswith(b"\n") or not body else body + b"\n", np.uint8)
    blank = text <= ord(" ")
    begins = ~blank
    begins[1:] &= blank[:-1]
    ends = np.searchsorted(np.flatnonzero(begins), np.flatnonzero(text == ord("\n")))
    return np.diff(ends, prepend=0)


def _whole_numbers(body: bytes) -> Any:
    import pandas as pd

    if not body.strip():
        return np.empty(0, np.int64)
    a_line_each = io.BytesIO(body.translate(bytes.maketrans(b" \t\r\v\f", b"\n" * 5)))
    try:
        table = pd.read_csv(a_line_each, header=None, names=["x"], dtype=np.int64, quoting=3, na_filter=False)
    except (ValueError, OverflowError) as error:
        raise TableError(str(error)) from error
    return table["x"].to_numpy()


def _raise_at_line(data: bytes, path: Path) -> None:
    """Raise `FormatError` at the first line that is wrong by itself."""
    head, vertex = None, 0
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw.startswith(b"%"):
            continue
        text = raw.decode(errors="replace")
        fault: str | None = None
        if head is None:
            try:
                head = _head(text)
            except TableError as error:
                fault = str(error)
        elif vertex < head.vertices:
            vertex += 1
            fault = _fault_of_line(text.split(), head, last=number == data.count(b"\n") + 1)
        elif text.strip():
            fault = f"the header promises {head.vertices} vertices, but another line follows"
        if fault:
            raise FormatError(path, fault, number)


def _fault_of_line(fields: list[str], head: _Head, last: bool) -> str | None:
    if last and not fields:
        return None  # what follows the last end of line is no line
    if len(fields) < head.skipped or (head.weighted and (len(fields) - head.skipped) % 2):
        return f"expected {head.skipped} numbers of the vertex, then neighbors{' and weights' * head.weighted}"
    for i, field in enumerate(fields):
        at = i - head.skipped
        if at < 0 or (head.weighted and at % 2):
            fault = weight_fault(field) or (None if field.lstrip("+-").isdecimal() else f"{field!r} is no whole number")
        else:
            fault = id_fault(field, lowest=1, highest=head.vertices)
        if fault:
            return fault
    return None
