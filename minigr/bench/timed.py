"""Calls that are timed in turn, with a row for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from minigr.bench.document import Row, row
from minigr.bench.measure import Tell, Timing, ignore, take_turns
from minigr.device import Device


@dataclass(frozen=True)
class Call:
    """A call to time: the key of its row, and functions that run untimed before and after it.

    Attributes
    ----------
    key : dict
    run : callable
    before : callable or None
    after : callable or None
        Gets the result, which is then dropped.
    count : int or None
        The number of items that the call goes over, if its speed is reported.
    counted : str
        The kind of the items: ``"edges"`` or ``"vertices"``.
    divide : int
        The number of iterations of the call, where the samples are times of one iteration; otherwise 1.
    """

    key: dict[str, Any]
    run: Callable[[], Any]
    before: Callable[[], object] | None = None
    after: Callable[[Any], object] | None = None
    count: int | None = None
    counted: str = "edges"
    divide: int = 1


def timed_rows(
    calls: Iterable[Call],
    device: Device,
    repeat: int,
    *,
    limit: float = math.inf,
    facts: Callable[[Call, Timing], Mapping[str, Any]] = lambda call, timing: {},
    tell: Tell = ignore,
) -> list[Row]:
    """Time calls in turn; return a row for each, with ``first_ms`` and the entries that `facts` returns."""
    by_label = {" ".join(map(str, call.key.values())): call for call in calls}
    timings = take_turns(
        {label: call.run for label, call in by_label.items()},
        device,
        repeat,
        before={label: call.before for label, call in by_label.items() if call.before is not None},
        after={label: call.after for label, call in by_label.items() if call.after is not None},
        limit=limit,
        tell=tell,
    )
    return [
        row(call.key, [each / call.divide for each in timing.samples], first_ms=timing.first, **facts(call, timing))
        for call, timing in zip(by_label.values(), timings.values(), strict=True)
    ]


def drop(_result: object) -> None:
    """An `after` that drops the result, so that it uses no memory during the next call."""
