"""Timing of calls that take turns. Every sample is kept."""

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
    """A `tell` that shows no progress."""


def about(what: str, tell: Tell) -> Tell:
    """A `tell` whose lines begin with `what`."""
    return lambda message: tell(f"{what}: {message}")


@dataclass
class Timing:
    """The measurements of one call.

    Attributes
    ----------
    first : float
        Milliseconds of the first call, which compiles or loads what it needs.
    samples : list of float
        Milliseconds of the later calls, by the host's clock around the call and a synchronize of the device.
    on_device : list of float
        Milliseconds of the same calls by CUDA events, if `events` was true.
    result : Any
        The result of the last call, unless it was passed to `after`.
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
    """Time `calls` in turn, so that a drift of the machine affects all of them and their ratios stay valid.

    The first round is not among the samples. Each call is sampled `repeat` times. A call that has used up `limit`
    seconds is left out of later rounds, but has at least one sample.

    Parameters
    ----------
    calls : mapping of str to callable
    device : Device
        The device of the calls; it is synchronized before and after each call.
    repeat : int
        At least 1.
    before : mapping of str to callable, optional
        By the name of a call, a function that prepares each of its runs; not timed.
    after : mapping of str to callable, optional
        By the name of a call, a function that gets each of its results; not timed. The result is then not kept.
    limit : float
        Seconds for each call in all rounds together.
    rest : float
        Seconds of sleep before each call, so that the spinning threads of a library go to sleep first.
    events : bool
        On a GPU, also time by events on the current stream.
    tell : callable
        Gets a line about the call that runs now.

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
    timing.result = None  # free the memory of the last result for this call
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
