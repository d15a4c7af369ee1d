"""Attributes of nodes and edges in GraphML and GML, which become columns of vertices and edges of a graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigr.errors import FormatError
from minigr.graphs.columns import column_of, values_of
from minigr.io.columns import SPELLINGS

if TYPE_CHECKING:
    from minigr.graphs import Graph

LONGEST_VALUE = 1 << 16
"""The maximum number of characters of a name or another value. It limits files in which a value doesn't end."""
WEIGHTS = SPELLINGS["weight"]
"""The attributes of edges that are their weights by default. If an edge has several, the first one counts."""


def columns_of(rows: Mapping[int, dict[str, Any]], count: int) -> dict[str, Any]:
    """A column for each name in `rows`, with one value for each of `count` numbers.

    A column is an array of numbers or bools if all values are; NaN replaces missing real numbers. Otherwise it is an
    array of objects, with None for missing values.
    Examples
    --------
    >>> columns_of({0: {"age": 30, "km": 1.5}, 1: {"age": 40}, 2: {"town": "Oslo", "age": 50}}, 3)["age"]
    array([30, 40, 50])
    >>> columns_of({0: {"km": 1.5}}, 2)["km"]
    array([1.5, nan])
    """
    names = dict.fromkeys(name for row in rows.values() for name in row)
    return {name: column_of([rows.get(number, {}).get(name) for number in range(count)]) for name in names}


class Written:
    """A column in the form in which it is written to a file.

    Attributes
    ----------
    name : str
    kind : {'boolean', 'long', 'double', 'string'}
        The type of the values, in GraphML's terms.
    texts : list of str or None
        The values; None for missing values.
    """

    def __init__(self, name: str, column: Any) -> None:
        values = values_of(column)
        kinds = {type(value) for value in values if value is not None}
        text: Callable[[Any], str] = str
        self.name, self.kind = name, "string"
        if kinds == {bool}:
            self.kind, text = "boolean", _lower
        elif kinds == {int}:
            self.kind = "long"
        elif kinds and kinds <= {int, float}:
            self.kind, text = "double", _real
        self.texts = [None if value is None else text(value) for value in values]


def written(columns: Mapping[str, Any], path: Path, taken: tuple[str, ...], allowed: str) -> list[Written]:
    """The columns in the form in which they are written to a file.

    Raises
    ------
    FormatError
        If a name is in `taken`, or doesn't match the pattern `allowed`. Also if a text is too long to be read again.
    """
    for name in columns:
        if name in taken or not re.fullmatch(allowed, name):
            why = "has another meaning" if name in taken else "is not a valid name"
            what = f"the graph has a column {name!r}, which {why} in this format"
            raise FormatError(path, f"{what}: give the column another name")
    found = [Written(name, column) for name, column in columns.items()]
    for column in found:
        refuse_long(column.texts, path, f"the column {column.name!r} has a value")
    return found


def taken_by_weights(graph: Graph) -> tuple[str, ...]:
    """The names that columns of edges can't have, because a reader would take such a column for the weights."""
    return WEIGHTS[:1] if graph.weighted else WEIGHTS


def refuse_long(texts: Iterable[str | None], path: Path, what: str) -> None:
    """Raise `FormatError` if a text is longer than `LONGEST_VALUE`; `what` begins the message."""
    if any(text is not None and len(text) > LONGEST_VALUE for text in texts):
        raise FormatError(path, f"{what} of more than {LONGEST_VALUE:,} characters, which readers refuse: shorten it")


def rows_of(columns: list[Written], count: int) -> Iterator[list[tuple[Written, str]]]:
    """The existing values of each vertex or edge, with their columns."""
    for number in range(count):
        yield [(column, text) for column in columns if (text := column.texts[number]) is not None]


def _lower(value: bool) -> str:
    return str(value).lower()


def _real(value: float) -> str:
    return repr(float(value)).replace("inf", "INF")
