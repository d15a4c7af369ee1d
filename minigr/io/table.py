"""Columns of numbers as text, by pandas' C parser: the fast path of edge lists and DIMACS files.

The parser says that something is wrong, not always where. So each format has a slow second scan that names the line,
and `TableError` asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np

from minigr.graphs.checks import MAX_VERTICES

CHUNK_ROWS = 1 << 21
"""Rows parsed at a time, so that the text and the 64-bit ids of a long file are never all in memory."""


class TableError(Exception):
    """The text is not a table of the kind expected."""


def read_table(
    handle: BinaryIO,
    names: Sequence[str],
    *,
    separator: str,
    comment: str,
    mark: str | None = None,
    relabel: bool = False,
) -> tuple[Any, ...]:
    """The columns ``src``, ``dst`` and, if they are among `names`, ``weight`` and ``time`` of the rest of `handle`.

    Parameters
    ----------
    handle : binary file, at the first row
    names : sequence of str
        The name of every column; others than those four are parsed and dropped.
    separator, comment : str
        As pandas takes them.
    mark : str, optional
        What column ``mark`` must hold in every row.
    relabel : bool
        Let ids be as large as int64.

    Returns
    -------
    src, dst : int32[m] (int64[m] with `relabel`)
    weights : int64[m] or float64[m], or None
    times : int64[m] or float64[m]
        Only if it is among `names`.

    Raises
    ------
    TableError
        If a row has too few or too many fields, an id is no vertex id or a weight or time no number.
    """
    import pandas as pd

    # Older parsers are off by a unit in the last place at times, unless told; newer ones aren't and object to this.
    exact: Any = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
    numbers = [name for name in ("weight", "time") if name in names]
    parts: list[tuple[Any, ...]] = []
    try:
        with pd.read_csv(
            handle,
            sep=separator,
            comment=comment,
            names=list(names),
            header=None,
            index_col=False,
            dtype={"src": np.int64, "dst": np.int64, **({"mark": "category"} if mark else {})},
            engine="c",
            quoting=3,
            na_filter=False,
            **exact,
            skipinitialspace=True,
            chunksize=CHUNK_ROWS,
        ) as chunks:
            for chunk in chunks:
                if chunk.empty:  # without a row there are no dtypes to check
                    continue
                if mark and list(chunk["mark"].cat.categories) != [mark]:
                    raise TableError(f"a line doesn't begin with {mark!r}")
                found = [_numbers(chunk[name].to_numpy(), name) for name in numbers]
                parts.append((_ids(chunk["src"], relabel), _ids(chunk["dst"], relabel), *found))
    except (ValueError, OverflowError, pd.errors.ParserWarning) as error:  # ParserError is a ValueError
        raise TableError(str(error).strip()) from error
    if not parts:
        parts = [(np.empty(0, np.int32), np.empty(0, np.int32), *(np.empty(0, np.int64) for _ in numbers))]
    src, dst, *rest = (np.concatenate(column) for column in zip(*parts, strict=True))
    return src, dst, *(rest if "weight" in names else [None, *rest])


def _ids(column: Any, relabel: bool) -> Any:
    ids = column.to_numpy()
    if ids.size and ids.min() < 0:
        raise TableError("a vertex id is negative")
    if relabel:
        return ids
    if ids.size and ids.max() >= MAX_VERTICES:
        raise TableError("a vertex id is too large")
    return ids.astype(np.int32)


def _numbers(values: Any, what: str) -> Any:
    if values.dtype.kind not in "if":  # text, booleans, or integers past int64
        raise TableError(f"a {what} is not a number")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise TableError(f"a {what} is NaN")
    return values


def id_fault(token: str, relabel: bool = False, lowest: int = 0, highest: int = MAX_VERTICES - 1) -> str | None:
    """What is wrong with `token` as a vertex id, or None."""
    try:
        value = int(token)
    except ValueError:
        return f"{token[:40]!r} is not a vertex id (a whole number)"
    if relabel and 0 <= value < 2**63:
        return None
    if not lowest <= value <= highest:
        return f"the vertex id {value} is not between {lowest} and {highest}"
    return None


def weight_fault(token: str) -> str | None:
    """What is wrong with `token` as a weight, or None."""
    return number_fault(token, "weight", "; pass weights=False to leave weights out")


def number_fault(token: str, what: str, remedy: str = "") -> str | None:
    """What is wrong with `token` as a `what`, or None; `remedy` is what can be done about NaN."""
    try:
        value = float(token)
    except ValueError:
        return f"{token[:40]!r} is not a {what} (a number)"
    if value != value:
        return f"the {what} is NaN{remedy}"
    if abs(value) >= 2**63 and token.lstrip("+-").isdecimal():
        return f"the {what} {token} is too large for int64; write it as a real number, e.g. {token}.0"
    return None
