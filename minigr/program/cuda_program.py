"""A compiled plan loaded on a GPU, and the ways to launch it.

- ``fused``: the persistent kernels, in most cases two: one for small steps and one for large steps. A kernel runs
  phases until the loop stops, or returns to be launched again when the other kernel must run.
- ``graph``: a CUDA graph with a WHILE node whose body launches a kernel for each phase.
- ``auto``: the same graph, with the persistent kernels before these kernels in the node's body. So each step runs in
  the kernel that is fastest for its size, and the host does nothing in between.
- ``host``: the kernels for one phase each, launched one after the other.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from minigr.cached import cached_property
from minigr.jit import private
from minigr.jit.cuda_imports import cuda_core
from minigr.jit.link_cuda import CudaCode, Part
from minigr.program.cuda_text import ARGUMENTS, FEW_THREADS, THREADS, WIDE_THREADS, CudaText

_WORD = (1 << 64) - 1
_PERSISTENT_THREADS = {"few": FEW_THREADS, "whole": THREADS}


class Arguments(NamedTuple):
    """The arguments of a program: one word each, in page-locked memory of the host, and the address of this memory."""

    words: Any
    address: int


class _Module:
    """A part of a program on a device, with its copy of the arguments."""

    def __init__(self, loaded: Any) -> None:
        self._loaded, self._constant = loaded, loaded.get_global(ARGUMENTS)
        self._held = b""

    def kernel(self, name: str) -> Any:
        """A kernel of the module, by name."""
        return self._loaded.get_function(name)

    def take(self, packed: Arguments, content: bytes, stream: Any) -> None:
        """Copy the arguments to the device. `content` is their value; it is copied only if it is new."""
        if content != self._held:
            self._held = b""  # if the copy fails, the content is unknown
            self._constant.copy_from_host_async(packed.address, len(content), stream)
            self._held = content


def most_blocks(device: Any) -> int:
    """The maximum number of blocks with which a kernel of a program is launched."""
    least = min(THREADS, WIDE_THREADS)  # the kernel of few threads has one block on each multiprocessor
    return int(device.attributes["MaxThreadsPerMultiProcessor"] // least * device.attributes["MultiProcessorCount"])


class CudaProgram:
    """The kernels of one plan on one device. A part is linked and loaded when a driver first needs it.

    Parameters
    ----------
    code : CudaCode
    text : CudaText
        Text that the code was made from.
    device : cupy.cuda.Device

    Attributes
    ----------
    blocks : int
        Maximum number of blocks of a kernel.
    has_few : bool
        Whether small steps have a kernel of their own.
    lock : threading.Lock
        Lock that is held during a launch, until it is done.
    ends_late : bool
        Whether the driver may not know yet that the last launch, on the default stream, is done.
    """

    def __init__(self, code: CudaCode, text: CudaText, device: Any) -> None:
        self._code, self._device = code, device
        self._names, self._phases = text.persistent, text.kernels
        *self._persistent_parts, self._wide_part = text.parts
        self._positions = {name: position for position, (_, name) in enumerate(text.parameters())}
        self._processors = device.attributes["MultiProcessorCount"]
        self.blocks = most_blocks(device)
        self.has_few = "few" in text.persistent
        self._modules: dict[Part, _Module] = {}
        self._graphs: dict[str, tuple[Any, int]] = {}
        self.lock, self.ends_late = threading.Lock(), False
        code.compile()

    @property
    def loaded(self) -> set[str]:
        """Names of the kernels that are on the device."""
        return {name for part in self._modules for name in part}

    def prepare(self, driver: str) -> None:
        """Load all parts that a driver launches. So they are linked at the same time, and no step waits for that."""
        with self.lock:
            self._load(self._parts_of(driver))

    @property
    def num_arguments(self) -> int:
        """The number of words of the arguments."""
        return len(self._positions)

    def pack(self, packed: Arguments, values: dict[str, Any]) -> None:
        """Store arguments by name: arrays by their addresses, numbers by their bits.

        Names that are no arguments of the program are ignored.
        """
        words, positions = packed.words, self._positions
        for name, value in values.items():
            if name in positions:
                words[positions[name]] = _word(value)

    def has_graph(self, driver: str) -> bool:
        """Whether the graph of a driver is made, so that all its kernels are loaded."""
        return driver in self._graphs

    def launch(self, driver: str, packed: Arguments, stream: Any) -> None:
        """Run steps until the loop stops; with ``host``, launch the kernel of each phase once.

        The arguments must not change until the launch is done.
        """
        if driver == "host":
            self._give(self._parts_of(driver), packed, stream)
            for kernel, blocks in self._wide:
                _launch(kernel, blocks, WIDE_THREADS, stream)
        elif driver == "fused":
            for kernel, blocks, threads in self.persistent_kernels(packed, stream).values():
                _launch(kernel, blocks, threads, stream)
        else:
            graph, condition = self._graph(driver)
            packed.words[self._positions["condition"]] = condition
            self._give(self._parts_of(driver), packed, stream)
            graph.launch(_stream(stream.ptr, self._device.id))

    def persistent_kernels(self, packed: Arguments, stream: Any) -> dict[str, tuple[Any, int, int]]:
        """The persistent kernels by name, with the number of blocks and of threads in a block.

        They get these arguments.
        """
        self._give(self._persistent_parts, packed, stream)
        return self._persistent

    def launch_persistent(self, turns: Sequence[str], packed: Arguments, stream: Any) -> None:
        """Launch these persistent kernels in this order."""
        kernels = self._persistent
        parts = [part for name, part in zip(kernels, self._persistent_parts, strict=True) if name in turns]
        self._give(parts, packed, stream)
        for name in turns:
            _launch(*kernels[name], stream)

    # --- parts --------------------------------------------------------------------------------------------------------

    def _parts_of(self, driver: str) -> list[Part]:
        """The parts that a driver launches. For ``auto``, these are all parts, which its graph needs."""
        persistent = self._persistent_parts if driver in ("auto", "fused") else []
        return persistent if driver == "fused" else [*persistent, self._wide_part]

    def _load(self, parts: list[Part]) -> list[_Module]:
        """The modules of parts. Missing modules are linked at the same time."""
        missing = [part for part in parts if part not in self._modules]
        loaded = self._code.modules(missing, cooperative=True) if missing else ()
        for part, module in zip(missing, loaded, strict=True):
            self._modules[part] = _Module(module)
        return [self._modules[part] for part in parts]

    def _give(self, parts: list[Part], packed: Arguments, stream: Any) -> None:
        """Copy the arguments of the coming launch to these parts."""
        content = packed.words.tobytes()
        for module in self._load(parts):
            module.take(packed, content, stream)

    @cached_property
    def _persistent(self) -> dict[str, tuple[Any, int, int]]:
        """The persistent kernels by name, in the order of tiers: the kernel, its blocks, and the threads of a block."""
        found = {}
        for name, module in zip(self._names, self._load(self._persistent_parts), strict=True):
            kernel, threads = module.kernel(name), _PERSISTENT_THREADS[name]
            found[name] = kernel, self._resident(kernel, 1 if name == "few" else None, threads), threads
        return found

    @cached_property
    def _wide(self) -> list[tuple[Any, int]]:
        """The kernels for one phase each, in order, with the number of blocks of each."""
        (module,) = self._load([self._wide_part])
        kernels = [module.kernel(name) for name in self._phases]
        return [(kernel, self._resident(kernel, None, WIDE_THREADS)) for kernel in kernels]

    def _resident(self, kernel: Any, blocks: int | None, threads: int) -> int:
        """Number of blocks to launch: `blocks` for each multiprocessor, or as many as a multiprocessor holds."""
        if blocks is None:
            blocks = private.driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, threads, 0)
        return blocks * self._processors

    def _graph(self, driver: str) -> tuple[Any, int]:
        """The executable graph of a driver, which is made once, and the handle of its loop's condition."""
        if driver not in self._graphs:
            self._load(self._parts_of(driver))
            core = cuda_core()
            core.Device(self._device.id).set_current()
            whole = core.graph.GraphDefinition()
            condition = whole.create_condition(default_value=1)
            node = whole.while_loop(condition).body
            if driver == "auto":
                for kernel, blocks, threads in self._persistent.values():
                    node = node.launch(_config(blocks, threads), core.Kernel.from_handle(kernel.kernel.ptr))
                    _make_cooperative(node)
            for kernel, blocks in self._wide:
                node = node.launch(_config(blocks, WIDE_THREADS), core.Kernel.from_handle(kernel.kernel.ptr))
            again = self._modules[self._wide_part].kernel("again")
            node.launch(core.LaunchConfig(grid=1, block=1), core.Kernel.from_handle(again.kernel.ptr))
            self._graphs[driver] = whole.instantiate(), int(condition.handle)
        return self._graphs[driver]


def _launch(kernel: Any, blocks: int, threads: int, stream: Any) -> None:
    """Launch a kernel without arguments, whose blocks run at the same time. CuPy's launch takes 1.5 times as long."""
    private.driver.launchCooperativeKernel(kernel.kernel.ptr, blocks, 1, 1, threads, 1, 1, 0, stream.ptr, 0)


def launch_together(launches: Sequence[tuple[Any, Any, Any]], blocks: int, threads: int) -> None:
    """Launch kernels that run at the same time. Each launch is a device, a stream and a kernel."""
    for device, stream, kernel in launches:
        with device.as_current():
            private.driver.launchKernel(kernel.kernel.ptr, blocks, 1, 1, threads, 1, 1, 0, stream.ptr, 0, 0)


def _word(value: Any) -> int:
    """The address of an array, or the bytes of a number as an argument holds them. A Python int becomes an int64."""
    if isinstance(value, (int, np.integer)):
        return int(value) & _WORD
    if isinstance(value, np.generic):
        return int.from_bytes(value.tobytes(), sys.byteorder)
    return int(value.data.ptr)


def _config(blocks: int, threads: int) -> Any:
    return cuda_core().LaunchConfig(grid=blocks, block=threads)


@lru_cache(maxsize=64)
def _stream(handle: int, device: int) -> Any:
    """A stream of CuPy, on one device, as a stream of cuda.core."""
    return cuda_core().Stream.from_handle(handle)


def _make_cooperative(node: Any) -> None:
    """Make all blocks of a graph's kernel run at once. cuda.core has no option for this."""
    from cuda.bindings import driver

    value = driver.CUkernelNodeAttrValue()
    value.cooperative = 1
    attribute = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
    _require(driver.cuGraphKernelNodeSetAttribute(node.handle, attribute, value)[0])


def _require(status: Any) -> None:
    if int(status):
        raise RuntimeError(f"the CUDA driver refused: {status.name}")
