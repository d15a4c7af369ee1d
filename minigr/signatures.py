"""Calls with an option that a function doesn't have: the error names the options that it has."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

from minigr.errors import FunctorError

F = TypeVar("F", bound=Callable[..., Any])


def unknown(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is unknown: the one that may be meant, and all that there are.

    Examples
    --------
    >>> unknown("colour", ["color", "width"])
    "did you mean 'color'? It has color, width"
    """
    known = list(known)
    close = difflib.get_close_matches(name, known, 1)
    return f"{f'did you mean {close[0]!r}? It' if close else 'it'} has {', '.join(known) or 'none'}"


def names_options(function: F) -> F:
    """`function`, with an error for an unknown option that names the options of the function.

    A functor that can't be compiled is an error of the caller's, so its traceback ends at the call.

    Examples
    --------
    >>> @names_options
    ... def draw(*, color="red", width=1):
    ...     pass
    >>> draw(colour="blue")
    Traceback (most recent call last):
    TypeError: draw has no option 'colour'; did you mean 'color'? It has color, width
    """
    parameters = list(inspect.signature(function).parameters.values())
    named = [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name != "self"]
    known, takes_all = frozenset(named), any(p.kind is p.VAR_KEYWORD for p in parameters)

    @wraps(function)
    def call(*arguments: Any, **given: Any) -> Any:
        if given and not takes_all and not known.issuperset(given):
            name = next(name for name in given if name not in known)
            raise TypeError(f"{function.__name__} has no option {name!r}; {unknown(name, named)}")
        try:
            return function(*arguments, **given)
        except FunctorError as error:
            raise error.with_traceback(None) from None

    return call  # type: ignore[return-value]  # wraps keeps the signature
