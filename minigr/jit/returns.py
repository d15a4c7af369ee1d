"""The dtype that a functor's function returns, for what must know it before a program is put together.

Finding it takes a compilation, so it is kept: in this process, and beside the compiled programs for others.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from minigr.jit import cache, capture
from minigr.jit.check import returned_type
from minigr.jit.compile_cpu import PACKAGES, numba_types
from minigr.jit.functor import Bound

_known: dict[Hashable, str] = {}
_NAMES = ("bool", *(f"{kind}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)))


def returned_dtype(bound: Bound, arguments: Sequence[tuple[str, bool]]) -> str:
    """The name of the dtype of the number that `bound` returns for `arguments`: dtypes, and whether they are arrays.

    Raises
    ------
    FunctorError
        If the function can't be compiled, or returns no number.
    """
    key = capture.identity(bound.function), bound.arguments, tuple(arguments)
    if key not in _known:
        _known[key] = _kept(bound, arguments)
    return _known[key]


def _kept(bound: Bound, arguments: Sequence[tuple[str, bool]]) -> str:
    digest = cache.key("returns", capture.digest(bound.function), str(list(arguments)), packages=PACKAGES)
    path = cache.directory("cpu") / f"returns_{digest}.txt"
    name = path.read_text(errors="replace") if path.exists() else ""
    if name not in _NAMES:  # not there yet, or damaged
        name = str(returned_type(bound, numba_types(arguments)))
        cache.write(path, name.encode())
    return name
