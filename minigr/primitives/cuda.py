"""Runs a primitive on a GPU: compiles its program once, and then launches it on the current stream."""

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

THREADS, ITEMS = 256, 8  # threads in a block; items of a thread in a tile
TILE = THREADS * ITEMS
_STATUS = 16  # words of a look-back workspace before the words of tiles; look_back.cuh uses the first two of them
_NUMBER, _ARRIVED = 8, 12  # positions of two other words
_DEFAULT_STREAM = 0  # handle of the default stream, unless each thread has its own
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
    """The kernel of a program on a GPU. It is compiled and loaded if there is none yet.

    Attributes
    ----------
    device : cupy.cuda.Device
    most_blocks : int
        Number of blocks that can run at once.
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
        self._debugged = program if program.debug else None  # only this program must live as long as the kernel

    def run(self, blocks: int, fields: tuple[Any, ...], *arguments: Any) -> None:
        """Launch the kernel. Returns at once, unless the indexes of fields are checked."""
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
        """Launch the kernel with a thread for each item."""
        blocks = max(1, min(self.most_blocks, -(-length // THREADS)))
        self.run(blocks, fields, np.int64(length), *arguments)


class Workspace:
    """Device memory for data that the blocks of a launch exchange with each other and the host. Launches reuse it.

    Attributes
    ----------
    tiles, blocks : int
        Numbers of tiles and blocks that there is room for.
    look_back : (words, aggregates, prefixes)
        Arrays of a look-back with values of up to 8 bytes.
    number : uint64[1]
        A number that the host reads.
    arrived : uint64[1]
        A counter of blocks; zero before and after a launch.
    carries : (heads, tails, segments, any)
        Arrays of a segmented reduction, for each block.
    """

    def __init__(self, tiles: int, blocks: int) -> None:
        import cupy

        self.tiles, self.blocks = tiles, blocks
        words, values = cupy.zeros(_STATUS + tiles, np.uint64), cupy.empty((2, tiles), np.uint64)
        self.look_back = words, values[0], values[1]
        self.number, self.arrived = words[_NUMBER : _NUMBER + 1], words[_ARRIVED : _ARRIVED + 1]
        self.carries = tuple(cupy.empty((4, blocks), np.uint64))


class _Kept(threading.local):
    """Workspaces by device. Each thread has its own, because the host reads numbers from them."""

    def __init__(self) -> None:
        self.workspaces: dict[int, Workspace] = {}


_kept = _Kept()


def _workspace(device: int, tiles: int, blocks: int) -> Workspace:
    """The current device's workspace on its current stream.

    The workspace of the default stream is kept, because launches on this stream run one after the other. Workspaces of
    other streams are not kept: a new stream may have the handle of an earlier stream whose launches are not done.
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
    """One launch of a kernel: its grid and its workspace.

    Parameters
    ----------
    program : Program
    device : Device
    pieces : int
        Number of blocks that have work. The grid has at most this number of blocks, and at most as many as run at once.
    """

    def __init__(self, program: Program, device: Device, pieces: int) -> None:
        self._kernel = Kernel(program, device)
        self._device = self._kernel.device
        self.blocks = max(1, min(self._kernel.most_blocks, pieces))
        self._fields = tuple(program.fields.values())

    def workspace(self, tiles: int) -> Workspace:
        """The workspace of its blocks on the current stream, with room for `tiles` tiles."""
        with self._device:
            return _workspace(self._device.id, tiles, self._kernel.most_blocks)

    def run(self, *arguments: Any) -> None:
        """Launch the kernel. Returns at once."""
        self._kernel.run(self.blocks, self._fields, *arguments)


def tiles(length: int) -> int:
    """The number of tiles that cover `length` items."""
    return -(-length // TILE)
