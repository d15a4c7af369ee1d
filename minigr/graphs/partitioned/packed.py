"""Messages between processes as bytes, together with the arrays on GPUs."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass, field
from typing import Any

from minigr.device import _cupy


@dataclass
class Packed:
    """A message: its bytes, the memory of its arrays on the host, and its arrays on the GPU, which are contiguous."""

    text: bytes = b""
    buffers: list[Any] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)

    @property
    def shapes(self) -> list[Any]:
        """The shapes and dtypes of the arrays on the GPU."""
        return [(array.shape, array.dtype) for array in self.arrays]


def packed(message: Any) -> Packed:
    """Pack a message; `unpacked` is the inverse."""
    found, file = Packed(), io.BytesIO()
    _Pickler(file, found).dump(message)
    found.text = file.getvalue()
    return found


def unpacked(text: bytes, buffers: list[Any], arrays: list[Any]) -> Any:
    """The message with these parts of a `Packed`, which may have been sent by another process."""
    return _Unpickler(text, buffers, arrays).load()


class _Pickler(pickle.Pickler):
    """Pickles everything except arrays on the GPU, which are replaced by their numbers."""

    def __init__(self, file: io.BytesIO, found: Packed) -> None:
        super().__init__(file, protocol=5, buffer_callback=found.buffers.append)
        self._arrays, self._kind = found.arrays, _cupy().ndarray

    def persistent_id(self, value: Any) -> int | None:
        """The number of an array on the GPU; None for other objects."""
        if not isinstance(value, self._kind):
            return None
        self._arrays.append(_cupy().ascontiguousarray(value))
        return len(self._arrays) - 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, text: bytes, buffers: list[Any], arrays: list[Any]) -> None:
        super().__init__(io.BytesIO(text), buffers=buffers)
        self._arrays = arrays

    def persistent_load(self, number: int) -> Any:
        """The array with this number."""
        return self._arrays[number]
