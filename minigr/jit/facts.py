"""Facts about a functor's function that are needed to generate a program: its return type and whether it writes.

Both are found by translating the function. If Numba has to compile the function, the facts are kept in the cache.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from minigr.jit import cache, capture
from minigr.jit.arguments import Argument
from minigr.jit.functor import Bound
from minigr.jit.native.functors import argument_type
from minigr.jit.native.module import Module
from minigr.jit.native.types import Unknown, returned_text, returned_type

_MOST_KNOWN = 4096
_known: dict[Any, Facts] = {}


class Facts(NamedTuple):
    """The facts about a function for arguments of certain types.

    Attributes
    ----------
    returns : type
        One of `minigr.jit.native.types`.
    writes : bool
        Whether the function may change memory. A function that does not write may be called more often than requested,
        or for items that do not exist.
    """

    returns: Any
    writes: bool


def facts(bound: Bound, arguments: Sequence[Any]) -> Facts:
    """Find the return type of a function for `arguments`, types of `minigr.jit.native.types`, and whether it writes.

    Raises
    ------
    FunctorError
        If the function contains what a functor may not, or returns the wrong type. The error is the same for both
        targets.
    """
    key = capture.digest(bound.function), bound.arguments, bound.method, bound.reduced, bound.results, tuple(arguments)
    if key not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        try:
            signature = Module({bound.function: bound}).plain_functor(bound.function, arguments)
            _known[key] = Facts(signature.returns, signature.writes)
        except Unknown:
            _known[key] = _from_numba(bound, arguments)
    return _known[key]


def _from_numba(bound: Bound, arguments: Sequence[Any]) -> Facts:
    from minigr.jit import numba_functor

    parts = ("facts", capture.digest(bound.function), str(bound.method), bound.reduced, str(bound.results))
    key = cache.key(*parts, *map(str, arguments), packages=numba_functor.PACKAGES)
    kept = cache.read("cpu", key)
    if kept is not None:
        returns, writes = json.loads(kept)
        return Facts(returned_type(returns), writes)
    compiled = numba_functor.compiled(bound, arguments)
    found = Facts(compiled.returns, compiled.writes)
    cache.write("cpu", key, json.dumps([returned_text(found.returns), found.writes]).encode())
    return found


def returned_type_of(bound: Bound, arguments: Sequence[Argument]) -> Any:
    """The return type of a function for such arguments."""
    return facts(bound, [argument_type(each) for each in arguments]).returns


def writes(bound: Bound, arguments: Sequence[Argument]) -> bool:
    """Whether a function may change memory, for such arguments."""
    return facts(bound, [argument_type(each) for each in arguments]).writes
