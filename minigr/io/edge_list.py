"""Edge lists: an edge a line, as SNAP and many others write them (.txt .el .edges .csv .tsv).

Fields are separated by commas or by white space; lines that begin with # or % are comments. Two columns are source and
target, a third is the weight; a header line, or the option `columns`, can say otherwise. Ids are kept as given, from 0.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.convert import edge_arrays
from minigr.io.columns import column_names
from minigr.io.contents import Edges, Options, narrowed
from minigr.io.note import note_of, parse_note, with_noted_dtype
from minigr.io.replace import replacing
from minigr.io.rows_as_text import write_rows
from minigr.io.source import open_source
from minigr.io.table import TableError, id_fault, number_fault, read_table, weight_fault

if TYPE_CHECKING:
    from minigr.graphs import Graph

_LONGEST_LINE = 1 << 16  # in bytes; enough for any row, and a bound for a file that has no lines


@dataclass(frozen=True)
class _Line:
    start: int  # where it begins, in bytes
    number: int  # from 1
    text: str
    comment: str  # the comment character seen last

    @property
    def separator(self) -> str:
        return "," if "," in self.text else r"\s+"

    @property
    def fields(self) -> list[str]:
        return _fields(self.text, self.separator)


def read(path: Path, options: Options) -> Edges:
    """The edges of an edge list; see the module's description."""
    with open_source(path, options.progress) as handle:
        note = parse_note(handle.readline(_LONGEST_LINE).decode(errors="replace"))
        if handle.tell() == 0:
            raise FormatError(path, "the file is empty; an edge list without edges has at least a comment line")
        handle.seek(0)
        src, dst, weights, *times = _edges(handle, path, options)
    if weights is None and len(src) == 0 and note is not None and note.weight_dtype and options.weights:
        weights = np.empty(0, note.weight_dtype)  # no row is there to show that there are weights
    time = times[0] if times else None
    if note is None:
        return Edges(src, dst, narrowed(weights), times=time)
    return Edges(src, dst, with_noted_dtype(weights, note), note.num_vertices, note.directed, times=time)


def _edges(handle: BinaryIO, path: Path, options: Options) -> tuple[Any, ...]:
    line, names = _next_line(handle, 0), None
    if line is not None:
        if any(re.match(r"[+-]?\d", field) for field in line.fields[:2]):
            names = column_names(len(line.fields), options, path, line.number)
        else:
            names = column_names(line.fields, options, path, line.number)
            line = _next_line(handle, line.number, line.comment)
    if line is None or names is None:
        weights = np.empty(0, np.int64) if names is not None and "weight" in names else None
        times = [np.empty(0, np.int64)] if options.times else []
        return np.empty(0, np.int32), np.empty(0, np.int32), weights, *times
    return _rows(handle, line, names, path, options.relabel)


def _next_line(handle: BinaryIO, number: int, comment: str = "#") -> _Line | None:
    """The next line that is neither blank nor a comment; `number` lines have been read."""
    while True:
        start = handle.tell()
        raw = handle.readline(_LONGEST_LINE)
        if not raw:
            return None
        if number == 0 and raw.startswith(b"\xef\xbb\xbf"):  # a byte order mark
            start, raw = start + 3, raw[3:]
        number += 1
        text = raw.decode(errors="replace").strip()
        if text and text[0] not in "#%":
            return _Line(start, number, text, comment)
        comment = text[0] if text else comment


def _fields(text: str, separator: str) -> list[str]:
    return [field.strip() for field in text.split(",")] if separator == "," else text.split()


def _rows(handle: BinaryIO, first: _Line, names: tuple[str, ...], path: Path, relabel: bool) -> tuple[Any, ...]:
    def table(source: BinaryIO) -> tuple[Any, ...]:
        return read_table(source, names, separator=first.separator, comment=first.comment, relabel=relabel)

    handle.seek(first.start)
    try:
        return table(handle)
    except TableError:
        handle.seek(first.start)
        rows = _checked_rows(handle, first, names, path, relabel)
    try:  # only comments of the other kind, or blank characters that the parser doesn't know, were in its way
        return table(io.BytesIO(rows))
    except TableError as error:
        raise FormatError(path, f"the edges can't be read: {error}") from error


def _checked_rows(handle: BinaryIO, first: _Line, names: tuple[str, ...], path: Path, relabel: bool) -> bytes:
    """The rows without comments. Raises `FormatError` at the first line that is wrong."""
    rows = []
    for number, raw in enumerate(handle, first.number):
        text = re.split("[#%]", raw.decode(errors="replace"), maxsplit=1)[0].strip()
        if not text:
            continue
        fields = _fields(text, first.separator)
        if len(fields) != len(names):
            raise FormatError(
                path, f"expected {len(names)} fields, as in line {first.number}, got {len(fields)}", number
            )
        for name, field in zip(names, fields, strict=True):
            fault = None
            if name in ("src", "dst"):
                fault = id_fault(field, relabel)
            elif name == "weight":
                fault = weight_fault(field)
            elif name == "time":
                fault = number_fault(field, name)
            if fault:
                raise FormatError(path, fault, number)
        rows.append(",".join(fields) if first.separator == "," else " ".join(fields))
    return "\n".join(rows).encode()


def write(graph: Graph, path: Path) -> None:
    """Write `graph` as an edge list: with commas and a header in .csv, with tabs in .tsv, otherwise with blanks."""
    src, dst, weights = edge_arrays(graph)
    columns = {"src": src, "dst": dst} | ({} if weights is None else {"weight": weights})
    kind = Path(path.name.removesuffix(".gz")).suffix.lower()
    with replacing(path) as handle:
        handle.write(f"# {note_of(graph)}\n".encode())
        write_rows(handle, columns, {".csv": ",", ".tsv": "\t"}.get(kind, " "), header=kind == ".csv")
