"""The packages that make CUDA programs, imported when first needed and by one thread at a time.

While cuda.core is imported it takes the names of a package inside it, the import's own record among them, so that a
second thread that asks for it meanwhile is not made to wait and finds it half done. numba-cuda imports cuda.core too.
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
    """The package `cuda.core`, `cuda.core.graph` with it."""
    with _importing:
        import cuda.core.graph

        return cuda.core


def numba_cuda() -> Any:
    """The package `numba.cuda`, with minigr's atomics known to it."""
    with _importing:
        return _numba_cuda()


@memoize
def _numba_cuda() -> Any:
    if not hasattr(np, "row_stack"):
        # numba-cuda 0.30 names numpy.row_stack, which NumPy 2.5 dropped; it is the same as vstack.
        vars(np)["row_stack"] = np.vstack
    with warnings.catch_warnings():
        # numba-cuda 0.30 makes a timedelta without a unit while it is imported, which NumPy 2.5 warns of.
        warnings.simplefilter("ignore", DeprecationWarning)
        from numba import cuda
    import_module("minigr.jit.numba_intrinsics")  # Numba learns intrinsics when a compilation begins, and not later
    return cuda
