"""Functions that compilers know by their identity, and that plain Python can call."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar


class Intrinsic:
    """A function for which each compiler has code of its own; a decorator.

    Plain Python calls the definition.

    Attributes
    ----------
    atomic : bool
        Whether it may be an atomic, or call one.
    """

    atomic: ClassVar[bool] = False

    def __init__(self, definition: Callable[..., Any]) -> None:
        functools.update_wrapper(self, definition)
        self._definition, self._name = definition, definition.__name__
        self.__signature__ = inspect.signature(definition)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._definition(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<function minigr.{self._name}>"

    def __reduce__(self) -> str:
        return self._name  # there is one of each; a copy would be unknown to compilers


class Provided(Intrinsic):
    """A function for functors that is written as they are, so that each compiler compiles its definition; a decorator.

    A functor may call it by a module's attribute, such as ``mg.find``, as it may call an intrinsic. A helper of its own
    it calls by a name.

    Attributes
    ----------
    function : FunctionType
        The definition.
    """

    atomic = True
    every: ClassVar[list[Provided]] = []  # that there are

    def __init__(self, definition: Callable[..., Any]) -> None:
        super().__init__(definition)
        assert isinstance(definition, FunctionType)
        self.function = definition
        self.every.append(self)
