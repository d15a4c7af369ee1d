"""Rows of numbers as text: the common part of edge lists, DIMACS, Matrix Market and TU files.

Compiled code reads long blocks of text (`parser.py`). Blocks that it refuses and short blocks are read line by line.
This follows the rule of `minigr.io.tokens` exactly, and an error names the wrong line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.tokens import id_fault, number, number_fault, weight_fault

IDS = ("src", "dst", "id")
NUMBERS = ("weight", "time", "label")
WANTED = IDS + NUMBERS
KEPT = "kept "
"""The prefix of the names of columns whose fields are kept as texts."""
AS_BYTES = "surrogateescape"
"""How texts are decoded, so that invalid UTF-8 can be detected."""
SHORT = 1 << 12
"""The bytes up to which a block is read line by line, so that nothing needs to be compiled."""


@dataclass(frozen=True)
class Table:
    """The format of the rows of a file.

    Attributes
    ----------
    names : tuple of str
        For each column one of `IDS` or `NUMBERS`, ``"mark"``, `KEPT` followed by the name of a kept column, or another
        name for a column that is not read.
    separator : {' ', ','}
        ``' '`` stands for any number of blanks and tabs.
    comment : str
        Characters that begin a comment anywhere in a line.
    comment_line : str
        Characters that begin a comment at the start of a line.
    mark : str
        The content of the column ``mark`` in every row.
    lowest, highest : int
        The range of ids.
    whole : bool
        Whether weights must be whole numbers.
    promised : int, optional
        The number of rows in the file's header.
    promise : str
        The text for this number in messages.
    fields : str
        A description of the number of fields in a row.
    shape : str
        A description of a row with a mark.
    kept : tuple of str
        The names of the columns that are kept. If there are any, fields may be in quotation marks.
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
    kept: tuple[str, ...] = ()
    wanted: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        wanted = (name for name in self.names if name in WANTED or name.startswith(KEPT))
        object.__setattr__(self, "wanted", tuple(wanted))

    @property
    def comment_bytes(self) -> bytes:
        """The characters that begin comments anywhere; none if they may be part of a text."""
        return b"" if self.kept else (self.comment + self.comment_line).encode()

    def fault(self, fields: list[str]) -> str | None:
        """A description of the error in a row, or None."""
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
                    found = f"{token[:40]!r} is not a whole number, but the file says that weights are whole numbers"
            elif name in NUMBERS:
                found = number_fault(token, name)
            if found:
                return found
        return None


def none_of(name: str) -> Any:
    """A column without rows."""
    return np.empty(0, np.int32 if name in IDS else np.int64)


def rows_of(block: bytes, path: Path, table: Table, line: int) -> Iterator[tuple[int, list[str]]]:
    """The line numbers and fields of the lines that are neither blank nor comments."""
    comment = re.compile(f"[{table.comment}]") if table.comment else None
    for number_of_line, raw in enumerate(block.split(b"\n"), line):
        text = raw.decode(errors=AS_BYTES if table.kept else "replace").strip(" \t\r")
        if comment is not None:
            text = comment.split(text, maxsplit=1)[0].rstrip(" \t")
        if text and text[0] not in table.comment_line:
            if table.kept:
                yield number_of_line, split_quoted(text, table.separator, path, number_of_line)
            else:
                yield number_of_line, split(text, table.separator)


def split(text: str, separator: str) -> list[str]:
    """The fields of a line."""
    if separator == ",":
        return [token.strip(" \t") for token in text.split(",")]
    return [token for token in text.replace("\t", " ").split(" ") if token]


def split_quoted(text: str, separator: str, path: Path, line: int) -> list[str]:
    """The fields of a line that may be texts, some in quotation marks; `FormatError` if the line is not text."""
    try:
        text.encode()
        if '"' not in text:
            return split(text, separator)
        given = text if separator == "," else text.replace("\t", " ")
        rows = csv.reader([given], delimiter=separator, skipinitialspace=True, strict=True)
        return [token.strip(" \t") for token in next(rows)]
    except UnicodeEncodeError:
        raise FormatError(path, "the line is not UTF-8: convert the file to UTF-8", line) from None
    except csv.Error as error:
        what = f"{error}: close quotation marks, and double those within a text"
        raise FormatError(path, what, line) from None


def line_by_line(block: bytes, path: Path, table: Table, line: int) -> dict[str, Any]:
    """The columns of some lines, read by the rule of `minigr.io.tokens`."""
    found: dict[str, list[Any]] = {name: [] for name in table.wanted}
    into = [found.get(name) for name in table.names]
    for number_of_line, fields in rows_of(block, path, table, line):
        if fault := table.fault(fields):
            raise FormatError(path, fault, number_of_line)
        for name, values, token in zip(table.names, into, fields, strict=True):
            if values is not None:
                values.append(token if name.startswith(KEPT) else number(token))
    return {name: _column(values, name, table) for name, values in found.items()}


def _column(values: list[Any], name: str, table: Table) -> Any:
    if name.startswith(KEPT):
        return values
    if name in IDS:
        return np.array(values, np.int32 if table.highest <= MAX_VERTICES else np.int64)
    return np.array(values, np.int64 if all(isinstance(value, int) for value in values) else np.float64)
