"""Team: has the work of each part done on the part's device, on several GPUs at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from functools import cache
from typing import Any, TypeVar

from minigr.device import Device, _cupy
from minigr.errors import OutOfMemoryError
from minigr.memory import as_out_of_memory, is_lack_of_memory

T = TypeVar("T")


class Team:
    """The devices of the parts that this process holds.

    Parameters
    ----------
    devices : sequence of Device
        The device of each of these parts, CPUs alone or GPUs alone.
    numbers : sequence of int
        What number each of them has among the parts of all processes.
    """

    def __init__(self, devices: Sequence[Device], numbers: Sequence[int]) -> None:
        self.devices, self._numbers = tuple(devices), numbers
        self._places = tuple(dict.fromkeys(devices))

    def each(self, work: Callable[[int], T]) -> list[T]:
        """``work(i)`` for each part i, while its device is the current one; what came of it, in the order of parts.

        Parts of one device take turns. Each GPU has a thread, which waits for the GPU in the end. So what came of it
        may be copied to other GPUs at once. It must be held until the next call is done, because the copies may be
        under way as long.

        Raises
        ------
        OutOfMemoryError
            If a device has no room for what its part does; names the part.
        """
        if len(self._places) == 1:
            with self._places[0].as_current():
                return [self._done(work, index) for index in range(len(self.devices))]
        found: list[Any] = [None] * len(self.devices)
        first, *others = self._places
        futures = [_thread(device).submit(self._turn, device, _stream(device), work, found) for device in others]
        try:
            self._turn(first, _stream(first), work, found)
        finally:
            wait_for(futures)  # nothing is to be changed any more when an error is raised
        for future in futures:
            future.result()
        return found

    def each_launched(self, work: Callable[[int], T]) -> list[T]:
        """The same for work that waits for no GPU, such as elementwise operations: one thread launches all of it.

        Threads that only launch wait for each other longer than they work.
        """
        if len(self._places) == 1:
            return self.each(work)
        found: list[Any] = [None] * len(self.devices)
        streams = [_stream(device) for device in self._places]
        try:
            for device, stream in zip(self._places, streams, strict=True):
                self._launch(device, stream, work, found)
        finally:
            for device, stream in zip(self._places, streams, strict=True):
                with device.as_current():
                    stream.synchronize()
        return found

    def _turn(self, device: Device, stream: Any, work: Callable[[int], Any], found: list[Any]) -> None:
        """Do the work of the parts on one GPU, by the stream of the thread that asked for it."""
        try:
            self._launch(device, stream, work, found)
        finally:
            with device.as_current():
                stream.synchronize()

    def _launch(self, device: Device, stream: Any, work: Callable[[int], Any], found: list[Any]) -> None:
        """The same, without waiting in the end."""
        with device.as_current(), stream:
            for index, place in enumerate(self.devices):
                if place == device:
                    found[index] = self._done(work, index)

    def _done(self, work: Callable[[int], T], index: int) -> T:
        try:
            return work(index)
        except Exception as error:
            if not is_lack_of_memory(error):
                raise
            told = as_out_of_memory(error, "its share of the work")
            raise OutOfMemoryError(f"part {self._numbers[index]} ({self.devices[index]}): {told}") from None


def _stream(device: Device) -> Any:
    """The calling thread's current stream of a GPU."""
    return _cupy().cuda.get_current_stream(device.index)


@cache
def _thread(device: Device) -> ThreadPoolExecutor:
    """The thread that works on a GPU beside the one that asks for it."""
    return ThreadPoolExecutor(1, f"minigr-{device}")
