"""Timing: calls that take turns, every sample kept."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from minigr.device import Device

Call = Callable[[], Any]
Tell = Callable[[str], None]


def ignore(message: str) -> None:
    """The `tell` of a caller who wants no progress."""


def about(what: str, tell: Tell) -> Tell:
    """A `tell` whose lines begin with what they are about."""
    return lambda message: tell(f"{what}: {message}")


@dataclass
class Timing:
    """What was measured of one call.

    Attributes
    ----------
    first : float
        Milliseconds of the first call, which compiles or loads what it needs.
    samples : list of float
        Milliseconds of the calls after it: host clock around the call and a synchronize of the device.
    on_device : list of float
        The same calls by CUDA events, where they were asked for.
    result : Any
        What the last call returned, unless it was handed on.
    """

    first: float = math.nan
    samples: list[float] = field(default_factory=list)
    on_device: list[float] = field(default_factory=list)
    result: Any = None

    @property
    def median(self) -> float:
        return statistics.median(self.samples)


def take_turns(
    calls: Mapping[str, Call],
    device: Device,
    repeat: int,
    *,
    before: Mapping[str, Call] | None = None,
    after: Mapping[str, Callable[[Any], object]] | None = None,
    limit: float = math.inf,
    rest: float = 0.0,
    events: bool = False,
    tell: Tell = ignore,
) -> dict[str, Timing]:
    """Time `calls` in turn, so that a drift of the machine meets all of them and their ratios hold.

    The first round is not among the samples. Each call is sampled `repeat` times; one that has used up `limit` seconds
    is left out of later rounds, after one sample at least.

    Parameters
    ----------
    calls : mapping of str to callable
    device : Device
        Where they run; it is synchronized before and after each call.
    repeat : int
        At least 1.
    before : mapping of str to callable, optional
        What makes ready for a call each time, by the call's name; not timed.
    after : mapping of str to callable, optional
        What is handed the result of a call each time; not timed. The result is then not kept.
    limit : float
        Seconds for each call, all rounds together.
    rest : float
        Seconds of sleep before each call: the threads of a library that waits busily are then out of the way.
    events : bool
        On a GPU, also time by events on the current stream.
    tell : callable
        Gets a line about what runs now.

    Examples
    --------
    >>> from minigr.device import CPU
    >>> timing = take_turns({"sum": lambda: sum(range(10))}, CPU, 3)["sum"]
    >>> len(timing.samples), timing.result
    (3, 45)
    """
    timings = {name: Timing() for name in calls}
    before, after = before or {}, after or {}
    spent = dict.fromkeys(calls, 0.0)
    for turn in range(repeat + 1):
        for name, call in calls.items():
            timing = timings[name]
            if turn > 1 and spent[name] >= limit:
                continue
            tell(f"{name}, {turn} of {repeat}" if turn else f"{name}, first call")
            if name in before:
                before[name]()
            if rest:
                time.sleep(rest)
            milliseconds = _once(call, device, timing, events and device.is_cuda and turn > 0)
            spent[name] += milliseconds / 1e3
            if name in after:
                result, timing.result = timing.result, None
                after[name](result)
                del result
            if turn == 0:
                timing.first = milliseconds
            else:
                timing.samples.append(milliseconds)
    return timings


def _once(call: Call, device: Device, timing: Timing, events: bool) -> float:
    timing.result = None  # what the last call returned is not to be in the way of this one
    device.synchronize()
    if events:
        cupy = device.xp
        with cupy.cuda.Device(device.index):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            started = time.perf_counter()
            timing.result = call()
            end.record()
            end.synchronize()
            milliseconds = (time.perf_counter() - started) * 1e3
            timing.on_device.append(float(cupy.cuda.get_elapsed_time(begin, end)))
        return milliseconds
    started = time.perf_counter()
    timing.result = call()
    device.synchronize()
    return (time.perf_counter() - started) * 1e3
