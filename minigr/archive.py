"""Archives of NumPy arrays (.npz), which several threads may read at a time."""

from __future__ import annotations

import math
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from minigr.device import CPU
from minigr.errors import FormatError
from minigr.locks import free_in_children
from minigr.memory import require

_LARGEST_RATIO = 1032
"""How much smaller the compression of an archive makes anything."""
_PIECE = 1 << 20  # bytes
_parsing = free_in_children(threading.Lock())
"""Held while a header is parsed: before 3.12.2 Python's parser fails now and then where threads use it side by side."""


class Archive:
    """The arrays of an archive by name, read when they are asked for.

    `numpy.load` takes small steps, each of which needs Python's lock, and allocates what a header says; here an array
    is read in one step, after its size was held against that of the file and the memory that is free.
    """

    def __init__(self, path: Path, handle: BinaryIO):
        self._path, self._size = path, path.stat().st_size
        self._zip = zipfile.ZipFile(handle)
        self._names = {name.removesuffix(".npy"): name for name in self._zip.namelist()}

    @property
    def files(self) -> list[str]:
        """The names."""
        return list(self._names)

    def __getitem__(self, name: str) -> Any:
        with self._member(name) as (member, shape, by_column, dtype):
            require(CPU, 2 * dtype.itemsize * math.prod(shape), f"{self._path}: its array {name!r}")
            data = member.read()  # to the end, where the checksum is compared
            array = np.empty(shape, dtype, order="F" if by_column else "C")
            array.reshape(-1, order="A").view(np.uint8)[:] = np.frombuffer(data, np.uint8)
        return array

    def head(self, name: str) -> tuple[tuple[int, ...], np.dtype]:
        """The shape and the dtype of an array, of which nothing else is read."""
        with self._member(name) as (_, shape, _, dtype):
            return shape, dtype

    def pieces(self, name: str) -> Iterator[Any]:
        """The elements of an array, some at a time."""
        with self._member(name) as (member, _, _, dtype):
            while data := member.read(_PIECE // dtype.itemsize * dtype.itemsize):
                yield np.frombuffer(data, dtype)

    @contextmanager
    def _member(self, name: str) -> Iterator[tuple[Any, tuple[int, ...], bool, np.dtype]]:
        """An array's file where its elements begin, its shape, whether it is stored by column, and its dtype."""
        with _told(self._path, f"the array {name!r} can't be read"):
            info = self._zip.getinfo(self._names[name])
            if info.file_size > _LARGEST_RATIO * self._size:
                raise ValueError(f"{info.file_size:,} bytes are more than the file can hold")
            with self._zip.open(info) as member:
                shape, by_column, dtype = _header(member)
                if dtype.hasobject:
                    raise ValueError("Object arrays cannot be loaded")
                size, there = dtype.itemsize * math.prod(shape), info.file_size - member.tell()
                if size != there:
                    raise ValueError(f"it has {there:,} bytes, but its header says {size:,}")
                yield member, shape, by_column, dtype

    def scalar(self, name: str) -> Any:
        """The only value of an array, or None if there is no such array."""
        if name not in self._names:
            return None
        value = self[name]
        if value.size != 1:
            raise FormatError(self._path, f"{name} should be a single value, but has shape {value.shape}")
        try:
            return value.item()
        except (SystemError, ValueError) as error:  # Python's, of text that holds numbers which are no characters
            raise FormatError(self._path, f"{name} can't be read: {error}") from error

    def flag(self, name: str) -> bool | None:
        """Whether an array of one value is true, or None if there is no such array."""
        value = self.scalar(name)
        if value not in (None, 0, 1):
            raise FormatError(self._path, f"{name} should be true or false, but is {value!r}")
        return None if value is None else bool(value)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """An archive; what is wrong with it becomes a `FormatError` that names the file."""
    with path.open("rb") as handle:
        with _told(path, "not a readable .npz archive"):
            archive = Archive(path, handle)
        yield archive


def _header(member: Any) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = npy.read_magic(member)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"version {version} of the format is unknown")
    parse = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    with _parsing:
        shape, by_column, dtype = parse(member)
    if any(length < 0 for length in shape):
        raise ValueError(f"a shape can't be {shape}")
    return shape, by_column, dtype


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except (FormatError, MemoryError):  # what the file says of its sizes was held against the free memory before
        raise
    except Exception as error:  # zipfile and NumPy raise a dozen kinds over damaged data
        raise FormatError(path, f"{what}: {error}; is the file cut short?") from error
