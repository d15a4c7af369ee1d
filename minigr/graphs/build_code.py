"""The kernels that build and examine rows as a program; linking it needs neither a GPU nor CuPy."""

from __future__ import annotations

from enum import IntFlag
from functools import cache

from minigr.jit.link_cuda import CudaCode


class Change(IntFlag):
    """What becomes of arcs."""

    MIRROR = 1  # both ways; a self-loop once
    TURN = 2  # turned round
    KEEP_DOWN = 4  # those to a lesser vertex, and no others
    FOLD_DOWN = 8  # those to a greater vertex turned round, and no self-loops


@cache
def code_for(architecture: int) -> CudaCode:
    """The kernels' code for one architecture."""
    changes = ", ".join(f"{change.name} = {int(change)}" for change in Change)
    headers = '#include "graphs/build_sort.cuh"\n#include "graphs/build_look.cuh"\n'
    return CudaCode(f"namespace minigr {{ enum Change {{ {changes} }}; }}\n{headers}", {}, {}, {}, architecture)
