"""The arrays in objects that hold arrays: graphs, and data that algorithms keep with graphs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


def with_arrays(value: Any, change: Callable[[Any], Any]) -> Any:
    """`value` with each array replaced by ``change(array)``, also in tuples, dataclasses and graphs.

    Examples
    --------
    >>> import numpy as np
    >>> with_arrays((np.zeros(3), "name", 1.5), len)
    (3, 'name', 1.5)
    """
    if hasattr(value, "_with_arrays"):
        return value._with_arrays(change)
    if isinstance(value, tuple):
        return tuple(with_arrays(each, change) for each in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **{name: with_arrays(each, change) for name, each in fields.items()})
    return change(value) if hasattr(value, "nbytes") and not isinstance(value, np.generic) else value


def find_facts(value: Any) -> None:
    """Make the graphs in `value`, also in tuples and dataclasses, find the facts that an estimate needs."""
    if hasattr(value, "_find_facts"):
        value._find_facts()
    elif isinstance(value, tuple):
        for each in value:
            find_facts(each)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            find_facts(getattr(value, field.name))


def arrays_in(value: Any) -> dict[int, Any]:
    """The arrays in `value` by id, each once."""
    found: dict[int, Any] = {}

    def note(array: Any) -> Any:
        return found.setdefault(id(array), array)

    with_arrays(value, note)
    return found
