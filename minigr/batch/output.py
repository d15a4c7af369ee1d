"""Moving results to host memory, and writing them to files."""

from __future__ import annotations

import dataclasses
import os
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError
from minigr.replace import replacing

GRAPHS = "graphs"
"""The array in a file of results that says which graphs of the source the results are for."""


def on_host(result: Any) -> Any:
    """A result with its arrays in host memory. The result is an array, or a dataclass with arrays."""
    if hasattr(result, "__cuda_array_interface__"):
        return CPU.asarray(result)
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        values = {field.name: on_host(getattr(result, field.name)) for field in dataclasses.fields(result)}
        return dataclasses.replace(result, **values)
    return result


def save(path: Path, graphs: Any, result: Any) -> Path:
    """Write a result that is in host memory. The file appears completely or not at all.

    Parameters
    ----------
    path : Path
    graphs : int64 array
        The graphs of the source that the result is for.
    result
        An array, or a dataclass of arrays and numbers.

    Raises
    ------
    GraphError
        If the result has another type.
    """
    arrays = _arrays(result)
    with replacing(path) as handle:
        np.savez(handle, **{GRAPHS: graphs}, **arrays)
    return path


def make_folder(path: Path) -> None:
    """Make the folder for results, if it does not exist."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise GraphError(
            f"map: output={str(path)!r} is a file or leads through a file: give the name of a folder"
        ) from None


class Files:
    """The elements of a stream, which must all be files whose results have different names.

    A collection is checked when this object is made, another iterable during iteration.
    """

    def __init__(self, elements: Iterable[Any], output: Path):
        self.elements, self.output = elements, output
        if isinstance(elements, Collection):
            deque(self, maxlen=0)

    def __iter__(self) -> Iterator[Path]:
        by_name: dict[str, Path] = {}
        replaced: dict[str, Path] = {}  # files of the stream that results may replace, by the name of these results
        for element in self.elements:
            if not isinstance(element, str | os.PathLike):
                raise GraphError(
                    f"map: output= names results after files, but this stream has a {type(element).__name__}: "
                    "leave output= out, or write the graphs to files with minigr.batch.write first"
                )
            path = Path(element)
            name = name_of(path)
            if name in by_name:
                raise GraphError(
                    f"map: the results of {by_name[name]} and {path} would have the same name: rename a file, or make "
                    "a stream for each"
                )
            by_name[name] = path
            result = _RESULT.fullmatch(path.name)
            if result and path.absolute().parent.resolve() == self.output.resolve():
                replaced[result[1]] = path
            for cause in {name, result[1] if result else name}:
                if cause in by_name and cause in replaced:
                    raise GraphError(
                        f"map: the results of {by_name[cause]} may replace {replaced[cause]}, which is in the stream: "
                        "give another folder as output="
                    )
            yield path


_RESULT = re.compile(r"(.*)-\d+\.npz", re.DOTALL)
"""The name of a file of results, with the name of its source; see `minigr.batch.compute.write_piece`."""


def name_of(source: Path) -> str:
    """The name for the results of a file: the name of the file without its ending."""
    return source.absolute().stem


def _arrays(result: Any) -> dict[str, Any]:
    """The arrays of a result, by attribute name."""
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
        if getattr(value, "dtype", np.dtype(bool)).hasobject:
            raise GraphError(
                f"a result that is written holds numbers or texts, but {name} holds objects: have the algorithm "
                f"convert them, e.g. {name}.astype('float64')"
            )
    return found
