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
    """What a program is launched with: a word each, in page-locked memory of the host's, and where that is."""

    words: Any
    address: int


class _Module:
    """A part of a program on a device, with its copy of the arguments."""

    def __init__(self, loaded: Any) -> None:
        self._loaded, self._constant = loaded, loaded.get_global(ARGUMENTS)
        self._held = b""

    def kernel(self, name: str) -> Any:
        """One of its kernels by name."""
        return self._loaded.get_function(name)

    def take(self, packed: Arguments, content: bytes, stream: Any) -> None:
        """Have the arguments on the device. `content` is what they are; it is copied only if it is new."""
        if content != self._held:
            self._held = b""  # if the copy fails, nobody knows
            self._constant.copy_from_host_async(packed.address, len(content), stream)
            self._held = content


def most_blocks(device: Any) -> int:
    """No kernel of a program is launched with more blocks."""
    least = min(THREADS, WIDE_THREADS)  # and of few there is one block on each multiprocessor
    return int(device.attributes["MaxThreadsPerMultiProcessor"] // least * device.attributes["MultiProcessorCount"])


class CudaProgram:
    """The kernels of one plan on one device. Each part of them is linked and loaded when a driver first needs it.

    Parameters
    ----------
    code : CudaCode
    text : CudaText
        What the code was made from.
    device : cupy.cuda.Device

    Attributes
    ----------
    blocks : int
        No kernel is launched with more blocks.
    has_few : bool
        Whether small steps have a kernel of their own.
    lock : threading.Lock
        To be held during a launch, until it is done.
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
        """Load all that a driver launches, so that it is linked at the same time, and no step is taken for longer."""
        with self.lock:
            self._load(self._parts_of(driver))

    @property
    def num_arguments(self) -> int:
        """How many words its arguments take."""
        return len(self._positions)

    def pack(self, packed: Arguments, values: dict[str, Any]) -> None:
        """Put arguments by name where the program takes them: arrays by their addresses, numbers by their bits.

        What the program has no argument for is passed over.
        """
        words, positions = packed.words, self._positions
        for name, value in values.items():
            if name in positions:
                words[positions[name]] = _word(value)

    def has_graph(self, driver: str) -> bool:
        """Whether the graph of a driver is made, and so all kernels are there."""
        return driver in self._graphs

    def launch(self, driver: str, packed: Arguments, stream: Any) -> None:
        """Run steps until the loop stops; with ``host``, give every phase its turn once.

        The arguments must stay as they are until the launch is done.
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
        """The persistent kernels by name, which then have these arguments: each, its blocks, and threads of a block."""
        self._give(self._persistent_parts, packed, stream)
        return self._persistent

    def launch_persistent(self, turns: Sequence[str], packed: Arguments, stream: Any) -> None:
        """Run the steps that these persistent kernels do, in this order."""
        kernels = self._persistent
        parts = [part for name, part in zip(kernels, self._persistent_parts, strict=True) if name in turns]
        self._give(parts, packed, stream)
        for name in turns:
            _launch(*kernels[name], stream)

    # --- parts --------------------------------------------------------------------------------------------------------

    def _parts_of(self, driver: str) -> list[Part]:
        """The parts that a driver launches; ``auto`` all of them, if its graph is needed."""
        persistent = self._persistent_parts if driver in ("auto", "fused") else []
        return persistent if driver == "fused" else [*persistent, self._wide_part]

    def _load(self, parts: list[Part]) -> list[_Module]:
        """The modules of parts; those that are missing are linked at the same time."""
        missing = [part for part in parts if part not in self._modules]
        loaded = self._code.modules(missing, cooperative=True) if missing else ()
        for part, module in zip(missing, loaded, strict=True):
            self._modules[part] = _Module(module)
        return [self._modules[part] for part in parts]

    def _give(self, parts: list[Part], packed: Arguments, stream: Any) -> None:
        """Have the arguments of the coming launch in these parts."""
        content = packed.words.tobytes()
        for module in self._load(parts):
            module.take(packed, content, stream)

    @cached_property
    def _persistent(self) -> dict[str, tuple[Any, int, int]]:
        """The persistent kernels by name, in the order of tiers: the kernel, its blocks, and threads of a block."""
        found = {}
        for name, module in zip(self._names, self._load(self._persistent_parts), strict=True):
            kernel, threads = module.kernel(name), _PERSISTENT_THREADS[name]
            found[name] = kernel, self._resident(kernel, 1 if name == "few" else None, threads), threads
        return found

    @cached_property
    def _wide(self) -> list[tuple[Any, int]]:
        """The kernels for one phase each, in order, with the blocks of each."""
        (module,) = self._load([self._wide_part])
        kernels = [module.kernel(name) for name in self._phases]
        return [(kernel, self._resident(kernel, None, WIDE_THREADS)) for kernel in kernels]

    def _resident(self, kernel: Any, blocks: int | None, threads: int) -> int:
        """Blocks to launch: so many on each multiprocessor, or as many as it holds."""
        if blocks is None:
            blocks = private.driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, threads, 0)
        return blocks * self._processors

    def _graph(self, driver: str) -> tuple[Any, int]:
        """The executable graph of a driver, made once, and the handle of its loop's condition."""
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
    """Launch a kernel without arguments whose blocks run at the same time. CuPy takes half as long again for that."""
    private.driver.launchCooperativeKernel(kernel.kernel.ptr, blocks, 1, 1, threads, 1, 1, 0, stream.ptr, 0)


def launch_together(launches: Sequence[tuple[Any, Any, Any]], blocks: int, threads: int) -> None:
    """Launch kernels that run at the same time: of each the device, the stream, and the kernel."""
    for device, stream, kernel in launches:
        with device.as_current():
            private.driver.launchKernel(kernel.kernel.ptr, blocks, 1, 1, threads, 1, 1, 0, stream.ptr, 0, 0)


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
