"""Archives of NumPy arrays (.npz), which several threads may read at a time."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from minigr.errors import FormatError

_parsing = threading.Lock()
"""Held while a header is parsed: before 3.12.2 Python's parser fails now and then where threads use it side by side."""


class Archive:
    """The arrays of an archive by name, read when they are asked for.

    `numpy.load` takes small steps, each of which needs Python's lock; here an array is read in one.
    """

    def __init__(self, handle: BinaryIO):
        self._zip = zipfile.ZipFile(handle)
        self._names = {name.removesuffix(".npy"): name for name in self._zip.namelist()}

    @property
    def files(self) -> list[str]:
        """The names."""
        return list(self._names)

    def __getitem__(self, name: str) -> Any:
        with self._zip.open(self._names[name]) as member:
            version = npy.read_magic(member)
            with _parsing:
                parse = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
                shape, by_column, dtype = parse(member)
            if dtype.hasobject:
                raise ValueError("Object arrays cannot be loaded")
            array = np.empty(shape, dtype, order="F" if by_column else "C")
            data = member.read()  # to the end, where the checksum is compared
        if len(data) != array.nbytes:
            raise ValueError(f"{name} has {len(data)} bytes, but should have {array.nbytes}")
        array.reshape(-1, order="A").view(np.uint8)[:] = np.frombuffer(data, np.uint8)
        return array


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """An archive; what is wrong with it becomes a `FormatError` that names the file."""
    try:
        with path.open("rb") as handle:
            yield Archive(handle)
    except (FormatError, FileNotFoundError, PermissionError, ImportError):
        raise
    except Exception as error:  # zipfile and NumPy raise a dozen kinds over damaged data, MemoryError among them
        raise FormatError(path, f"not a readable .npz archive: {error}; is the file cut short?") from error
