"""Calls with an unknown option: the error names the options that the function has."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar, cast

from minigr.errors import FunctorError
from minigr.memory import as_out_of_memory, is_lack_of_memory

F = TypeVar("F", bound=Callable[..., Any])


def unknown(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the name that may be meant, and all known names.

    Examples
    --------
    >>> unknown("colour", ["color", "width"])
    "did you mean 'color'? It has color, width"
    """
    known = list(known)
    close = difflib.get_close_matches(name, known, 1)
    return f"{f'did you mean {close[0]!r}? It' if close else 'it'} has {', '.join(known) or 'none'}"


def _names(function: Callable[..., Any]) -> list[str] | None:
    """The names that `function` accepts as keywords; None if it accepts any name."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name != "self"]


def check_names(called: str, function: Callable[..., Any], given: Iterable[str]) -> None:
    """Raise `TypeError` for the first name in `given` that `function`, called `called` by users, doesn't have.

    Examples
    --------
    >>> check_names("zeros", lambda shape, dtype: None, ["type"])
    Traceback (most recent call last):
    TypeError: zeros has no option 'type'; did you mean 'dtype'? It has shape, dtype
    """
    known = _names(function)
    for name in given:
        if known is not None and name not in known:
            raise TypeError(f"{called} has no option {name!r}; {unknown(name, known)}")


def names_options(function: F, check: Callable[[tuple[Any, ...], dict[str, Any]], None] | None = None) -> F:
    """`function`, with an error for an unknown option that names the options of the function.

    A functor that can't be compiled is an error of the caller, so the traceback of this error ends at the call. Failed
    allocations become `minigr.errors.OutOfMemoryError`, as in `minigr.memory.out_of_memory`. `check` gets the
    positional arguments and the keyword arguments before the function is called.

    Examples
    --------
    >>> @names_options
    ... def draw(*, color="red", width=1):
    ...     pass
    >>> draw(colour="blue")
    Traceback (most recent call last):
    TypeError: draw has no option 'colour'; did you mean 'color'? It has color, width
    """
    # The name of a class is used instead of the name of its __init__.
    called = function.__qualname__.split(".")[-2] if function.__name__ == "__init__" else function.__name__
    named = _names(function)
    known = None if named is None else frozenset(named)

    @wraps(function)
    def call(*arguments: Any, **given: Any) -> Any:
        if given and known is not None and not known.issuperset(given):
            check_names(called, function, given)
        if check is not None:
            check(arguments, given)
        try:
            return function(*arguments, **given)
        except FunctorError as error:
            raise error.with_traceback(None) from None
        except Exception as error:  # here, because one more call takes time
            if not is_lack_of_memory(error):
                raise
            raise as_out_of_memory(error, function.__qualname__.removesuffix(".__init__")) from None

    return cast(F, call)  # `wraps` keeps the signature, which mypy does not see
