"""The kernels that build and examine rows as a program; linking it needs neither a GPU nor CuPy."""

from __future__ import annotations

from functools import cache

from minigr.jit.link_cuda import CudaCode


@cache
def code_for(architecture: int) -> CudaCode:
    """The kernels' code for one architecture."""
    return CudaCode('#include "graphs/build_sort.cuh"\n#include "graphs/build_look.cuh"\n', {}, {}, {}, architecture)
