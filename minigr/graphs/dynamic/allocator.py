"""Where the arrays of a dynamic graph come from: one place that can refuse, so that tests can make it refuse."""

from __future__ import annotations

from typing import Any

from minigr.device import Device


class Allocator:
    """Makes arrays on a device, which must be the current one: `minigr.graphs.backend.scope` sees to that."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def empty(self, count: int, dtype: Any) -> Any:
        """An uninitialised array of `count` elements."""
        return self.device.xp.empty(count, dtype)

    def memory(self, size: int) -> Any:
        """So many bytes on a GPU, uninitialised and freed with the object; an array takes three times as long."""
        return self.device.xp.cuda.alloc(size)

    def full(self, count: int, value: Any, dtype: Any) -> Any:
        """An array of `count` elements of one value."""
        array = self.empty(count, dtype)
        self.device.fill(array, value)
        return array

    def grown(self, array: Any, used: int, count: int, fill: Any = None) -> Any:
        """An array of `count` elements whose first `used` are those of `array`; the others are `fill`, if given."""
        larger = self.empty(count, array.dtype)
        if used:
            larger[:used] = array[:used]
        if fill is not None:
            larger[used:] = fill
        return larger
