"""Messages between processes as bytes, with the arrays of GPUs beside them."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass, field
from typing import Any

from minigr.device import _cupy


@dataclass
class Packed:
    """A message as bytes, the memory of its arrays on the host, and its arrays on the GPU, which lie in one piece."""

    text: bytes = b""
    buffers: list[Any] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)

    @property
    def shapes(self) -> list[Any]:
        """What the arrays on the GPU are like."""
        return [(array.shape, array.dtype) for array in self.arrays]


def packed(message: Any) -> Packed:
    """A message, packed; `unpacked` has it again."""
    found, file = Packed(), io.BytesIO()
    _Pickler(file, found).dump(message)
    found.text = file.getvalue()
    return found


def unpacked(text: bytes, buffers: list[Any], arrays: list[Any]) -> Any:
    """The message of these parts of a `Packed`, or of what has come of them."""
    return _Unpickler(text, buffers, arrays).load()


class _Pickler(pickle.Pickler):
    """Has arrays on the GPU stand outside, by number."""

    def __init__(self, file: io.BytesIO, found: Packed) -> None:
        super().__init__(file, protocol=5, buffer_callback=found.buffers.append)
        self._arrays, self._kind = found.arrays, _cupy().ndarray

    def persistent_id(self, value: Any) -> int | None:
        """The number of an array; None for all else."""
        if not isinstance(value, self._kind):
            return None
        self._arrays.append(_cupy().ascontiguousarray(value))
        return len(self._arrays) - 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, text: bytes, buffers: list[Any], arrays: list[Any]) -> None:
        super().__init__(io.BytesIO(text), buffers=buffers)
        self._arrays = arrays

    def persistent_load(self, number: int) -> Any:
        """The array of this number."""
        return self._arrays[number]
