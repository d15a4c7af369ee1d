"""The primitives at several sizes, compared with calls of the array library and with a copy.

The bytes of a row are the least that must move: each input is read once, each output is written once. GB/s are computed
from these bytes, so a primitive that reads an input twice has a lower rate.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr import primitives
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, about, ignore, take_turns
from minigr.device import CPU, Device
from minigr.errors import MeasurementError

COPY = "copy"
MEAN_SEGMENT = 16
"""The mean number of items of a segment. Lengths are drawn uniformly from 1 to 2 * MEAN_SEGMENT - 1."""
_CHECKED_UP_TO = 1 << 20  # results of larger sizes are not compared with the array library's


@dataclass(frozen=True)
class Case:
    """A primitive at one size.

    Attributes
    ----------
    minigr : callable
    peer : callable
        The call of the array library with the same result.
    peer_name : str
        The name of this call.
    bytes : int
        Bytes that must be read and written.
    """

    minigr: Callable[[], Any]
    peer: Callable[[], Any]
    peer_name: str
    bytes: int


def _scale(i, x, factor):
    return x[i] * factor


def _is_large(i, x):
    return x[i] >= np.float32(0.5)


def _transform(items: int, device: Device) -> Case:
    x, out = _uniform(items, device), device.empty(items, np.float32)
    factor = np.float32(3)
    return Case(
        lambda: primitives.transform(_scale, x=x, factor=factor, out=out),
        lambda: device.xp.multiply(x, factor, out=out),
        "multiply",
        8 * items,
    )


def _scan(items: int, device: Device) -> Case:
    values, out = _bits(items, device), device.empty(items, np.int32)
    return Case(
        lambda: primitives.scan(values, inclusive=True, out=out),
        lambda: device.xp.cumsum(values, dtype=np.int32, out=out),
        "cumsum",
        8 * items,
    )


def _lbs(items: int, device: Device) -> Case:
    lengths = _lengths(items)
    segments = lengths.size
    offsets = _offsets(lengths, device)
    out = device.empty(items, np.int64)
    xp = device.xp
    if device.is_cuda:  # repeat of CuPy takes no array of counts
        ends, numbers = offsets[1:], xp.arange(items)
        peer, name = (lambda: xp.searchsorted(ends, numbers, side="right")), "searchsorted"
    else:
        numbers = np.arange(segments)
        peer, name = (lambda: np.repeat(numbers, lengths)), "repeat"
    return Case(lambda: primitives.lbs(offsets, out=out, validate=False), peer, name, 8 * items + 8 * segments)


def _segreduce(items: int, device: Device) -> Case:
    lengths = _lengths(items)
    offsets, values = _offsets(lengths, device), _bits(items, device)
    out = device.empty(lengths.size, np.int32)
    starts = offsets[:-1]
    return Case(
        lambda: primitives.segreduce(values, offsets, out=out, validate=False),
        lambda: device.xp.add.reduceat(values, starts, dtype=np.int32),
        "add.reduceat",
        4 * items + 12 * lengths.size,
    )


def _compact(items: int, device: Device) -> Case:
    x, out = _uniform(items, device), device.empty(items, np.float32)
    threshold = np.float32(0.5)
    kept = int((x >= threshold).sum())
    return Case(
        lambda: primitives.compact(_is_large, values=x, x=x, out=out),
        lambda: x[x >= threshold],
        "x[x >= 0.5]",
        4 * items + 4 * kept,
    )


CASES: dict[str, Callable[[int, Device], Case]] = {
    "transform": _transform,
    "scan": _scan,
    "lbs": _lbs,
    "segreduce": _segreduce,
    "compact": _compact,
}
"""For each primitive, a function that makes its case from a number of items and a device."""


def default_exponents(device: Device) -> range:
    """The default sizes as powers of two: a GPU or a CPU needs a few minutes for them."""
    return range(10, 29, 2) if device.is_cuda else range(10, 23, 2)


def measure_primitives(
    names: Sequence[str], exponents: Sequence[int], device: Device, repeat: int, tell: Tell = ignore
) -> Iterator[Row]:
    """Time primitives, calls of the array library and a copy, which take turns at each size.

    Parameters
    ----------
    names : sequence of str
        Names of `CASES`.
    exponents : sequence of int
        Sizes: 2**e items each.
    device : Device
    repeat : int
        Samples of each call.

    Yields
    ------
    Row
        As soon as a primitive is measured at a size. With ``bytes``, ``gb_per_s``, ``items_per_s``, and ``device_ms``
        (the median by events, None on the CPU). Rates are computed from the device's clock if there is one. They then
        leave out the cost of the call itself, which ``samples`` include. ``by`` is minigr, the array library, or
        `COPY`.

    Raises
    ------
    MeasurementError
        If a size does not fit the memory, or minigr and the array library disagree on a result.
    """
    for exponent in exponents:
        for name in names:
            try:
                rows = _measure_one(name, exponent, device, repeat, tell)
            except MemoryError as error:
                raise MeasurementError(f"{name}: 2^{exponent} items don't fit the memory of {device}") from error
            yield from rows


def _measure_one(name: str, exponent: int, device: Device, repeat: int, tell: Tell) -> list[Row]:
    items, library = 1 << exponent, device.xp.__name__
    case = CASES[name](items, device)
    if items <= _CHECKED_UP_TO:
        _check(name, case)
    source, target = device.full(items, 1, np.float32), device.empty(items, np.float32)
    calls = {MINIGR: case.minigr, library: case.peer, COPY: lambda: device.xp.copyto(target, source)}
    timings = take_turns(calls, device, repeat, events=True, tell=about(f"{name} 2^{exponent}", tell))
    rows = []
    for by, timing in timings.items():
        on_device = statistics.median(timing.on_device) if timing.on_device else None
        seconds = (timing.median if on_device is None else on_device) / 1e3
        moved = 8 * items if by == COPY else case.bytes
        rows.append(
            row(
                {"primitive": name, "items": items, "by": by},
                timing.samples,
                call=case.peer_name if by == library else None,
                bytes=moved,
                device_ms=on_device,
                gb_per_s=moved / seconds / 1e9,
                items_per_s=items / seconds,
            )
        )
    return rows


def _check(name: str, case: Case) -> None:
    found = CPU.asarray(case.minigr()).copy()  # a copy, because both calls may write to the same output
    expected = CPU.asarray(case.peer())
    if found.shape != expected.shape or not (found == expected).all():
        raise MeasurementError(f"{name} and {case.peer_name} disagree: this is a defect, of one or the other")


def _uniform(items: int, device: Device) -> Any:
    """float32 values from 0 to 1, scrambled, the same in every run."""
    return device.asarray(_scrambled(items).astype(np.float32) / np.float32(1 << 20))


def _bits(items: int, device: Device) -> Any:
    """int32 values 0 or 1, so that no sum overflows."""
    return device.asarray((_scrambled(items) & 1).astype(np.int32))


def _lengths(items: int) -> np.ndarray:
    """Lengths of segments, at least 1 each, with the sum `items`."""
    count = items // MEAN_SEGMENT
    lengths = 1 + _scrambled(count).astype(np.int64) % (2 * MEAN_SEGMENT - 1)
    # The limit leaves one item for each segment that follows.
    ends = np.minimum(np.cumsum(lengths), items - count + np.arange(1, count + 1))
    ends[-1] = items
    return np.diff(ends, prepend=0)


def _offsets(lengths: np.ndarray, device: Device) -> Any:
    return device.asarray(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]))


def _scrambled(items: int) -> np.ndarray:
    """uint32 below 2**20: Knuth's multiplicative hash of the position."""
    return (np.arange(items, dtype=np.uint32) * np.uint32(2654435761)) >> np.uint32(12)
