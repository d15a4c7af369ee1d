"""The last call of each function by a primitive, kept for the next one that is like it: what was checked and looked up
then need not be again, which is most of what a call on little data takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.jit import capture

_MOST = 256  # functions that are no longer used are kept in memory no longer than until there are so many
_calls: dict[int, Call] = {}  # by the id of the function


@dataclass(frozen=True)
class Call:
    """A call that went well.

    Attributes
    ----------
    function : FunctionType
        Held, so that no other comes to have its id.
    digest : str
        Of the function as it was then.
    names : tuple of str
        Of the fields.
    kinds : tuple
        Of the fields, as `kind_of` tells them.
    asked : dtype or None
        What the caller gave for the dtype of the result.
    dtype : dtype or None
        What it is; None where there is no result.
    device : Device
    run : callable
        ``(fields, length, *result)``: what was compiled.
    """

    function: FunctionType
    digest: str
    names: tuple[str, ...]
    kinds: tuple[Any, ...]
    asked: Any
    dtype: Any
    device: Device
    run: Callable[..., None]


def kind_of(value: Any) -> Any:
    """What a program depends on of a field that it can take as it is; None for any other."""
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
    """The last call of `function`, if one on these fields is like it."""
    call = _calls.get(id(function))
    if call is None or call.asked is not asked or call.names != tuple(fields):
        return None
    alike = call.kinds == tuple(map(kind_of, fields.values()))
    return call if alike and call.digest == capture.digest(function) else None


def keep(function: Any, fields: Mapping[str, Any], asked: Any, dtype: Any, device: Device, run: Any) -> None:
    """Note a call of `function` that went well."""
    kinds = tuple(map(kind_of, fields.values()))
    if None in kinds or not isinstance(function, FunctionType):
        return
    if all(isinstance(kind, type) for kind in kinds):
        return  # without an array the device is the default one, which may be another next time
    if len(_calls) >= _MOST:
        _calls.clear()
    digest = capture.digest(function)
    _calls[id(function)] = Call(function, digest, tuple(fields), kinds, asked, dtype, device, run)
