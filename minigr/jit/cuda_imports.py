"""The packages that make CUDA programs. They are imported on first use, by one thread at a time.

While cuda.core is imported, it takes over the names of a package inside it, including the import system's own record. A
second thread that imports cuda.core meanwhile would therefore not wait, and would find a half-imported package.
numba-cuda imports cuda.core too.
"""

from __future__ import annotations

import threading
import warnings
from functools import cache as memoize
from importlib import import_module
from typing import Any

import numpy as np

from minigr.locks import free_in_children

_importing = free_in_children(threading.RLock())


def cuda_core() -> Any:
    """The package `cuda.core`, with `cuda.core.graph`."""
    with _importing:
        import cuda.core.graph

        return cuda.core


def numba_cuda() -> Any:
    """The package `numba.cuda`, which then knows minigr's atomics."""
    with _importing:
        return _numba_cuda()


@memoize
def _numba_cuda() -> Any:
    if not hasattr(np, "row_stack"):
        # numba-cuda 0.30 uses numpy.row_stack, which NumPy 2.5 removed; it is the same as vstack.
        vars(np)["row_stack"] = np.vstack
    with warnings.catch_warnings():
        # numba-cuda 0.30 makes a timedelta without a unit on import, and NumPy 2.5 warns about it.
        warnings.simplefilter("ignore", DeprecationWarning)
        from numba import cuda
    for name in ("numba_intrinsics", "numba_numbers_cuda"):  # Numba learns them only when a compilation begins
        import_module(f"minigr.jit.{name}")
    return cuda
