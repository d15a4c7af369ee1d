"""What the tables of ``minigr bench`` share: rows by the parts of their keys, and their times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minigr.bench.document import Row


def grouped(rows: Sequence[Row], *names: str) -> dict[Any, list[Row]]:
    """The rows by the parts of their keys, in the order in which they come."""
    groups: dict[Any, list[Row]] = {}
    for found in rows:
        values = tuple(found["key"][name] for name in names)
        groups.setdefault(values if len(names) > 1 else values[0], []).append(found)
    return groups


def spread(found: Row) -> list[float]:
    return [short(found[name]) for name in ("median", "least", "most")]


def short(value: float) -> float:
    """To four digits, so that tables stay narrow."""
    return float(f"{value:.4g}")


def key_columns(rows: Sequence[Row], *names: str) -> tuple[list[str], list[list[str]]]:
    """The parts of the keys that some row has, with the layouts if there are two; and of each row the values."""
    there = [name for name in names if any(name in each["key"] for each in rows)]
    there += ["by"] if len({each["key"]["by"] for each in rows}) > 1 else []
    return there, [[each["key"].get(name, "") for name in there] for each in rows]
