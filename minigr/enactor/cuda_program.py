"""A compiled plan loaded on a GPU, and the ways to launch it.

- ``fused``: the persistent kernels, mostly two, of which one does small steps and the other large ones. They run phases
  until the loop stops, or return to be launched again when it is the other's turn.
- ``graph``: a CUDA graph whose WHILE node launches a kernel for each phase.
- ``auto``: the same with the persistent kernels before them in the node's body, so that each step is done by the one
  that is fastest at its size, and nothing goes through the host in between.
- ``host``: the kernels for a phase each, launched one after the other.
"""

from __future__ import annotations

import sys
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from minigr.enactor.control import Tier
from minigr.enactor.cuda_text import FEW_THREADS, THREADS, WIDE_THREADS
from minigr.jit.cuda_imports import cuda_core

_WORD = (1 << 64) - 1
_PERSISTENT_THREADS = {"few": FEW_THREADS, "whole": THREADS}


class Arguments(NamedTuple):
    """What a program is launched with: a word each, in page-locked memory of the host's, and where that is."""

    words: Any
    address: int


class CudaProgram:
    """The kernels of one cubin on one device.

    Parameters
    ----------
    path : Path
        The cubin.
    names : list of str
        Names of the arguments, in order.
    phases : list of str
        Names of the kernels for one phase each.
    persistent : list of str
        Names of the persistent kernels, in the order of `minigr.enactor.control.Tier`; none for plans of one step.
    device : cupy.cuda.Device

    Attributes
    ----------
    blocks : int
        The most blocks that any of its kernels is launched with.
    has_few : bool
        Whether small steps have a kernel of their own.
    lock : threading.Lock
        To be held from `set_arguments` to the end of the launch that uses them.
    """

    def __init__(self, path: Path, names: list[str], phases: list[str], persistent: list[str], device: Any) -> None:
        import cupy

        self._module = cupy.RawModule(path=str(path), enable_cooperative_groups=True)
        self._device = device
        self._positions = {name: position for position, name in enumerate(names)}
        processors = device.attributes["MultiProcessorCount"]
        occupancy = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
        self._wide = [self._module.get_function(name) for name in phases]
        self._wide_blocks = [occupancy(kernel.kernel.ptr, WIDE_THREADS, 0) * processors for kernel in self._wide]
        self.blocks = max(self._wide_blocks)
        self._persistent = {}  # by name: kernel, its blocks, and threads of a block
        for name in persistent:
            kernel = self._module.get_function(name)
            threads = _PERSISTENT_THREADS[name]
            blocks = 1 if name == "few" else occupancy(kernel.kernel.ptr, threads, 0)
            self._persistent[name] = kernel, blocks * processors, threads
            self.blocks = max(self.blocks, blocks * processors)
        self.has_few = "few" in persistent
        self._constant = self._module.get_global("arguments")
        self._graphs: dict[str, tuple[Any, int]] = {}
        self.lock = threading.Lock()

    def pack(self, values: dict[str, Any]) -> Arguments:
        """Arguments by name as the program takes them: arrays by their addresses, numbers by their bits."""
        import cupyx

        values = {"condition": 0, **values}  # that of the loop's graph, which depends on the driver
        words = cupyx.empty_pinned(len(self._positions), np.uint64)
        words[:] = [_word(values[name]) for name in self._positions]
        return Arguments(words, words.ctypes.data)

    def repack(self, packed: Arguments, values: dict[str, Any]) -> None:
        """Put some of the arguments in the place of those that were packed."""
        for name, value in values.items():
            packed.words[self._positions[name]] = _word(value)

    def set_arguments(self, packed: Arguments, driver: str, stream: Any) -> None:
        """Copy the arguments of the coming launch to the device; they must stay as they are until it is done."""
        if driver in ("graph", "auto"):
            packed.words[self._positions["condition"]] = self._graph(driver)[1]
        self._constant.copy_from_host_async(packed.address, packed.words.nbytes, stream)

    def launch(self, driver: str) -> None:
        """Run steps until the loop stops; with ``host``, give every phase its turn once."""
        if driver == "host":
            for kernel, blocks in zip(self._wide, self._wide_blocks, strict=True):
                kernel((blocks,), (WIDE_THREADS,), ())
        elif driver == "fused":
            for kernel, blocks, threads in self._persistent.values():
                kernel((blocks,), (threads,), ())
        else:
            import cupy

            self._graph(driver)[0].launch(_stream(cupy.cuda.get_current_stream().ptr, self._device.id))

    def launch_persistent(self, tier: Tier) -> None:
        """Run the steps that the persistent kernels do, from one of `tier` on, until it is the first one's turn again.

        Of many loops that is all there is, or nearly all.
        """
        turns = ("whole", "few") if tier is Tier.WHOLE else ("few", "whole", "few")
        for name in turns:
            if name in self._persistent:
                kernel, blocks, threads = self._persistent[name]
                kernel((blocks,), (threads,), ())

    def _graph(self, driver: str) -> tuple[Any, int]:
        """The executable graph of a driver, made once, and the handle of its loop's condition."""
        if driver not in self._graphs:
            core = cuda_core()
            core.Device(self._device.id).set_current()
            whole = core.graph.GraphDefinition()
            condition = whole.create_condition(default_value=1)
            node = whole.while_loop(condition).body
            if driver == "auto":
                for kernel, blocks, threads in self._persistent.values():
                    node = node.launch(_config(blocks, threads), core.Kernel.from_handle(kernel.kernel.ptr))
                    _make_cooperative(node)
            for kernel, blocks in zip(self._wide, self._wide_blocks, strict=True):
                node = node.launch(_config(blocks, WIDE_THREADS), core.Kernel.from_handle(kernel.kernel.ptr))
            again = self._module.get_function("again")
            node.launch(core.LaunchConfig(grid=1, block=1), core.Kernel.from_handle(again.kernel.ptr))
            self._graphs[driver] = whole.instantiate(), int(condition.handle)
        return self._graphs[driver]


def _word(value: Any) -> int:
    """An array's address, or the bytes of a number as an argument holds them; a whole one of Python is an int64."""
    if isinstance(value, (int, np.integer)):
        return int(value) & _WORD
    if isinstance(value, np.generic):
        return int.from_bytes(value.tobytes(), sys.byteorder)
    return int(value.data.ptr)


def _config(blocks: int, threads: int) -> Any:
    return cuda_core().LaunchConfig(grid=blocks, block=threads)


@lru_cache(maxsize=64)
def _stream(handle: int, device: int) -> Any:
    """A stream of CuPy's, of one device, as cuda.core takes it."""
    return cuda_core().Stream.from_handle(handle)


def _make_cooperative(node: Any) -> None:
    """Have all blocks of a graph's kernel run at once, which cuda.core can't ask for."""
    from cuda.bindings import driver

    value = driver.CUkernelNodeAttrValue()
    value.cooperative = 1
    attribute = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
    _require(driver.cuGraphKernelNodeSetAttribute(node.handle, attribute, value)[0])


def _require(status: Any) -> None:
    if int(status):
        raise RuntimeError(f"the CUDA driver refused: {status.name}")
