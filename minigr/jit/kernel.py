"""What functions of the CPU's device code are declared as.

They are written in the Python that `minigr.jit.native` translates: numbers, C-contiguous arrays of one or two
dimensions, tuples, loops over ranges, calls of each other. They allocate nothing, raise nothing, and run without the
GIL. Division by zero gives what NumPy's rules give for floats, and zero for whole numbers.
"""

from typing import Any

from minigr.jit.native.entry import Entry


def kernel(function: Any) -> Any:
    """Mark `function` as one that kernels call; a decorator. What Python calls is an `entry`."""
    return function


def inlined(function: Any) -> Any:
    """A kernel that becomes part of those that call it: one so short that a call would take as long; a decorator.

    LLVM leaves out of line what it finds too large, which it can't tell from what is seldom run.
    """
    function.inlined = True
    return function


def entry(function: Any) -> Any:
    """Make `function` one that Python calls, on a team's threads or on one; a decorator."""
    return Entry(function, f"{function.__module__}.{function.__qualname__}")
