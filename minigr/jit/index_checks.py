"""Debug mode on the host: the words that make checked fields, and the error for the first wrong index."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from minigr.errors import FieldIndexError, ProblemError
from minigr.jit.capture import called
from minigr.jit.functor import GRAPH, Bound
from minigr.jit.intrinsic import Provided

VARIABLE = "MINIGR_DEBUG"
FIELD_WORDS = 4  # of a field: address, number of elements or rows, number of the field, address of the record
RECORD_WORDS = 5  # of the record: 1 if it is filled, number of the field, place, index, column


def is_on(debug: Any = False) -> bool:
    """Whether a run checks indexes, because its keyword `debug` is True or ``MINIGR_DEBUG=1`` is set.

    Raises
    ------
    ProblemError
        If `debug` is no bool, or the variable is neither ``0`` nor ``1``.
    """
    if not isinstance(debug, (bool, np.bool_)):
        raise ProblemError(f"debug={debug!r}: use True or False")
    text = os.environ.get(VARIABLE, "")
    if text not in ("", "0", "1"):
        raise ProblemError(f"{VARIABLE}={text!r}: use 1 to check the indexes of all fields, or 0")
    return bool(debug) or text == "1"


def first_word(number: int) -> int:
    """The position of a field's first word, after the words of the record."""
    return RECORD_WORDS + number * FIELD_WORDS


def place_of(filename: str, line: int) -> int:
    """A place in the source, as one word."""
    return (zlib.crc32(filename.encode()) >> 1) << 32 | line


def out_of_range(place: tuple[int, ...], shape: tuple[int, ...], field: str) -> str | None:
    """A message for an index, or a row and a column, that is out of range; None if the element exists."""
    words = (("index", "element"),) if len(shape) == 1 else (("row", "row"), ("column", "column"))
    for (name, counted), index, length in zip(words, place, shape, strict=True):
        if not 0 <= index < length:
            has = f"{length} {counted}s (0 to {length - 1})" if length else f"no {counted}s"
            return f"the {name} {index} is out of range for {field}, which has {has}"
    return None


class CheckedFields:
    """The fields that the functions of a program index.

    Each pair of a function and a field has a number, so the number in the record identifies both.
    """

    def __init__(self) -> None:
        self._fields: dict[tuple[str, str], Bound] = {}

    def number(self, label: str, bound: Bound, name: str) -> int:
        """The number of field `name` in the function that a program calls `label`."""
        self._fields.setdefault((label, name), bound)
        return list(self._fields).index((label, name))

    def empty(self) -> Any:
        """Words for the record and for all fields."""
        return np.zeros(RECORD_WORDS + FIELD_WORDS * len(self._fields), np.int64)

    def fill(self, words: Any, at: int, arrays: Mapping[str, Any]) -> None:
        """Write the addresses and lengths of the arrays into the words, and clear the record.

        `at` is the address of the words as the functions see it.
        """
        words[:RECORD_WORDS] = 0
        rows = words[RECORD_WORDS:].reshape(-1, FIELD_WORDS)
        for number, (_, name) in enumerate(self._fields):
            array = arrays[name]
            address = array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr
            rows[number] = address, len(array), number, at

    def raise_first(self, words: Any, arrays: Mapping[str, Any], fields: Mapping[str, Any] | None = None) -> None:
        """Raise `FieldIndexError` if the record was filled, for the fields of a problem or for arrays."""
        filled, number, place, index, column = words[:RECORD_WORDS].tolist()
        if not filled:
            return
        (_, name), bound = list(self._fields.items())[number]
        at = f"{bound.label}: {_where(bound.function, place)}"
        if name == GRAPH:
            vertices = words[first_word(number) + 1]
            raise FieldIndexError(f"{at}: the vertex {index} is out of range for graph, which has {vertices} vertices")
        kind = fields[name].kind if fields else "array"
        shape = arrays[name].shape
        found = (index, column)[: len(shape)]
        what = out_of_range(found, shape, f"the {kind} field {name!r}")
        raise FieldIndexError(f"{at}: {name}{[*found]}: {what}")


def source_lines(function: FunctionType) -> str:
    """The files and lines of a function and its helpers. The code of checks depends on these and on the bytecode."""
    parts = []
    for each in called(function):
        lines = zlib.crc32(repr([list(code.co_lines()) for code in _codes(each.__code__)]).encode())
        parts.append(f"{each.__code__.co_filename}:{each.__code__.co_firstlineno}:{lines:08x}")
    return ", ".join(parts)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of the functions that are defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _where(function: FunctionType, place: int) -> str:
    """A description of a place in a function or in one of its helpers."""
    line = place & 0xFFFFFFFF
    provided = (one.function for one in Provided.every)
    for each in (*called(function), *provided):
        code = each.__code__
        lines = {number for part in _codes(code) for _, _, number in part.co_lines()}
        if line in lines and place_of(code.co_filename, line) == place:
            return f"line {line}" if each is function else f"line {line} of {code.co_filename}, in {code.co_name}"
    return f"line {line}"
