"""Functions that compilers recognize by identity, and that plain Python can also call."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar


class Intrinsic:
    """A function for which each compiler has its own code; a decorator.

    Plain Python calls the definition.
    Attributes
    ----------
    atomic : bool
        Whether the function may be an atomic, or call an atomic.
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
        return self._name  # there is one object of each; compilers would not recognize a copy


class Provided(Intrinsic):
    """A function for functors that is itself written like a functor, so compilers compile its definition; a decorator.

    A functor may call it as an attribute of a module, such as ``mg.find``, as it may call an intrinsic. A functor calls
    its own helpers by name.

    Attributes
    ----------
    function : FunctionType
        The definition.
    """

    atomic = True
    every: ClassVar[list[Provided]] = []  # all objects of this class

    def __init__(self, definition: Callable[..., Any]) -> None:
        super().__init__(definition)
        assert isinstance(definition, FunctionType)
        self.function = definition
        self.every.append(self)
