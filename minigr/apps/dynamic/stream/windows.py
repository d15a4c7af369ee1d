"""Times of a stream: the edges that enter the window in a step, and the edges that leave it."""

from __future__ import annotations

import math
import sys
from bisect import bisect_right
from typing import Any

import numpy as np

from minigr.apps.common.checks import require
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from minigr.graphs import checks

MAX_STEPS = 10**8
"""The most steps of a stream. The `Step` objects of more steps would not fit in memory."""


def as_times(time: Any, count: int) -> Any:
    """`time` as an array on the host, in order."""
    seen = checks.as_vector(CPU, time, "time")
    if len(seen) != count:
        raise GraphError(f"time has length {len(seen)}, but src has length {count}: give one time to each edge")
    if seen.dtype.kind == "f":
        odd = ~np.isfinite(seen)
        if odd.any():
            position = int(odd.argmax())
            raise GraphError(f"time[{position}] is {seen[position]}: every edge needs a time that is a finite number")
        seen = seen.astype(np.float64)
    elif seen.dtype.kind == "b":
        seen = seen.astype(np.int8)
    back = seen[1:] < seen[:-1]
    if back.any():
        position = int(back.argmax()) + 1
        raise GraphError(
            f"time[{position}] is {seen[position]}, after {seen[position - 1]}: sort the edges by time, e.g. by "
            "np.argsort(time, kind='stable')"
        )
    return seen


def ends_of(seen: Any, batch: Any) -> list[Any]:
    """The times at which steps end, as Python numbers, because these do not overflow."""
    if not checks.is_single(batch):
        given = checks.as_vector(CPU, batch, "batch")
        require(bool(np.isfinite(given).all()), "stream: the times of batch= must be finite numbers")
        require(bool((given[1:] >= given[:-1]).all()), "stream: the times of batch= must not fall")
        return given.tolist()
    share = _number(batch, "batch", seen)
    require(share < math.inf, f"stream: batch={batch!r} must be finite: give the times at which steps end")
    if not len(seen):
        return []
    first, last = seen[0].item(), seen[-1].item()
    require(last - first < 1e307, f"stream: the times from {first} to {last} are too far apart for float64")
    count = (last - first) // share + 1
    require(
        count <= MAX_STEPS,
        f"stream: the times from {first} to {last} make more than {MAX_STEPS:,} steps of batch={batch!r}: give a "
        "greater number, or the times at which steps end",
    )
    require(
        first + share > first and last + share > last,
        f"stream: batch={batch!r} is lost in rounding beside times such as {last}: give a greater number",
    )
    ends = [first + share * number for number in range(1, int(count) + 3)]
    return ends[: 1 + bisect_right(ends, last)]  # up to the first end after the last edge, even if sums were rounded


def as_width(window: Any, seen: Any, ends: list[Any]) -> Any:
    """`window` as a Python number."""
    width = _number(window, "window", seen)
    for end in (ends[0], ends[-1]) if ends else ():
        require(
            end - width < end,
            f"stream: window={window!r} is lost in rounding beside times such as {end}: give a greater number",
        )
    return width


def _number(value: Any, name: str, seen: Any) -> Any:
    """`value`, which must be above 0, as a Python number; an int if times are integers and `value` has no fraction."""
    number = value.item() if getattr(value, "size", 0) == 1 else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ProblemError(f"stream: {name}={value!r} must be a number, in the unit of the times")
    require(number > 0, f"stream: {name}={value!r} must be above 0")
    if seen.dtype.kind in "iu":
        return int(number) if number < math.inf and number == int(number) else number
    require(number <= sys.float_info.max or number == math.inf, f"stream: {name}={value!r} is too large for float64")
    return float(number)


def seen_before(seen: Any, end: Any) -> int:
    """The number of edges seen before `end`, without rounding: NumPy would compare integers and floats as float64."""
    if seen.dtype.kind in "iu":
        bounds = np.iinfo(seen.dtype)
        if not bounds.min < end <= bounds.max:
            return len(seen) if end > bounds.max else 0
        end = seen.dtype.type(math.ceil(end))
    return int(np.searchsorted(seen, end))


def seen_next(graph: Any, src: Any, dst: Any) -> Any:
    """For each edge of the stream, the position at which it is seen next; the length of the stream if it is not."""
    one, other = (src, dst) if graph.directed else (np.minimum(src, dst), np.maximum(src, dst))
    key = one.astype(np.int64) * graph.num_vertices + other
    order = np.argsort(key, kind="stable")
    following = np.full(len(key), len(key))
    again = key[order[1:]] == key[order[:-1]]
    following[order[:-1][again]] = order[1:][again]
    return following
