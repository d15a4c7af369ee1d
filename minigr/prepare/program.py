"""A program that can be compiled for any architecture without a GPU: a recorded step, a primitive, or kernels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from minigr.jit.link_cuda import ARCHITECTURES, CudaCode, Part

#: the code of one program for an architecture, and the parts in which it is linked
Linked = tuple[CudaCode, Sequence[Part]]
Program = Callable[[int], Linked]


def of_plan(plan: Any, architecture: int) -> Linked:
    """The program of a recorded step."""
    from minigr.program.cuda import code_of

    code, text = code_of(plan, architecture)
    return code, text.parts


def of_primitive(program: Any, architecture: int) -> Linked:
    """The program of one call of a primitive."""
    from minigr.primitives.cuda import code_of

    return code_of(program, architecture), [("run",)]


def of_kernels(code_for: Callable[[int], CudaCode], architecture: int) -> Linked:
    """Kernels without functors. Each kernel is linked when it is first requested."""
    return code_for(architecture), [(name,) for name in _names(code_for)]


@cache
def _names(code_for: Callable[[int], CudaCode]) -> list[str]:
    return re.findall(r"\.entry (\w+)", code_for(ARCHITECTURES[0]).ptx())
