"""Further columns of a table, which go along with its edges, read in pieces: texts, or arrays of Arrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minigr.errors import FormatError
from minigr.graphs.columns import column_of
from minigr.io.tokens import number, number_fault

_A_TEXT = 64  # bytes: of a short string and its place


def size(piece: Any) -> int:
    """About how many bytes a piece takes."""
    return _A_TEXT * len(piece) if isinstance(piece, list) else int(piece.nbytes)


def joined(pieces: list[Any], name: str, path: Path) -> Any:
    """The column of some pieces.

    Raises
    ------
    FormatError
        If they are of different kinds, in different files.
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
    """A column of fields: numbers if each is a number or empty, and at least one is there; otherwise texts.

    An empty field is missing: NaN among real numbers, and elsewhere None.

    Examples
    --------
    >>> typed(["12", "-3"]), typed(["1.5", "", "nan"]), typed(["Oslo", "", "3"])
    (array([12, -3]), array([1.5, nan, nan]), array(['Oslo', None, '3'], dtype=object))
    """
    values: list[Any] = [text if text else None for text in texts]
    if all(text == "" or _is_number(text) for text in texts):
        values = [None if text == "" else np.nan if _is_nan(text) else number(text) for text in texts]
    return column_of(values)


def _is_number(text: str) -> bool:
    return _is_nan(text) or number_fault(text, "number") is None


def _is_nan(text: str) -> bool:
    return text.lower() == "nan"
