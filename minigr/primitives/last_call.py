"""The last call of each function by a primitive, kept for similar later calls.

A later call need not repeat checks and look-ups, which take most of the time of a call on little data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.jit import capture
from minigr.primitives.arguments import as_number, is_array

_MOST = 256  # functions that are no longer used are kept until there are so many calls
_calls: dict[int, Call] = {}  # by the id of the function


@dataclass(frozen=True)
class Call:
    """A call that succeeded.

    Attributes
    ----------
    function : FunctionType
        The function, which is kept alive so that no other function gets its id.
    digest : str
        The digest of the function at that time.
    names : tuple of str
        The names of the fields.
    kinds : tuple
        The kinds of the fields, as `kind_of` returns them.
    numbers : frozenset of str
        The names of the fields that are numbers.
    asked : dtype or None
        The dtype that the caller asked for.
    dtype : dtype or None
        The dtype of the result; None if there is no result.
    device : Device
    run : callable
        ``(fields, length, *result)``: the compiled function.
    """

    function: FunctionType
    digest: str
    names: tuple[str, ...]
    kinds: tuple[Any, ...]
    numbers: frozenset[str]
    asked: Any
    dtype: Any
    device: Device
    run: Callable[..., None]

    def values(self, fields: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values of fields, as the compiled function takes them."""
        numbers = self.numbers
        return tuple([as_number(value, name) if name in numbers else value for name, value in fields.items()])


def kind_of(value: Any) -> Any:
    """The properties of a field that a program depends on; None if the field can't be passed without conversion."""
    kind = type(value)
    if kind is int or kind is float or isinstance(value, np.generic):
        return kind
    if kind is np.ndarray:
        where = value.flags.writeable
    elif kind.__module__ == "cupy":
        where = value.data.device_id
    else:
        return None
    return (kind, value.dtype, where) if value.ndim == 1 and value.flags.c_contiguous else None


def find(function: Any, fields: Mapping[str, Any], asked: Any) -> Call | None:
    """The last call of `function`, if a call with these fields would be like it."""
    call = _calls.get(id(function))
    if call is None or call.asked is not asked or call.names != tuple(fields):
        return None
    alike = call.kinds == tuple(map(kind_of, fields.values()))
    return call if alike and call.digest == capture.digest(function) else None


def keep(function: Any, fields: Mapping[str, Any], asked: Any, dtype: Any, device: Device, run: Any) -> None:
    """Keep a call of `function` that succeeded."""
    kinds = tuple(map(kind_of, fields.values()))
    if None in kinds or not isinstance(function, FunctionType):
        return
    if all(isinstance(kind, type) for kind in kinds):
        return  # without an array, the device is the default device, which may change
    if len(_calls) >= _MOST:
        _calls.clear()
    numbers = frozenset([name for name, value in fields.items() if not is_array(value)])
    call = Call(function, capture.digest(function), tuple(fields), kinds, numbers, asked, dtype, device, run)
    _calls[id(function)] = call
