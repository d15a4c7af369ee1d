"""Runs a primitive on a GPU: its program compiled once, then launched on the current stream."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.jit.arguments import Argument
from minigr.jit.functor import Bound
from minigr.jit.link_cuda import CudaCode
from minigr.primitives.arguments import is_array
from minigr.primitives.program import Program

THREADS, ITEMS = 256, 8  # of a block; of a thread in a tile
TILE = THREADS * ITEMS
_STATUS = 16  # words of a look-back workspace before the tiles' own, as in look_back.cuh; it uses the first two,
_NUMBER, _ARRIVED = 8, 12  # and these are for others
_DEFAULT_STREAM = 0  # its handle, where each thread has not one of its own
_programs: dict[Hashable, tuple[Any, int]] = {}


def code_of(program: Program, architecture: int) -> CudaCode:
    """The code of `program` for one architecture, with the kernel ``run``."""
    users = program.users()
    signatures = {name: _arguments(bound, program) for name, bound in users.items()}
    return CudaCode(program.cuda_text(THREADS, ITEMS), users, signatures, {}, architecture)


def _arguments(bound: Bound, program: Program) -> list[Argument]:
    found: list[Argument] = []
    for kind, name in bound.arguments:
        if kind == "field":
            value = program.fields[name]
            checked = program.debug and is_array(value)
            found.append(Argument(value.dtype.name, is_array(value), is_checked=checked))
        else:
            found.append(Argument(program.types["T"].name if bound.method.positional else "int64"))
    return found


class Kernel:
    """The kernel of a program on a GPU; compiled and loaded when there is none yet.

    Attributes
    ----------
    device : cupy.cuda.Device
    most_blocks : int
        That run at once.
    """

    def __init__(self, program: Program, device: Device) -> None:
        import cupy

        from minigr.jit.private import driver

        self.device = cupy.cuda.Device(device.index)
        key = (program.key(), device.index)
        with device.as_current():
            if key not in _programs:
                function = code_of(program, int(self.device.compute_capability)).load("run")
                per_processor = driver.occupancyMaxActiveBlocksPerMultiprocessor(function.kernel.ptr, THREADS, 0)
                _programs[key] = function, per_processor * self.device.attributes["MultiProcessorCount"]
        self._function, self.most_blocks = _programs[key]
        self._debugged = program if program.debug else None  # others may be let go before the kernel is

    def run(self, blocks: int, fields: tuple[Any, ...], *arguments: Any) -> None:
        """Launch it; returns at once, unless it checks the indexes of fields."""
        with self.device:
            if self._debugged is None:
                self._function((blocks,), (THREADS,), (*fields, *arguments))
            else:
                self._run_checked(blocks, self._debugged, *arguments)

    def _run_checked(self, blocks: int, program: Program, *arguments: Any) -> None:
        import cupy

        words = program.checked.empty()
        checks = cupy.empty(words.size, np.int64)
        program.checked.fill(words, checks.data.ptr, program.fields)
        checks.set(words)
        self._function((blocks,), (THREADS,), (*program.fields.values(), checks, *arguments))
        program.checked.raise_first(checks.get(), program.fields)

    def run_each(self, fields: tuple[Any, ...], length: int, *arguments: Any) -> None:
        """Launch it with a thread for each item."""
        blocks = max(1, min(self.most_blocks, -(-length // THREADS)))
        self.run(blocks, fields, np.int64(length), *arguments)


class Workspace:
    """What blocks of one launch leave each other, and the host, in device memory; for the next one, too.

    Attributes
    ----------
    tiles, blocks : int
        That there is room for.
    look_back : (words, aggregates, prefixes)
        Of a look-back with values of up to 8 bytes.
    number : uint64[1]
        For a number that the host reads.
    arrived : uint64[1]
        Blocks to count; zero before and after.
    carries : (heads, tails, segments, any)
        Of a segmented reduction, for each block.
    """

    def __init__(self, tiles: int, blocks: int) -> None:
        import cupy

        self.tiles, self.blocks = tiles, blocks
        words, values = cupy.zeros(_STATUS + tiles, np.uint64), cupy.empty((2, tiles), np.uint64)
        self.look_back = words, values[0], values[1]
        self.number, self.arrived = words[_NUMBER : _NUMBER + 1], words[_ARRIVED : _ARRIVED + 1]
        self.carries = tuple(cupy.empty((4, blocks), np.uint64))


class _Kept(threading.local):
    """Workspaces by device; of each thread its own, because the host reads numbers from them."""

    def __init__(self) -> None:
        self.workspaces: dict[int, Workspace] = {}


_kept = _Kept()


def _workspace(device: int, tiles: int, blocks: int) -> Workspace:
    """The current device's workspace on its current stream.

    That of the default stream is kept: launches on it come after one another. Of another one it can't be told whether
    it is the one that had the same handle before, whose launches may not be done.
    """
    import cupy

    if cupy.cuda.get_current_stream().ptr != _DEFAULT_STREAM:
        return Workspace(tiles, blocks)
    found = _kept.workspaces.get(device)
    if found is None or found.tiles < tiles or found.blocks < blocks:
        least = (0, 0) if found is None else (found.tiles, found.blocks)
        found = _kept.workspaces[device] = Workspace(max(tiles, least[0]), max(blocks, least[1]))
    return found


class Launch:
    """One launch of a kernel: the grid it gets, and the workspace it works in.

    Parameters
    ----------
    program : Program
    device : Device
    pieces : int
        Blocks that have something to do; the grid has no more than these, and no more than run at once.
    """

    def __init__(self, program: Program, device: Device, pieces: int) -> None:
        self._kernel = Kernel(program, device)
        self._device = self._kernel.device
        self.blocks = max(1, min(self._kernel.most_blocks, pieces))
        self._fields = tuple(program.fields.values())

    def workspace(self, tiles: int) -> Workspace:
        """What its blocks leave each other on the current stream, with room for so many tiles."""
        with self._device:
            return _workspace(self._device.id, tiles, self._kernel.most_blocks)

    def run(self, *arguments: Any) -> None:
        """Launch it; returns at once."""
        self._kernel.run(self.blocks, self._fields, *arguments)


def tiles(length: int) -> int:
    """Tiles that cover `length` items."""
    return -(-length // TILE)
