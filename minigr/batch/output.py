"""Results on their way to host memory, and to files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError
from minigr.io.replace import replacing

GRAPHS = "graphs"
"""The array of a file of results that says which graphs of the source they are of."""


def on_host(result: Any) -> Any:
    """A result with its arrays in host memory: an array, or a dataclass that has some."""
    if hasattr(result, "__cuda_array_interface__"):
        return CPU.asarray(result)
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        values = {field.name: on_host(getattr(result, field.name)) for field in dataclasses.fields(result)}
        return dataclasses.replace(result, **values)
    return result


def save(path: Path, graphs: Any, result: Any) -> Path:
    """Write a result that is in host memory; the file appears whole or not at all.

    Parameters
    ----------
    path : Path
    graphs : int64 array
        Which graphs of the source the result is of.
    result
        An array, or a dataclass of arrays and numbers.

    Raises
    ------
    GraphError
        If the result is something else.
    """
    arrays = _arrays(result)
    with replacing(path) as handle:
        np.savez(handle, **{GRAPHS: graphs}, **arrays)
    return path


def name_of(source: Path) -> str:
    """What the results of a file are called by: its own name without the ending."""
    return source.absolute().stem


def _arrays(result: Any) -> dict[str, Any]:
    """The arrays of a result, by the names of its attributes."""
    found = {"result": result}
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        found = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    for name, value in found.items():
        if name == GRAPHS:
            raise GraphError(f"a result that is written must not have an attribute {GRAPHS}: rename it")
        if not isinstance(value, np.ndarray | np.generic | bool | int | float):
            raise GraphError(
                f"a result that is written is an array or a dataclass of arrays, but {name} is a "
                f"{type(value).__name__}: have the algorithm return one of these"
            )
    return found
