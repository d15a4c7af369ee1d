"""Calls in a translated function."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import FunctionType
from typing import Any, NamedTuple

from minigr.jit.intrinsic import Provided
from minigr.jit.native.calls import CALLS, cast_to
from minigr.jit.native.code import Code, Known, Value
from minigr.jit.native.elements import Elements
from minigr.jit.native.function import Signature
from minigr.jit.native.types import Unknown


class Alone(NamedTuple):
    """A function to call in place of `function` in a kernel, if no other thread uses its data.

    In the function and in its callees, atomics are plain loads and stores. An atomic costs twenty cycles, and prevents
    the processor from looking ahead.
    """

    function: Any


class Calling(Elements):
    """A function that calls other functions."""

    def call(self, called: Any, arguments: list[Any], keywords: dict[str, Any]) -> Value:
        """Call a value that is known when code is made."""
        special = CALLS.get(called) if _is_hashable(called) else None
        if special is not None or isinstance(called, type):
            if keywords:
                raise Unknown(f"keywords in a call of {called.__name__} in line {self._line}")
            return cast_to(self, called, arguments) if special is None else special(self, arguments)
        if isinstance(called, Alone):
            before, self.module.alone = self.module.alone, True
            try:
                return self._call_function(called.function, arguments, keywords)
            finally:
                self.module.alone = before
        if isinstance(called, Provided):
            called = called.function
        if not isinstance(called, FunctionType):
            raise Unknown(f"a call of {called!r} in line {self._line}")
        return self._call_function(called, arguments, keywords)

    def _call_function(self, function: FunctionType, arguments: list[Any], keywords: dict[str, Any]) -> Value:
        """Call a function. If the function ends with an error, the caller ends with it too."""
        given = self._in_order(function, arguments, keywords)
        kinds = [each.value if isinstance(each, Known) else each.type for each in given]
        signature = self.module.called(function, kinds, self.strict)
        self.writes |= signature.writes
        parts = [part for each in given if isinstance(each, Value) for part in _parts(each)]
        found = call_parts(self, signature, parts)
        if signature.raises:
            status, *found = found
            self.fail_if(self.new(f"icmp ne i64 {status}, 0"), status)
        return Value(signature.returns, tuple(found))

    def _in_order(self, function: FunctionType, arguments: list[Any], keywords: dict[str, Any]) -> list[Any]:
        """The arguments of a call in the order of the parameters."""
        if not keywords and not function.__defaults__:
            return arguments
        try:
            bound = inspect.signature(function, follow_wrapped=False).bind(*arguments, **keywords)
        except TypeError as error:
            raise Unknown(f"a call of {function.__name__}: {error}") from None
        bound.apply_defaults()
        if bound.kwargs:
            raise Unknown(f"keyword-only parameters of {function.__name__}")
        return [each if isinstance(each, (Value, Known)) else self.outer(each) for each in bound.args]


def call_parts(code: Code, signature: Signature, parts: Sequence[tuple[str, str]]) -> list[str]:
    """Call a function with these parts of arguments; return the parts of its result."""
    kinds, given = signature.parts, ", ".join(map(" ".join, parts))
    if not kinds:
        code.do(f"call void @{signature.name}({given})")
        return []
    if len(kinds) == 1:
        return [code.new(f"call {kinds[0]} @{signature.name}({given})")]
    kind = "{" + ", ".join(kinds) + "}"
    called = code.new(f"call {kind} @{signature.name}({given})")
    return [code.new(f"extractvalue {kind} {called}, {place}") for place in range(len(kinds))]


def _parts(value: Value) -> list[tuple[str, str]]:
    return list(zip(value.type.parts, value.parts, strict=True))


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
