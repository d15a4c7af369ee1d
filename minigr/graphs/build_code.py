"""The program of the kernels that build and query rows; linking the program needs neither a GPU nor CuPy."""

from __future__ import annotations

from enum import IntFlag
from functools import cache

from minigr.jit.link_cuda import CudaCode


class Change(IntFlag):
    """How arcs are changed."""

    MIRROR = 1  # both directions; a self-loop once
    TURN = 2  # reversed
    KEEP_DOWN = 4  # only the arcs to a lesser vertex
    FOLD_DOWN = 8  # arcs to a greater vertex are reversed, and self-loops are left out


@cache
def code_for(architecture: int) -> CudaCode:
    """The code of the kernels for one architecture."""
    changes = ", ".join(f"{change.name} = {int(change)}" for change in Change)
    headers = '#include "graphs/build_sort.cuh"\n#include "graphs/build_look.cuh"\n'
    return CudaCode(f"namespace minigr {{ enum Change {{ {changes} }}; }}\n{headers}", {}, {}, {}, architecture)
