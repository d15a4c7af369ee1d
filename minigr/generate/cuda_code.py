"""The program of the kernels of generators; linking the program needs neither a GPU nor CuPy."""

from __future__ import annotations

from functools import cache

from minigr.jit.link_cuda import CudaCode


@cache
def code_for(architecture: int) -> CudaCode:
    """The code of the kernels for one architecture."""
    return CudaCode('#include "generate/kernels.cuh"\n', {}, {}, {}, architecture)
