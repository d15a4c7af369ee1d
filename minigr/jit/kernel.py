"""How every CPU kernel is compiled, and what only kernels call.

Without the GIL, so that a team's threads run at the same time; with NumPy's rules for division, because a kernel can't
raise; and without Numba's reference counts: kernels allocate nothing, and counting the references of every array that
an inner function is handed takes more time than the function (breadth-first and shortest-path searches ran at half
speed). A functor that allocates is refused for that reason, as it is on a GPU.
"""

import os
import secrets
from typing import Any

from numba import njit
from numba.core.compiler_lock import global_compiler_lock

from minigr.jit import inner, numba_cache
from minigr.signals import deferred

if hasattr(os, "register_at_fork"):
    # A child can't compile if another thread of its parent was at it: Numba's state is half done, and its lock is held.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
    "pipeline_class": inner.QuickCompiler,
}


def kernel(function: Any) -> Any:
    """Make `function` one that kernels call, and Python can't; a decorator.

    What Python calls is an `entry`.

    Numba tells functions of one name apart by a number that starts again in each process. Programs that different
    processes compiled could then give one name to two functions, and a process that loads both from the cache would
    run one for the other. So each gets a name that no other process gives.
    """
    return _compiled(function, {})


def inlined(function: Any) -> Any:
    """A kernel that becomes part of those that call it: one so short that a call would take as long; a decorator.

    LLVM leaves out of line what it finds too large, which it can't tell from what is seldom run.
    """
    return _compiled(function, {"forceinline": True})


def functor_kernel(function: Any) -> Any:
    """Make a user's function one that kernels call, if it keeps to what a functor may contain."""
    return _compiled(function, {"pipeline_class": inner.FunctorCompiler})


def typed_functor(function: Any) -> Any:
    """A user's function whose types Numba finds, and for which it makes no code."""
    return _compiled(function, {"pipeline_class": inner.FunctorTyping})


def entry(function: Any) -> Any:
    """Make `function` one that Python calls, on a team's threads or on one, and keep its code on disk; a decorator."""
    return numba_cache.keep(_whole(njit(**OPTIONS)(function)), f"{function.__module__}.{function.__qualname__}")


def _compiled(function: Any, options: dict[str, Any]) -> Any:
    function.__qualname__ += f"_{secrets.token_hex(8)}"
    return _whole(njit(**{**OPTIONS, **inner.OPTIONS, **options})(function))


def _whole(dispatcher: Any) -> Any:
    """Have signals wait while a dispatcher compiles. Numba can't go on after an exception in the middle of it."""
    compile_now = dispatcher.compile

    def compile_whole(signature: Any) -> Any:
        with deferred():
            return compile_now(signature)

    dispatcher.compile = compile_whole
    return dispatcher
