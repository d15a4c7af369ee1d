"""Rows of numbers as text: what edge lists, DIMACS, Matrix Market and TU files have in common.

pandas' C parser reads long files. What it doesn't take to be plain numbers, and what is short, is read line by line,
which follows the rule of `minigr.io.tokens` to the letter and names the line that breaks it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.sizes import require_room
from minigr.io.source import LONGEST_LINE, blocks
from minigr.io.tokens import id_fault, number, number_fault, weight_fault

IDS = ("src", "dst", "id")
NUMBERS = ("weight", "time", "label")
SHORT = 1 << 12
"""Bytes up to which a block is read line by line, which is quicker than to call pandas."""


class TableError(Exception):
    """The text is not of the kind expected; who raises it doesn't know the line."""


@dataclass(frozen=True)
class Table:
    """What the rows of a file must look like.

    Attributes
    ----------
    names : tuple of str
        Of every column: one of `IDS` or `NUMBERS`, ``"mark"``, or another name for a column that is not read.
    separator : {' ', ','}
        ``' '`` stands for blanks and tabs, any number of them.
    comment : str
        Characters that begin a comment anywhere in a line.
    comment_line : str
        The character that begins a comment at the beginning of a line.
    mark : str
        What the column ``mark`` holds in every row.
    lowest, highest : int
        The ids that there may be.
    whole : bool
        Whether weights must be whole numbers.
    promised : int, optional
        How many rows there are, as the file's header says.
    promise : str
        How to tell that.
    fields : str
        How many fields a row has, in words.
    shape : str
        What a row looks like, if it has a mark.
    """

    names: tuple[str, ...]
    separator: str = " "
    comment: str = "#"
    comment_line: str = ""
    mark: str = ""
    lowest: int = 0
    highest: int = MAX_VERTICES - 1
    whole: bool = False
    promised: int | None = None
    promise: str = ""
    fields: str = ""
    shape: str = ""
    wanted: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "wanted", tuple(name for name in self.names if name in IDS + NUMBERS))

    @property
    def comment_bytes(self) -> bytes:
        """The characters that begin comments, wherever."""
        return (self.comment + self.comment_line).encode()

    def fault(self, fields: list[str]) -> str | None:
        """What is wrong with a row, or None."""
        if len(fields) != len(self.names) or (self.mark and fields[0] != self.mark):
            if self.shape:
                return f"expected {self.shape!r}, got {' '.join(fields)[:60]!r}"
            return f"expected {self.fields or f'{len(self.names)} fields'}, got {len(fields)}"
        for name, token in zip(self.names, fields, strict=True):
            found = None
            if name in IDS:
                found = id_fault(token, self.lowest, self.highest, "id" if name == "id" else "vertex id")
            elif name == "weight":
                found = weight_fault(token)
                if self.whole and not found and not re.fullmatch("[+-]?[0-9]+", token):
                    found = f"{token[:40]!r} is not a whole number, but the file says that weights are"
            elif name in NUMBERS:
                found = number_fault(token, name)
            if found:
                return found
        return None


def read_table(handle: BinaryIO, path: Path, table: Table, line: int) -> dict[str, Any]:
    """The columns of the rest of a file that are ids or numbers, by name.

    Ids are int32, or int64 where `Table.highest` asks for more; numbers are int64, or float64 if one of them is real.

    Parameters
    ----------
    handle : binary file, at the first row or a comment before it
    path : Path
    table : Table
    line : int
        The number of the line where `handle` stands.

    Raises
    ------
    FormatError
        At the first line that is not as `table` says, or if there are fewer or more rows than promised.
    OutOfMemoryError
        Before the columns outgrow the memory that is free.
    """
    parts: dict[str, list[Any]] = {name: [] for name in table.wanted}
    rows = held = 0
    for block in blocks(handle, path, line, table.comment_bytes):
        columns = _parsed(block, table)
        if columns is None:
            columns = _line_by_line(block, path, table, line)
        count = len(next(iter(columns.values())))
        if table.promised is not None and rows + count > table.promised:
            beyond = list(_rows(block, table, line))[table.promised - rows][0]
            raise FormatError(path, f"{table.promise.format(table.promised)}, but another line follows", beyond)
        rows += count
        line += block.count(b"\n")
        ends = block.endswith(b"\n")
        for name, column in columns.items():
            parts[name].append(column)
            held += column.nbytes
        require_room(path, held, "its rows")  # once more for all of them as one
    if table.promised is not None and rows < table.promised:
        what = f"{table.promise.format(table.promised)}, but there are {rows}; is the file cut short?"
        raise FormatError(path, what, line - 1 if rows == 0 or ends else line)
    return {name: np.concatenate(column) if column else _none_of(name) for name, column in parts.items()}


def _none_of(name: str) -> Any:
    return np.empty(0, np.int32 if name in IDS else np.int64)


def _parsed(block: bytes, table: Table) -> dict[str, Any] | None:
    """The columns of some lines by pandas, or None if there is anything that it may take otherwise than the rule."""
    if len(block) <= SHORT or has_odd_blanks(block):
        return None
    import pandas as pd

    if table.comment_line and table.comment_line.encode() in block:
        block = re.sub(rb"(?m)^[ \t]*%s[^\n]*" % table.comment_line.encode(), b"", block)
    if any(character.encode() in block for character in table.comment):
        block = re.sub(rb"[%s][^\n]*" % table.comment.encode(), b"", block)
    first = next(_rows(block[:LONGEST_LINE], table, 0), None)
    if first is None or len(first[1]) != len(table.names):
        return None  # later rows must not be longer than the first, or pandas raises
    # Older parsers are off by a unit in the last place at times, unless told; newer ones aren't and object to this.
    exact: Any = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
    try:
        frame = pd.read_csv(
            io.BytesIO(block),
            sep=r"\s+" if table.separator == " " else ",",
            names=list(table.names),
            header=None,
            index_col=False,
            engine="c",
            quoting=3,
            na_filter=False,
            skipinitialspace=True,
            low_memory=False,
            **exact,
        )
    except (ValueError, OverflowError):  # ParserError and UnicodeDecodeError are ValueErrors
        return None
    last = frame[table.names[-1]]  # a row that is too short has nothing there
    if last.dtype.kind not in "biuf" and (last == "").any():
        return None
    if table.mark and not (frame["mark"] == table.mark).all():
        return None
    # Without a dtype asked for, pandas finds whole numbers only where there is nothing else.
    columns = {name: frame[name].to_numpy() for name in table.wanted}
    fits = all(
        _is_id(column, table) if name in IDS else _is_number(column, name, table) for name, column in columns.items()
    )
    return {name: _as_narrow(column, name, table) for name, column in columns.items()} if fits else None


def has_odd_blanks(block: bytes) -> bool:
    """Whether there are blanks that pandas takes as it likes: a carriage return alone, a vertical tab, a form feed.

    Before version 3 it takes a zero byte for the end of a number, too.
    """
    if b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
        return True
    return b"\v" in block or b"\f" in block or b"\0" in block


def _is_id(column: Any, table: Table) -> bool:
    return column.dtype.kind == "i" and column.min() >= table.lowest and column.max() <= table.highest


def _is_number(column: Any, name: str, table: Table) -> bool:
    if column.dtype.kind == "i":
        return True
    if column.dtype.kind != "f" or (table.whole and name == "weight"):
        return False
    return bool((np.abs(column) < 2.0**63).all())  # beyond, or NaN, it matters how a number is written


def _as_narrow(column: Any, name: str, table: Table) -> Any:
    return column.astype(np.int32) if name in IDS and table.highest <= MAX_VERTICES else column


def _rows(block: bytes, table: Table, line: int) -> Iterator[tuple[int, list[str]]]:
    """The lines that are neither blank nor comments: their numbers and fields."""
    comment = re.compile(f"[{table.comment}]") if table.comment else None
    for number_of_line, raw in enumerate(block.split(b"\n"), line):
        text = raw.decode(errors="replace").strip(" \t\r")
        if comment is not None:
            text = comment.split(text, maxsplit=1)[0].rstrip(" \t")
        if text and not (table.comment_line and text[0] == table.comment_line):
            yield number_of_line, split(text, table.separator)


def split(text: str, separator: str) -> list[str]:
    """The fields of a line."""
    if separator == ",":
        return [token.strip(" \t") for token in text.split(",")]
    return [token for token in text.replace("\t", " ").split(" ") if token]


def _line_by_line(block: bytes, path: Path, table: Table, line: int) -> dict[str, Any]:
    """The columns of some lines, read by the rule."""
    found: dict[str, list[Any]] = {name: [] for name in table.wanted}
    into = [found.get(name) for name in table.names]
    for number_of_line, fields in _rows(block, table, line):
        if fault := table.fault(fields):
            raise FormatError(path, fault, number_of_line)
        for values, token in zip(into, fields, strict=True):
            if values is not None:
                values.append(number(token))
    return {name: _column(values, name, table) for name, values in found.items()}


def _column(values: list[Any], name: str, table: Table) -> Any:
    if name in IDS:
        return np.array(values, np.int32 if table.highest <= MAX_VERTICES else np.int64)
    return np.array(values, np.int64 if all(isinstance(value, int) for value in values) else np.float64)
