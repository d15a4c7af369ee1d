"""The dtype that a functor's function returns, for what must know it before a program is put together.

Finding it takes a compilation, so it is kept: in this process, and beside the compiled programs for others.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from minigr.jit import cache, capture
from minigr.jit.check import returned_type
from minigr.jit.compile_cpu import numba_types
from minigr.jit.functor import Bound
from minigr.jit.numba_cache import PACKAGES

_known: dict[Hashable, str] = {}


def returned_dtype(bound: Bound, arguments: Sequence[tuple[str, bool]]) -> str:
    """The name of the dtype of the number that `bound` returns for `arguments`: dtypes, and whether they are arrays.

    Raises
    ------
    FunctorError
        If the function can't be compiled, or returns no number.
    """
    key = capture.digest(bound.function), bound.arguments, tuple(arguments)
    if key not in _known:
        _known[key] = _kept(bound, arguments)
    return _known[key]


def _kept(bound: Bound, arguments: Sequence[tuple[str, bool]]) -> str:
    parts = ("returns", capture.digest(bound.function), str(list(arguments)))
    digest = cache.key(*parts, packages=PACKAGES)
    kept = cache.read("cpu", digest)
    if kept is not None:
        return kept.decode()
    name = str(returned_type(bound, numba_types(arguments)))
    cache.write("cpu", digest, name.encode())
    return name
