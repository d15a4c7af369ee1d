"""Launches of the slab kernels on a GPU, and the words in which kernels report."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from struct import Struct
from typing import Any

import cupy
import cupyx
import numpy as np
from cupy.cuda import get_current_stream

from minigr.device import LOOKS
from minigr.graphs.dynamic.cuda_code import THREADS, code_for
from minigr.graphs.dynamic.layout import LANES, NOT_BAD, REPORT_WORDS, WORD_BAD
from minigr.graphs.dynamic.storage import Report, Slabs
from minigr.graphs.dynamic.structs import UPDATE
from minigr.jit.link_cuda import CudaCode
from minigr.jit.private import driver

WARP = 32
GROUP = 8  # lanes that share a slab
WARPS = THREADS // WARP
_BLOCKS_PER_PROCESSOR = 32
_RESIDENT_BLOCKS = 4  # of a search kernel, on each multiprocessor
_ROUNDS = 2  # how many rounds of these blocks a launch over a large batch has
_UPDATE = Struct(f"{len(UPDATE) - 2}q")  # without the last two fields, which a launcher sets only once
NULL = np.uintp(0)


class Launcher:
    """Launches kernels over slabs. Holds the words of reports, a page-locked copy of the words, and arguments.

    The last block of a launch copies the words to the page-locked copy and resets them, so that nothing has to be
    copied or cleared between two launches. Behind the words it writes the number of the launch. When the host sees this
    number, all results of the kernel are there. This is earlier than the system reports the end of the kernel.

    Attributes
    ----------
    idle : list of Launcher
        Launchers for searches. Threads may search at the same time, and each search takes one of them while it runs.
    """

    def __init__(self) -> None:
        self.idle: list[Launcher] = []
        self.host = cupyx.empty_pinned(REPORT_WORDS + 1, np.int64)
        self.host[:] = 0
        self._told, self._number = memoryview(self.host), 0
        initial = np.zeros(REPORT_WORDS, np.int64)
        initial[WORD_BAD] = NOT_BAD
        self.words = cupy.asarray(initial)
        self.report = (self.words, np.uintp(self.host.ctypes.data))
        arguments = np.zeros(len(UPDATE), np.int64)
        arguments[_UPDATE.size // 8 :] = self.words.data.ptr, self.host.ctypes.data
        self._arguments, self._pointers = arguments.data, np.array([arguments.ctypes.data], np.uintp)
        self._at = self._pointers.ctypes.data
        self.device = self.words.data.device_id
        self._most_blocks = processors(self.device) * _RESIDENT_BLOCKS * _ROUNDS
        self.most_warps = self._most_blocks * WARPS  # of a launch; each warp may return a slab

    def launch(
        self, kernel: str, threads: int, slabs: Slabs, src: Any, dst: Any, options: int, limit: int = 0,
        states: int = 0, slots: int = 0, last: int = 0, first: int = 0, cells: int = 0, weights: int = 0,
        held: int = 0, found: int = 0, bits: int = 0, only: int = 0,
    ) -> None:  # fmt: skip
        """Launch a kernel over a batch.

        One call packs all fields of `UPDATE`, because the Python code takes longer than the launch.
        """
        self._number += 1
        marks, pool, pool_weights = slabs.marks, slabs.pool, slabs.weights
        _UPDATE.pack_into(
            self._arguments, 0,
            src.data.ptr, dst.data.ptr, src.size, options, limit, states, slots, last, first, cells, weights, held,
            found, bits, only,
            slabs.num_vertices, slabs.bump, slabs.heads.data.ptr, slabs.degrees.data.ptr, pool.data.ptr,
            0 if pool_weights is None else pool_weights.data.ptr, 0 if marks is None else marks.data.ptr,
            slabs.free.data.ptr, slabs.free_count, pool.size // LANES, self._number,
        )  # fmt: skip
        blocks = min(-(-threads // THREADS), self._most_blocks)
        function = load(self.device, kernel)
        driver.launchKernel(function, blocks, 1, 1, THREADS, 1, 1, 0, get_current_stream().ptr, self._at, 0)

    def read(self) -> list[int]:
        """Wait for the kernels. Returns the words that the last kernel published."""
        get_current_stream().synchronize()
        return self._told.tolist()

    def read_launched(self) -> list[int]:
        """Wait for the last kernel that `launch` launched. Returns the words that it published."""
        told, number = self._told, self._number
        for _ in range(LOOKS):
            if told[REPORT_WORDS] == number:
                return told.tolist()
        return self.read()


def report_of(words: list[int]) -> Report:
    """The report in the words that a kernel published."""
    return Report(*words[: WORD_BAD + 1])


def launch(kernel: str, blocks: int | tuple[int, int], *arguments: Any, threads: int = THREADS) -> None:
    """Launch a kernel, unless it has nothing to do."""
    grid = blocks if isinstance(blocks, tuple) else (blocks,)
    if grid[0]:
        _kernel(current(), kernel)(grid, (threads,), arguments)


def graph_arguments(slabs: Slabs) -> tuple:
    """The slabs as arguments of kernels."""
    marks = NULL if slabs.marks is None else slabs.marks
    return (np.int64(slabs.num_vertices), np.int64(slabs.bump), slabs.heads, slabs.degrees, slabs.pool, marks)


def blocks_for(threads: int) -> int:
    """The number of blocks for `threads` threads, or as many as keep the GPU busy; 0 if there is nothing to do."""
    return min(-(-threads // THREADS), _most_blocks(current()))


def resident_blocks(threads: int) -> int:
    """The same for search kernels whose warps may hold a slab: no more blocks than can be resident at a time."""
    return min(-(-threads // THREADS), processors(current()) * _RESIDENT_BLOCKS)


def current() -> int:
    """The current device."""
    return int(cupy.cuda.runtime.getDevice())


@cache
def processors(device: int) -> int:
    """The number of multiprocessors of a device."""
    return int(cupy.cuda.Device(device).attributes["MultiProcessorCount"])


@cache
def _most_blocks(device: int) -> int:
    return processors(device) * _BLOCKS_PER_PROCESSOR


@cache
def load(device: int, name: str) -> int:
    """Load a kernel onto a device. Returns its address."""
    return int(_kernel(device, name).kernel.ptr)


def link(device: int, names: Iterable[str]) -> None:
    """Link kernels in parallel, before they are loaded."""
    _code(device).cubins([(name,) for name in names])


@cache
def _kernel(device: int, name: str) -> Any:
    return _code(device).load(name)


def _code(device: int) -> CudaCode:
    return code_for(int(cupy.cuda.Device(device).compute_capability))
