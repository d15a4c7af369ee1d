"""Keeps what Numba compiled for the CPU in the cache of `minigr.jit.cache`, in place of Numba's own cache.

Numba's own cache asks only whether the file of a function has changed, and not the files of what the function calls.
All that minigr knows of the inside of Numba's cache stands in this file: the interface ``_Cache`` with the dispatcher's
attribute ``_cache``, and ``CompileResult._reduce`` and ``_rebuild``, which Numba's own cache pickles.
"""

from __future__ import annotations

import pickle
from typing import Any

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from minigr.jit import cache

PACKAGES = ("numba", "llvmlite", "numpy")


class _Overloads(_Cache):
    """The compiled code of one function, an entry for each signature and processor."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def cache_path(self) -> str:
        return ""

    def enable(self) -> None:
        """It is always on."""

    def disable(self) -> None:
        raise NotImplementedError("minigr's cache can't be turned off for one function")

    def flush(self) -> None:
        """Numba asks for that where it compiles again what is there; entries are replaced then."""

    def _key(self, signature: Any, codegen: Any) -> str:
        processor = codegen.magic_tuple()  # its kind, name and features: code for another one must never be run
        return cache.key(self._name, str(signature), repr(processor), packages=PACKAGES)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()  # which makes known what the code may refer to
        content = cache.read("cpu", self._key(sig, target_context.codegen()))
        return None if content is None else CompileResult._rebuild(target_context, *pickle.loads(content))

    def save_overload(self, sig: Any, data: Any) -> None:
        if not data.library.has_dynamic_globals:  # addresses, which hold in this process only
            cache.write("cpu", self._key(sig, data.codegen), dumps(data._reduce()))


def keep(dispatcher: Any, name: str) -> Any:
    """Have a dispatcher load what was compiled before, and keep what it compiles; `name` tells functions apart."""
    dispatcher._cache = _Overloads(name)
    return dispatcher
