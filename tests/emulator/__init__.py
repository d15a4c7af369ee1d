"""Runs minigr's CUDA programs on a CPU, so that most tests that need a GPU can run where there is none.

    MINIGR_EMULATE=1 python -m pytest -m gpu tests/operators

The emulator needs x86-64 Linux, gcc, numba-cuda and cuda-core. It links programs to PTX for sm_90 instead of a cubin;
`translation` turns PTX into C, and gcc compiles the C. `runtime` runs threads as fibers of one thread of the system, so
each run is the same. Another fiber runs when lanes or a block wait for each other, and after some backward branches. So
the outcome of a race depends on the order of turns, which these variables choose:

- ``MINIGR_EMULATE_ORDER``: the order of lanes, warps and blocks: ``rise`` (default), ``fall`` or ``random``
- ``MINIGR_EMULATE_SEED``: the seed of ``random``
- ``MINIGR_EMULATE_TURN``: backward branches in one turn (200); the maximum with ``random``
- ``MINIGR_EMULATE_ACCESSES``: 1 to count accesses of memory as branches, too; choose a small TURN
- ``MINIGR_EMULATE_PROCESSORS``, ``MINIGR_EMULATE_THREADS``: multiprocessors (2), and threads that each holds (512)
- ``MINIGR_EMULATE_SECONDS``: the time limit of one launch (120)
- ``MINIGR_EMULATE_LOADS``: 1 to report loads from memory that is not allocated; such stores are always reported

An error names the line of the PTX, which is kept in the folder ``emulated`` of minigr's cache. The folder grows until
somebody deletes it. Memory that was never written holds garbage. So do shared memory at the start of a block, and the
results of shuffles from absent lanes.

The emulator has no weak memory, and runs no kernel at the same time as the host or another stream. It has no CuPy
kernels; NumPy's functions compute instead. A signal that arrives while Python frees an array is lost, whereas CuPy's
C++ keeps it. Tests with millions of items take minutes; one with 2**31 items exceeds the time limit.
"""

from __future__ import annotations

import sys
from typing import Any


def install() -> None:
    """Give this process the emulated device; call this before minigr asks for a device."""
    if "cupy" in sys.modules:
        raise RuntimeError("the emulator replaces CuPy, which this process has already imported")

    from tests.emulator.fakes import modules

    sys.modules.update(modules())

    from cuda.bindings import driver

    from minigr.jit import link_cuda
    from minigr.program import cuda_program
    from tests.emulator.build import kernels_version, library, linked
    from tests.emulator.graphs import Core
    from tests.emulator.launch import run_together

    real = cuda_program.cuda_core
    cuda_program.cuda_core = lambda: Core(real())
    driver.cuGraphKernelNodeSetAttribute = lambda *_: (driver.CUresult.CUDA_SUCCESS,)

    def launch_together(launches: Any, blocks: int, threads: int) -> None:
        run_together([kernel for _, _, kernel in launches], blocks, threads)

    cuda_program.launch_together = launch_together

    code, content_key = link_cuda.CudaCode, link_cuda.CudaCode.content_key

    def link_part(self: Any, core: Any, modules: Any, part: Any) -> bytes:
        return library(linked(self, part))

    code._link_part = link_part  # type: ignore[method-assign]
    code.content_key = lambda self, part: content_key(self, (*part, "emulated", kernels_version()))  # type: ignore[method-assign]
