"""Archives of NumPy arrays (.npz), which several threads may read at the same time."""

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
from minigr.paths import refuse_pipe

_LARGEST_RATIO = 1032
"""The greatest ratio of the size of an array to the size of its compressed form."""
_PIECE = 1 << 20  # bytes
_parsing = free_in_children(threading.Lock())
"""Held while a header is parsed, because Python's parser before 3.12.2 sometimes fails if several threads use it."""


class Archive:
    """The arrays of an archive by name, read on request.

    `numpy.load` reads in small steps, and each step needs Python's lock. `numpy.load` also allocates the size that a
    header states. This class reads an array in one step, after it has compared the size of the array with the size of
    the file and with the free memory.
    """

    def __init__(self, path: Path, handle: BinaryIO):
        self._path, self._size = path, path.stat().st_size
        self._zip = zipfile.ZipFile(handle)
        self._names = {name.removesuffix(".npy"): name for name in self._zip.namelist()}

    @property
    def files(self) -> list[str]:
        """The names of the arrays."""
        return list(self._names)

    def __getitem__(self, name: str) -> Any:
        with self._member(name) as (member, shape, by_column, dtype):
            require(CPU, 2 * dtype.itemsize * math.prod(shape), f"{self._path}: its array {name!r}")
            data = member.read()  # to the end, because the checksum is compared there
            array = np.empty(shape, dtype, order="F" if by_column else "C")
            array.reshape(-1, order="A").view(np.uint8)[:] = np.frombuffer(data, np.uint8)
        return array

    def head(self, name: str) -> tuple[tuple[int, ...], np.dtype]:
        """The shape and the dtype of an array. The elements are not read."""
        with self._member(name) as (_, shape, _, dtype):
            return shape, dtype

    def pieces(self, name: str) -> Iterator[Any]:
        """The elements of an array, in pieces."""
        with self._member(name) as (member, _, _, dtype):
            while data := member.read(_PIECE // dtype.itemsize * dtype.itemsize):
                yield np.frombuffer(data, dtype)

    @contextmanager
    def _member(self, name: str) -> Iterator[tuple[Any, tuple[int, ...], bool, np.dtype]]:
        """The file of an array at its first element, the shape, whether the order is by column, and the dtype."""
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
        """The only value of an array, or None if the array does not exist."""
        if name not in self._names:
            return None
        value = self[name]
        if value.size != 1:
            raise FormatError(self._path, f"{name} should be a single value, but has shape {value.shape}")
        try:
            return value.item()
        except (SystemError, ValueError) as error:  # raised by Python for text with numbers that are no characters
            raise FormatError(self._path, f"{name} can't be read: {error}") from error

    def flag(self, name: str) -> bool | None:
        """Whether an array of one value is true, or None if the array does not exist."""
        value = self.scalar(name)
        if value not in (None, 0, 1):
            raise FormatError(self._path, f"{name} should be true or false, but is {value!r}")
        return None if value is None else bool(value)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open an archive. An error in the archive is raised as a `FormatError` that names the file."""
    with path.open("rb") as handle:
        refuse_pipe(handle, path)
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
    except (FormatError, MemoryError):  # sizes that the file states are compared with the free memory before
        raise
    except Exception as error:  # zipfile and NumPy raise a dozen kinds of errors for damaged data
        raise FormatError(path, f"{what}: {error}; is the file cut short?") from error
