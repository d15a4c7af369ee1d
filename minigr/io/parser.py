"""Reads rows of numbers. Compiled code parses blocks of text, and blocks that it refuses are read line by line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io import table as tables
from minigr.io.sizes import require_room
from minigr.io.source import Line, blocks
from minigr.io.table import IDS, KEPT, NUMBERS, Table, line_by_line, none_of, rows_of, split

_OF_TEXTS = (b'"', b"#", b"%")  # lines of texts with one of these are read one by one
_NO_SIGN = 256  # not a character
_A_THREAD = 1 << 16  # bytes per thread, at least


def read_table(handle: BinaryIO, path: Path, table: Table, line: int) -> dict[str, Any]:
    """The columns of the rest of a file that are ids or numbers, by name.

    Parameters
    ----------
    handle, path, table, line
        As for `read_parts`.

    Raises
    ------
    FormatError, OutOfMemoryError
        As `read_parts`; also before the columns outgrow the free memory.
    """
    parts: dict[str, list[Any]] = {name: [] for name in table.wanted}
    held = 0
    for part in read_parts(handle, path, table, line):
        for name, column in part.items():
            parts[name].append(column)
            held += column.nbytes
        require_room(path, held, "its rows")  # their concatenation needs as much again
    return {name: np.concatenate(column) if column else none_of(name) for name, column in parts.items()}


def read_parts(
    handle: BinaryIO, path: Path, table: Table, line: int, end: int | None = None
) -> Iterator[dict[str, Any]]:
    """The columns of the rest of a file, some rows at a time.

    Ids are int32, or int64 if `Table.highest` requires it; numbers are int64, or float64 if one of them is real.

    Parameters
    ----------
    handle : binary file, at the first row or a comment before it
    path : Path
    table : Table
    line : int
        The line number at the position of `handle`.
    end : int, optional
        The byte where the range ends; lines that begin there or later are left out.

    Raises
    ------
    FormatError
        At the first line that does not match `table`, or if the number of rows differs from the promised number.
    """
    parser, rows, ends, at = Parser(table), 0, True, Line(line)
    for block in blocks(handle, path, at, table.comment_bytes, end=end):
        columns, lines = parser.columns(block) or (None, block.count(b"\n"))
        if columns is None:
            columns = line_by_line(block, path, table, at.number)
        count = len(next(iter(columns.values())))
        if table.promised is not None and rows + count > table.promised:
            beyond = list(rows_of(block, path, table, at.number))[table.promised - rows][0]
            raise FormatError(path, f"{table.promise.format(table.promised)}, but another line follows", beyond)
        rows += count
        at.number += lines
        ends = block.endswith(b"\n")
        yield columns
    if table.promised is not None and rows < table.promised:
        what = f"{table.promise.format(table.promised)}, but there are {rows}; is the file cut short?"
        raise FormatError(path, what, at.number - 1 if rows == 0 or ends else at.number)


class Parser:
    """Parses the columns of blocks of text with `text_cpu.parse`. All blocks use the same memory."""

    def __init__(self, table: Table) -> None:
        from minigr.io import text_cpu

        kinds = {"mark": text_cpu.MARK, **dict.fromkeys(IDS, text_cpu.ID), **dict.fromkeys(NUMBERS, text_cpu.NUMBER)}
        self._kinds = np.array([kinds.get(name, text_cpu.SKIPPED) for name in table.names], np.uint8)
        signs = [ord(sign) for sign in table.comment] + [_NO_SIGN] * 2
        line_sign, mark = (ord(sign) if len(sign) == 1 else _NO_SIGN for sign in (table.comment_line, table.mark))
        comma = table.separator == ","
        self._separator = table.separator
        self._rule = comma, tuple(signs[:2]), line_sign, mark, table.lowest, table.highest, table.whole
        self._names = [[name for name in table.names if name in group] for group in (IDS, NUMBERS)]
        parsed = sum(map(len, self._names))
        self._least = 2 * parsed + (1 if comma else 2) * (len(table.names) - parsed)
        self._texts = {i: name for i, name in enumerate(table.names) if name.startswith(KEPT)}
        self._ids = np.empty(0, np.int32 if table.highest <= MAX_VERTICES else np.int64)
        self._bits = np.empty(0, np.int64)

    def _rooms(self, length: int) -> tuple[int, int]:
        """The number of threads for a text of `length` bytes, and the number of rows for which each has space."""
        from minigr.jit.threads import get_num_threads

        size = min(get_num_threads(), 1 + length // _A_THREAD)
        return size, length // size // self._least + 2

    @property
    def ids(self) -> np.dtype:
        """The dtype of ids."""
        return np.dtype(self._ids.dtype)

    def memory(self, length: int) -> int:
        """Bytes for the columns of a text of `length` bytes."""
        size, room = self._rooms(length)
        ids, numbers = (len(names) * room * size for names in self._names)
        return ids * self._ids.itemsize + numbers * self._bits.itemsize

    def columns(self, block: bytes) -> tuple[dict[str, Any], int] | None:
        """The columns of some lines and the number of lines; None if the lines should be read line by line."""
        if len(block) <= tables.SHORT or (self._texts and any(sign in block for sign in _OF_TEXTS)):
            return None
        from minigr.io import text_cpu
        from minigr.io.decimal_cpu import powers_of_five
        from minigr.jit.spmd import run_team

        text = block if block.endswith(b"\n") else block + b"\n"
        size, room = self._rooms(len(text))
        ids, numbers = (len(names) * room * size for names in self._names)
        if len(self._ids) < ids or len(self._bits) < numbers:
            self._ids, self._bits = np.empty(ids, self._ids.dtype), np.empty(numbers, np.int64)
        words = np.zeros(text_cpu.FOUND_WORDS * size, np.int64)
        given = np.frombuffer(text, np.uint8), len(text), room, self._kinds, self._rule, powers_of_five()
        run_team(text_cpu.parse, size, *given, self._ids, self._bits, self._bits.view(np.float64), words)
        found = words.reshape(size, -1)
        if found[:, text_cpu.LEFT].any():
            return None
        columns: dict[str, Any] = {}
        for place, name in enumerate(self._names[0]):
            columns[name] = np.concatenate(self._parts(self._ids, place, room, found))
        for place, name in enumerate(self._names[1]):
            parts, real = self._parts(self._bits, place, room, found), found[:, text_cpu.REAL] >> place & 1
            if real.any():
                parts = [part.view(np.float64) if is_real else part for part, is_real in zip(parts, real, strict=True)]
            columns[name] = np.concatenate(parts)
        if self._texts:
            texts = self._kept(block, int(found[:, 0].sum()))
            if texts is None:
                return None
            columns |= texts
        return columns, int(found[:, text_cpu.LINES].sum())

    def _kept(self, block: bytes, rows: int) -> dict[str, list[str]] | None:
        """The fields of a block that are kept as texts; None if the block is not text."""
        try:
            lines = [line for raw in block.decode().split("\n") if (line := raw.strip(" \t\r"))]
        except UnicodeDecodeError:
            return None
        if len(lines) != rows:
            return None
        fields = [line.split(",") if self._separator == "," else split(line, " ") for line in lines]
        return {name: [row[i].strip(" \t") for row in fields] for i, name in self._texts.items()}

    def _parts(self, columns: Any, place: int, room: int, found: Any) -> list[Any]:
        """The part of a column that each thread stored."""
        size, rows = len(found), found[:, 0]
        return [columns[(place * size + rank) * room :][: rows[rank]] for rank in range(size)]
