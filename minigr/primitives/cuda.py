"""Runs a primitive on a GPU: its program compiled once, then launched on the current stream."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from minigr.device import Device
from minigr.jit.compile_cuda import Argument, compile_program
from minigr.jit.functor import Bound
from minigr.primitives.arguments import is_array
from minigr.primitives.program import Program

THREADS, ITEMS = 256, 8  # of a block; of a thread in a tile
TILE = THREADS * ITEMS
_STATUS = 16  # words of a look-back workspace before the tiles' own, as in look_back.cuh
_programs: dict[Hashable, tuple[Any, int]] = {}


def compile_collective(program: Program, architecture: int) -> Any:
    """The path of the cubin of `program` for one architecture. Needs no GPU."""
    users = program.users()
    signatures = {name: _arguments(bound, program) for name, bound in users.items()}
    return compile_program(program.cuda_text(THREADS, ITEMS), users, signatures, {}, architecture)


def _arguments(bound: Bound, program: Program) -> list[Argument]:
    found: list[Argument] = []
    for kind, name in bound.arguments:
        if kind == "field":
            found.append((program.fields[name].dtype.name, is_array(program.fields[name])))
        else:
            found.append((program.types["T"].name if bound.method.positional else "int64", False))
    return found


class Kernel:
    """The kernel of a program on a GPU; compiled and loaded when there is none yet.

    Attributes
    ----------
    most_blocks : int
        That run at once.
    """

    def __init__(self, program: Program, device: Device) -> None:
        import cupy

        self._device = cupy.cuda.Device(device.index)
        key = (program.key(), device.index)
        with self._device:
            if key not in _programs:
                path = compile_collective(program, int(self._device.compute_capability))
                function = cupy.RawModule(path=str(path)).get_function("run")
                per_processor = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
                    function.kernel.ptr, THREADS, 0
                )
                _programs[key] = function, per_processor * self._device.attributes["MultiProcessorCount"]
        self._function, self.most_blocks = _programs[key]

    def run(self, blocks: int, *arguments: Any) -> None:
        """Launch it; returns at once."""
        with self._device:
            self._function((blocks,), (THREADS,), arguments)

    def run_each(self, fields: tuple[Any, ...], length: int, *arguments: Any) -> None:
        """Launch it with a thread for each item."""
        blocks = max(1, min(self.most_blocks, -(-length // THREADS)))
        self.run(blocks, *fields, np.int64(length), *arguments)


class Launch:
    """One launch of a kernel: the grid it gets, and the workspace it needs.

    Parameters
    ----------
    program : Program
    device : Device
    pieces : int
        Blocks that have something to do; the grid has no more than these, and no more than run at once.
    """

    def __init__(self, program: Program, device: Device, pieces: int) -> None:
        import cupy

        self._device = cupy.cuda.Device(device.index)
        self._kernel = Kernel(program, device)
        self.blocks = max(1, min(self._kernel.most_blocks, pieces))
        self._fields = tuple(program.fields.values())

    def words(self, *values: int) -> Any:
        """Words in device memory, such as a length."""
        import cupy

        with self._device:
            return cupy.asarray(np.array(values, np.int64))

    def look_back(self, tiles: int, dtype: Any) -> tuple[Any, Any, Any]:
        """The workspace of a look-back: words, aggregates and prefixes."""
        import cupy

        with self._device:
            return cupy.zeros(_STATUS + tiles, np.uint64), cupy.empty(tiles, dtype), cupy.empty(tiles, dtype)

    def run(self, *arguments: Any) -> None:
        """Launch it; returns at once."""
        self._kernel.run(self.blocks, *self._fields, *arguments)


def tiles(length: int) -> int:
    """Tiles that cover `length` items."""
    return -(-length // TILE)
