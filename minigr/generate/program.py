"""The generators' kernels as a program; compiling it needs neither a GPU nor CuPy."""

from __future__ import annotations

from pathlib import Path

from minigr.jit.link_cuda import CudaCode


def compile_kernels(architecture: int) -> Path:
    """The path of the cubin with all kernels for one architecture."""
    return CudaCode('#include "generate/kernels.cuh"\n', {}, {}, {}, architecture).cubin()
