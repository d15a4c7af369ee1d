"""Further columns of a table, which are kept with its edges and read in pieces: texts, or Arrow arrays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from minigr.errors import FormatError
from minigr.io.tokens import number_fault, whole

_SHORT = re.compile(r"[+-]?[0-9]{1,18}")
_REAL = re.compile(r"[+-]?[0-9]+\.[0-9]+")
"""Numbers that are fast to recognize."""
_A_TEXT = 64  # bytes of a short string and its pointer


def size(piece: Any) -> int:
    """The approximate number of bytes of a piece."""
    return _A_TEXT * len(piece) if isinstance(piece, list) else int(piece.nbytes)


def joined(pieces: list[Any], name: str, path: Path) -> Any:
    """The column that consists of some pieces.

    Raises
    ------
    FormatError
        If the pieces have different types, in different files.
    """
    if all(isinstance(piece, list) for piece in pieces):
        return typed([text for piece in pieces for text in piece])
    kinds = {str(getattr(piece, "type", "text")) for piece in pieces}
    if len(kinds) > 1:
        what = f"the column {name!r} holds {' and '.join(sorted(kinds))} in different files"
        raise FormatError(path, f"{what}: give it one type, or leave it out of keep=")
    import pyarrow

    return pyarrow.chunked_array([chunk for piece in pieces for chunk in piece.chunks], pieces[0].type)


def typed(texts: list[str]) -> Any:
    """A column of fields: numbers if each field is a number or empty, and not all are empty; otherwise texts.

    An empty field is a missing value: NaN among real numbers, otherwise None.

    Examples
    --------
    >>> typed(["12", "-3"]), typed(["1.5", "", "nan"]), typed(["Oslo", "", "3"])
    (array([12, -3]), array([1.5, nan, nan]), array(['Oslo', None, '3'], dtype=object))
    """
    there = [text for text in texts if text]
    if there and all(_SHORT.fullmatch(text) or _is_whole(text) for text in there):
        if len(there) == len(texts):
            return np.array(list(map(int, texts)), np.int64)
        return _objects([int(text) if text else None for text in texts])
    if there and all(_REAL.fullmatch(text) or _is_number(text) for text in there):
        found = np.array([float(text) if text else np.nan for text in texts])
        if not np.isinf(found).any() or all(map(_is_number, there)):  # otherwise a number is too large for float64
            return found
    return _objects([text if text else None for text in texts])


def _objects(values: list[Any]) -> Any:
    return np.fromiter(values, object, len(values))


def _is_whole(text: str) -> bool:
    value = whole(text)
    return value is not None and -(2**63) <= value < 2**63


def _is_number(text: str) -> bool:
    return text.lower() == "nan" or number_fault(text, "number") is None
