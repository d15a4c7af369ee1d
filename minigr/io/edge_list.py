"""Edge lists: one edge per line, as SNAP and many others write them (.txt .el .edges .csv .tsv).

Fields are separated by commas or by white space. Lines that begin with # or % are comments. Two columns are source and
target, and a third column is the weight; a header line or the option `columns` can specify other contents. Ids are used
as given, from 0.

If further columns are kept (`Options.keep`), a field may be any text, also in quotation marks as in other tables. A
comment is then a line of its own, and Python splits the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.columns import column_names
from minigr.io.contents import Edges, Options, Parts
from minigr.io.note import Note, note_of, parse_note
from minigr.io.parser import read_parts
from minigr.io.pieces import edges_in_pieces
from minigr.io.rows_as_text import write_rows
from minigr.io.source import Span, go_to_line, lines_before, next_line, open_source
from minigr.io.table import AS_BYTES, KEPT, WANTED, Table, split, split_quoted
from minigr.replace import replacing

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.graphs.partitioned.queries import PartsQueries

_COMMENT = b"#%"


@dataclass(frozen=True)
class _Line:
    start: int  # byte where it begins
    number: int  # from 1
    text: str

    @property
    def separator(self) -> str:
        return "," if "," in self.text else " "

    def fields(self, path: Path, quoted: bool) -> list[str]:
        """The fields of the line, which may be texts in quotation marks."""
        return (
            split_quoted(self.text, self.separator, path, self.number) if quoted else split(self.text, self.separator)
        )


@dataclass(frozen=True)
class Head:
    """The contents of the first lines of an edge list.

    Attributes
    ----------
    note : Note or None
    begin : line or None
        The first row after a header, if there is one.
    table : Table or None
        The format of the rows, if there is a row or a header.
    weighted : bool
    """

    note: Note | None
    begin: _Line | None
    table: Table | None
    weighted: bool


def head_of(path: Path, options: Options) -> Head:
    """The contents of the first lines. No more lines are read than needed."""
    with open_source(path, False) as handle:
        start = handle.tell()
        head = next_line(handle, path, 1, _COMMENT)
        if not head:
            raise FormatError(path, "the file is empty; an edge list without edges has at least a comment line")
        note = parse_note(head, path, 1)
        handle.seek(start)
        begin, table = _table(handle, path, options)
    weighted = table is not None and "weight" in table.wanted
    if begin is None and note is not None and note.weight_dtype and options.weights:
        weighted = True  # no row shows that there are weights
    if note is not None and options.weights and options.columns is None:
        note.check_weights(weighted, path)
    return Head(note, begin, table, weighted)


def read(path: Path, options: Options) -> Parts:
    """The edges of an edge list; see the module's description."""
    head = head_of(path, options)
    note, begin, table, weighted = head.note, head.begin, head.table, head.weighted
    kept = () if table is None else table.kept

    def parts() -> Iterator[Edges]:
        if table is None or begin is None:
            return
        with open_source(path, options.progress, options.span) as handle:
            for part in _rows(handle, path, table, begin, options.span):
                columns = {name: part[KEPT + name] for name in kept}
                yield Edges(part["src"], part["dst"], part.get("weight"), times=part.get("time"), edge_columns=columns)

    if note is None:
        return Parts((path,), parts, weighted=weighted, timed=options.times, kept=kept)
    cast = partial(note.cast, path=path)
    said = note.num_vertices, note.directed, weighted
    return Parts((path,), parts, *said, cast=cast, timed=options.times, kept=kept)


def _rows(handle: BinaryIO, path: Path, table: Table, begin: _Line, span: Span | None) -> Iterator[dict[str, Any]]:
    """The columns of all rows, or of the rows that begin in a span."""
    if span is None or span.first <= begin.start:
        handle.seek(begin.start)
        yield from read_parts(handle, path, table, begin.number, None if span is None else span.end)
        return
    go_to_line(handle, span.first)
    try:
        yield from read_parts(handle, path, table, 1, span.end)
    except FormatError as error:  # the lines before are counted only for an error
        raise error.after(lines_before(path, span.first)) from None


def _table(handle: BinaryIO, path: Path, options: Options) -> tuple[_Line | None, Table | None]:
    """The first row after a header, and the format of the rows; None if there are none."""
    quoted, start = bool(options.keep), handle.tell()
    first = line = _next_row(handle, path, 0, quoted)
    if first is None or line is None:
        return None, None
    fields = line.fields(path, quoted)
    if _is_edge(fields, options, path, line.number):
        names = column_names(len(fields), options, path, line.number)
        own = options.columns or ()
    else:
        names = column_names(fields, options, path, line.number)
        own = tuple(field.strip("\"'") for field in fields)
        line = _next_row(handle, path, line.number, quoted)
    names, kept = _with_kept(names, own, path, options, first.number)
    if quoted and not kept:
        handle.seek(start)
        return _table(handle, path, replace(options, keep=False))
    highest = 2**63 - 1 if options.relabel else MAX_VERTICES - 1
    length = f"{len(names)} fields, as in line {first.number}"
    comments: dict[str, Any] = {"comment": "", "comment_line": "#%"} if kept else {"comment": "#%"}
    return line, Table(names, (line or first).separator, **comments, highest=highest, fields=length, kept=kept)


def _is_edge(fields: list[str], options: Options, path: Path, line: int) -> bool:
    """Whether the first row is an edge, with an id at one of its ends, and not a header."""
    ends = fields[:2]
    if options.columns is not None:
        names = column_names(len(fields), options, path, line)
        ends = [field for field, name in zip(fields, names, strict=True) if name in ("src", "dst")]
    return any(re.match(r"[+-]?[0-9]", field) for field in ends)


def _with_kept(
    names: tuple[str, ...], own: tuple[str, ...], path: Path, options: Options, line: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of columns for `Table`, and the names of the columns that are kept."""
    others = {place: name for place, name in enumerate(own) if names[place] not in WANTED}
    kept = options.kept(list(others.values()), path, unasked=False)
    twice = next((name for place, name in enumerate(kept) if name in kept[:place]), None)
    if twice is not None:
        raise FormatError(path, f"there are several columns {twice!r}: give each a name of its own", line)
    named = tuple(KEPT + others[i] if others.get(i) in kept else name for i, name in enumerate(names))
    return named, tuple(kept)


def _next_row(handle: BinaryIO, path: Path, number: int, whole: bool) -> _Line | None:
    """The next line that is neither blank nor a comment, `whole` or up to a comment, after `number` lines."""
    while True:
        start, number = handle.tell(), number + 1
        raw = next_line(handle, path, number, _COMMENT)
        if not raw:
            return None
        text = raw.decode(errors=AS_BYTES if whole else "replace").strip(" \t\r\n")
        if text and text[0] not in "#%":
            text = text if whole else re.split("[#%]", text, maxsplit=1)[0].rstrip(" \t")
            return _Line(start, number, text)


def write(graph: Graph | PartsQueries, path: Path) -> None:
    """Write `graph` as an edge list: with commas and a header in .csv, with tabs in .tsv, otherwise with blanks."""
    kind = Path(path.name.removesuffix(".gz")).suffix.lower()
    with replacing(path) as handle:
        handle.write(f"# {note_of(graph)}\n".encode())
        separator, header = {".csv": ",", ".tsv": "\t"}.get(kind, " "), kind == ".csv"
        for src, dst, weights in edges_in_pieces(graph):
            columns = {"src": src, "dst": dst} | ({} if weights is None else {"weight": weights})
            write_rows(handle, columns, separator, header=header)
            header = False
