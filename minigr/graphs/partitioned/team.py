"""Team: runs the work of each part on the device of the part, on several GPUs at the same time."""

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
        The device of each of these parts: only CPUs or only GPUs.
    numbers : sequence of int
        The number of each of them among the parts of all processes.
    """

    def __init__(self, devices: Sequence[Device], numbers: Sequence[int]) -> None:
        self.devices, self._numbers = tuple(devices), numbers
        self._places = tuple(dict.fromkeys(devices))

    def each(self, work: Callable[[int], T]) -> list[T]:
        """Call ``work(i)`` for each part i on its device. Returns the results in the order of the parts.

        Parts on one device take turns. Each GPU has a thread, which finally waits for the GPU. So results may be copied
        to other GPUs at once. Hold the results until the next call is done, because the copies may take as long.

        Raises
        ------
        OutOfMemoryError
            If a device has too little memory for the work of its part. The message names the part.
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
            wait_for(futures)  # when an error is raised, no thread may change anything any more
        for future in futures:
            future.result()
        return found

    def each_launched(self, work: Callable[[int], T]) -> list[T]:
        """The same for work that waits for no GPU, such as elementwise operations: a single thread launches all work.

        Threads that only launch would wait for each other longer than they work.
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
        """Do the work of the parts on one GPU, on the stream of the calling thread."""
        try:
            self._launch(device, stream, work, found)
        finally:
            with device.as_current():
                stream.synchronize()

    def _launch(self, device: Device, stream: Any, work: Callable[[int], Any], found: list[Any]) -> None:
        """The same, without waiting for the GPU at the end."""
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
    """The thread that works on a GPU in addition to the calling thread."""
    return ThreadPoolExecutor(1, f"minigr-{device}")
