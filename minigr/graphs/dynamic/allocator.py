"""The allocation of arrays of a dynamic graph: a single place, so that tests can make allocations fail."""

from __future__ import annotations

from typing import Any

from minigr.device import Device


class Allocator:
    """Allocates arrays on a device, which must be the current device: `minigr.graphs.backend.scope` ensures this."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def empty(self, count: int, dtype: Any) -> Any:
        """An uninitialized array of `count` elements."""
        return self.device.xp.empty(count, dtype)

    def memory(self, size: int) -> Any:
        """`size` uninitialized bytes on a GPU, freed with the object. Making an array takes three times as long."""
        return self.device.xp.cuda.alloc(size)

    def full(self, count: int, value: Any, dtype: Any) -> Any:
        """An array of `count` equal elements."""
        array = self.empty(count, dtype)
        self.device.fill(array, value)
        return array

    def grown(self, array: Any, used: int, count: int, fill: Any = None) -> Any:
        """An array of `count` elements. The first `used` come from `array`, and the others are `fill`, if given."""
        larger = self.empty(count, array.dtype)
        if used:
            larger[:used] = array[:used]
        if fill is not None:
            larger[used:] = fill
        return larger
