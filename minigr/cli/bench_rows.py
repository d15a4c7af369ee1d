"""The common part of the tables of ``minigr bench``: rows grouped by parts of their keys, and columns of times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minigr.cli.console import print_table

if TYPE_CHECKING:
    from minigr.bench.document import Row

Column = Callable[["Row"], Any]
MEBI = 1 << 20


def grouped(rows: Sequence[Row], *names: str) -> dict[Any, list[Row]]:
    """The rows grouped by parts of their keys, in their original order."""
    groups: dict[Any, list[Row]] = {}
    for found in rows:
        values = tuple(found["key"][name] for name in names)
        groups.setdefault(values if len(names) > 1 else values[0], []).append(found)
    return groups


def short(value: float) -> float:
    """A value rounded to four digits, so that tables stay narrow."""
    return float(f"{value:.4g}")


def key_columns(rows: Sequence[Row], *names: str) -> dict[str, Column]:
    """Columns for the parts of the keys that exist in some row, and for the layouts if there are several."""
    there = [name for name in names if any(name in each["key"] for each in rows)]
    there += ["by"] if len({each["key"]["by"] for each in rows}) > 1 else []
    return {name: of_key(name) for name in there}


def of_key(name: str) -> Column:
    """A column with a part of the key, empty if the row does not have it."""
    return lambda found: found["key"].get(name, "")


def of(*path: str, over: float = 1) -> Column:
    """A column with a figure of the row, or of a mapping in the row, divided by `over`."""

    def column(found: Row) -> Any:
        value: Any = found
        for name in path:
            value = value[name]
        return short(value / over)

    return column


TIMES: dict[str, Column] = {"ms": of("median"), "least": of("least"), "most": of("most")}


def print_rows(rows: Sequence[Row], columns: Mapping[str, Column]) -> None:
    """Print a table with these columns and a line for each row."""
    print_table(list(columns), [[column(found) for column in columns.values()] for found in rows])
