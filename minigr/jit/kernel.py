"""Decorators for functions of the CPU's device code.

The functions are written in the Python that `minigr.jit.native` translates: numbers, C-contiguous arrays of one or two
dimensions, tuples, loops over ranges, and calls of each other. They allocate nothing, raise nothing, and run without
the GIL. Division by zero follows NumPy's rules for floats, and gives zero for integers.
"""

from typing import Any

from minigr.jit.native.entry import Entry


def kernel(function: Any) -> Any:
    """Mark `function` as a function that kernels call; a decorator. A function that Python calls is an `entry`."""
    return function


def inlined(function: Any) -> Any:
    """Inline a kernel function into its callers, because it is so short that a call would take as long; a decorator.

    LLVM does not inline functions that it finds too large, and it can't tell which code runs rarely.
    """
    function.inlined = True
    return function


def entry(function: Any) -> Any:
    """Make `function` callable from Python, on the threads of a team or on one thread; a decorator."""
    return Entry(function, f"{function.__module__}.{function.__qualname__}")
