"""Rehearsals: runs of an algorithm over arrays without memory, to find how much memory the algorithm would take.

`rehearse` replaces graphs and their devices by outlines. The algorithm then does the same as in a normal run: it makes
Problems, records steps and builds rows. But the allocations of a device are only counted, and kernels are not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from itertools import islice
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from minigr.device import Device, device_of, host_view, resolve
from minigr.errors import EstimateError
from minigr.outline import Outline

_BLOCK = 512
"""CuPy's pool allocates multiples of this number of bytes."""


@dataclass
class Ledger:
    """The bytes that a rehearsal holds on each device, and the maximum that it held."""

    held: dict[Device, int] = field(default_factory=dict)
    most: dict[Device, int] = field(default_factory=dict)

    def add(self, device: Device, size: int) -> None:
        """Add `size` bytes; a negative size subtracts bytes."""
        held = self.held[device] = self.held.get(device, 0) + size
        self.most[device] = max(self.most.get(device, 0), held)


@dataclass(frozen=True)
class Rehearsed(Device):
    """A device in a rehearsal. Arrays on this device are outlines: they are counted but have no memory."""

    ledger: Ledger = field(default_factory=Ledger, compare=False)

    is_rehearsed = True

    @property
    def real(self) -> Device:
        return Device(self.kind, self.index)

    @property
    def xp(self) -> Any:
        return _Module(self)

    @property
    def held(self) -> int:  # type: ignore[override]  # other devices have no `held`
        return self.ledger.held.get(self.real, 0)

    def as_current(self) -> AbstractContextManager:
        return nullcontext()

    def take(self, size: int) -> int:
        """Count an allocation and return the bytes that it takes."""
        taken = self.taken_by(size)
        self.ledger.add(self.real, taken)
        return taken

    def taken_by(self, size: int) -> int:
        """The bytes that an allocation of `size` bytes takes."""
        return -(-size // _BLOCK) * _BLOCK if self.is_cuda else size

    def give_back(self, size: int) -> None:
        """Count that an allocation was freed."""
        self.ledger.add(self.real, -size)

    def beside(self, device: Device) -> Rehearsed:
        return Rehearsed(device.kind, device.index, self.ledger)

    def rounds(self, items: Iterable[Any]) -> Iterable[Any]:
        return islice(items, 2)

    def asarray(self, array: Any, dtype: Any = None) -> Any:
        if not isinstance(array, Outline):
            where = device_of(array)
            there = where.asarray(array)
            array = Outline(self.beside(where), there.shape, there.dtype, of=there, values=there)
        moved = array.moved_to(self)
        return moved if dtype is None else moved.astype(dtype, copy=False)

    def empty(self, shape: Any, dtype: Any) -> Any:
        return Outline(self, shape, dtype)

    def fill(self, array: Any, value: Any) -> None:
        """Do nothing."""

    def number(self, array: Any, expected: int = 0) -> int | float:
        return expected or super().number(array)

    def numbers(self, array: Any) -> list[Any]:
        return [array.item()] * array.size

    def expect(self, mask: Any, count: int) -> Any:
        mask.true = min(count, mask.size)
        return mask

    def synchronize(self) -> None:
        """Do nothing."""


class _Module:
    """The functions of NumPy or CuPy, with outlines as their results."""

    def __init__(self, device: Rehearsed) -> None:
        self._device = device
        self.asarray = device.asarray

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def empty(self, shape: Any, dtype: Any = np.float64) -> Outline:
        return Outline(self._device, shape, dtype)

    zeros = ones = empty

    def full(self, shape: Any, value: Any, dtype: Any = None) -> Outline:
        return Outline(self._device, shape, np.asarray(value).dtype if dtype is None else dtype)

    def arange(self, *bounds: int, dtype: Any = np.int64) -> Outline:
        return Outline(self._device, len(range(*bounds)), dtype)

    def count_nonzero(self, array: Any) -> Outline:
        return array.sum()


def rehearse(call: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Ledger:
    """Count the memory of `call` by calling it with outlines of the graphs among its arguments.

    A method of a graph is called on the outline of the graph. A function that makes a graph from other data gets an
    outline of the device. If a method of a graph replaces arrays in the graph itself, the memory of the old arrays is
    then free.
    """
    if not callable(call):
        raise TypeError(
            f"an estimate takes a function and its arguments, such as estimate(mg.bfs, graph, 0), got a "
            f"{type(call).__name__}: pass the function without calling it"
        )
    if isinstance(call, partial):
        return rehearse(call.func, call.args + arguments, call.keywords | options)
    ledger = Ledger()
    outlines: WeakValueDictionary[int, Any] = WeakValueDictionary()  # they hold their arrays, so ids differ
    owner = getattr(call, "__self__", None)
    owner = None if isinstance(owner, type) else owner

    def outline_of(array: Any) -> Any:
        found = outlines.get(id(array))
        if found is None:
            where = device_of(array)
            there = Rehearsed(where.kind, where.index, ledger)
            locked = host_view(array) is not None
            found = Outline(there, array.shape, array.dtype, array, array, locked, given_up=owner is not None)
            outlines[id(array)] = found
        return found

    def outlined(value: Any) -> Any:
        if not hasattr(value, "_find_facts"):
            return value
        value._find_facts()
        with_arrays = getattr(value, "_with_all_arrays", value._with_arrays)
        return with_arrays(outline_of)

    given_graph = any(hasattr(given, "_find_facts") for given in (*arguments, *options.values()))
    if hasattr(owner, "_find_facts"):
        call = getattr(outlined(owner), call.__name__)
    elif "device" in signature(call).parameters and not any(hasattr(given, "_find_facts") for given in arguments):
        on_gpu = [given for given in arguments if hasattr(given, "__cuda_array_interface__")]
        asked = options.get("device")
        where = device_of(on_gpu[0]) if asked is None and on_gpu else resolve(asked)
        options = options | {"device": Rehearsed(where.kind, where.index, ledger)}
    elif not given_graph:  # the call would run, and nothing would be counted
        raise EstimateError(
            "an estimate needs a graph, or a device=, among the arguments of the call: pass the graph as an argument, "
            "such as estimate(mg.bfs, graph, 0), also to a function of your own"
        )
    if "progress" in options:
        options = options | {"progress": None}  # a rehearsal has no progress
    result = call(*map(outlined, arguments), **{name: outlined(value) for name, value in options.items()})
    del result  # only now, because the result is a part of the peak
    return ledger
