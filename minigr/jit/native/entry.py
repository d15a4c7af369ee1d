"""Functions that Python calls: translated for the types of the arguments when those first come, and kept in the cache.

A call packs its arguments into words, of 64 bits each, and hands their address to the compiled function. The word of an
array is the address of NumPy's object. What the function returns comes back in the same words.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from minigr.jit import cache
from minigr.jit.functor import Bound
from minigr.jit.native.errors import Raised, error_of
from minigr.jit.native.types import (
    BOOL,
    FLOAT64,
    INT64,
    NOTHING,
    NUMBERS,
    UINT64,
    Tuple,
    array,
    number_of,
    tuple_of,
)
from minigr.jit.private import COMPILER_LOCK
from minigr.locks import LockOf, held_to_fork

PACKAGES = ("llvmlite", "numpy")
_PLAIN = frozenset((int, tuple, bool, float))
_WORD = struct.Struct("q")
_C_ORDER, _WRITEABLE = 0x0001, 0x0400  # of an array's flags
# A child can't compile if another thread of its parent was at it: Numba's state is half done, and its lock is held. A
# fork takes the lock that is named last first, as a compilation does.
held_to_fork(LockOf(*COMPILER_LOCK))
_compiling = held_to_fork(threading.RLock())


class Compiled(NamedTuple):
    """A function for arguments of certain types."""

    run: Callable[[Any], int]
    returns: Any
    words_of: Callable[..., Any]


class Packed:
    """Arguments that follow each other, packed once for many calls.

    Parameters
    ----------
    *arguments
        Their types must stay as they are: an array's dtype, dimensions and whether it may be written to.
    """

    __slots__ = "arguments", "types", "words"

    def __init__(self, *arguments: Any) -> None:
        self.arguments, self.words, self.types = arguments, list[int](), list[Any]()
        _pack(arguments, self.words, self.types)


class Call:
    """A call with its arguments packed, of a function that returns nothing; it may be made more than once."""

    __slots__ = "_keeps", "_run", "_words"

    def __init__(self, run: Callable[[Any], int], words: bytes, keeps: Any) -> None:
        self._run, self._words, self._keeps = run, words, keeps

    def __call__(self) -> None:
        status = self._run(self._words)
        if status:
            raise Raised(error_of(status))

    def with_first(self, number: int) -> Call:
        """The call with another whole number as its first argument."""
        return Call(self._run, _WORD.pack(number) + self._words[_WORD.size :], self._keeps)


def _run(compiled: Compiled, values: list[int]) -> Any:
    """Make a call."""
    run, returns, words_of = compiled
    words = words_of(*values)
    status = run(words)
    if status:
        raise Raised(error_of(status))
    return None if returns is NOTHING else _returned(returns, words)


class Entry:
    """A function of kernels' Python that Python calls, on a team's threads or on one.

    Parameters
    ----------
    function : function
    name : str
        What tells its code in the cache from that of others, along with the types of the arguments.
    functors : mapping, optional
        The functions of functors that it calls.
    """

    def __init__(self, function: FunctionType, name: str, functors: Mapping[FunctionType, Bound] | None = None) -> None:
        self.__wrapped__, self.__doc__, self.__name__ = function, function.__doc__, function.__name__
        self._name, self._functors = name, functors or {}
        self._compiled: dict[Any, Compiled] = {}

    def __call__(self, *arguments: Any) -> Any:
        words: list[int] = []
        return _run(self._compiled_for(arguments, words), words)

    def packed(self, *arguments: Any) -> Call:
        """A call of the function, which is compiled if it is new for the types of these arguments."""
        words: list[int] = []
        compiled = self._compiled_for(arguments, words)
        return Call(compiled.run, compiled.words_of(*words), arguments)

    def _compiled_for(self, arguments: tuple[Any, ...], words: list[int]) -> Compiled:
        """The code for the types of arguments, whose words are appended to `words`."""
        types: list[Any] = []
        _pack(arguments, words, types)
        key = tuple(types)
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = self._compile(tuple(_types_of(arguments)))
        return compiled

    def _compile(self, types: tuple[Any, ...]) -> Compiled:
        from minigr.jit.native.compile import compiled

        with _compiling:
            run, returns = compiled(self.__wrapped__, self._name, types, self._functors)
        return callable_from_python(run, returns, types)


def callable_from_python(run: Callable[[Any], int], returns: Any, types: tuple[Any, ...]) -> Compiled:
    """A loaded function with how its words are made."""
    if returns is NOTHING:  # bytes are quickly made, and are not written to
        return Compiled(run, returns, struct.Struct(f"{_words_of(types)}q").pack)
    return Compiled(run, returns, ctypes.c_int64 * max(_words_of(types), len(returns.parts)))


def _pack(arguments: tuple[Any, ...], words: list[int], types: list[Any]) -> None:
    """Append the words of arguments, and what their types depend on: it takes time in each call."""
    for value in arguments:
        kind = type(value)
        if kind is np.ndarray or (kind not in _PLAIN and isinstance(value, np.ndarray)):  # the second is slow
            flags = value.flags.num
            if not flags & _C_ORDER:
                raise TypeError(f"a kernel takes arrays in C order, not one with strides {value.strides}")
            words.append(id(value))
            types += (value.dtype, value.ndim, flags & _WRITEABLE)
        elif kind is int and -(1 << 63) <= value < 1 << 63:
            words.append(value)
            types.append(kind)
        elif kind is tuple:
            types.append(len(value))
            _pack(value, words, types)
        elif kind is Packed:
            words += value.words
            types += value.types
        else:
            words.append(_word(value))
            types.append(kind if kind is not int else UINT64)


def _word(value: Any) -> int:
    """The word of a number."""
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        number = int(value)
        return number if number < 1 << 63 else number - (1 << 64)
    if isinstance(value, np.float32):
        return int(struct.unpack("<i", struct.pack("<f", value))[0])
    if isinstance(value, float):
        return int(struct.unpack("<q", struct.pack("<d", value))[0])
    raise TypeError(f"a kernel takes no {type(value).__name__}")


def _words_of(types: tuple[Any, ...]) -> int:
    """How many words arguments take."""
    return sum(_words_of(each.items) if isinstance(each, Tuple) else 1 for each in types)


def _types_of(arguments: tuple[Any, ...]) -> Iterator[Any]:
    """The types of arguments in native code."""
    for value in arguments:
        if isinstance(value, Packed):
            yield from _types_of(value.arguments)
        else:
            yield _type_of(value)


def _type_of(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return array(number_of(value.dtype), value.ndim, bool(value.flags.writeable))
    if isinstance(value, tuple):
        return tuple_of(tuple(_types_of(value)))
    if isinstance(value, np.generic):
        return number_of(value.dtype)
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT64 if value < 1 << 63 else UINT64
    return FLOAT64


def _returned(kind: Any, words: Any, place: int = 0) -> Any:
    """What the function returned, from its words."""
    if isinstance(kind, Tuple):
        found = []
        for item in kind.items:
            found.append(_returned(item, words, place))
            place += len(item.parts)
        return tuple(found)
    if kind is NOTHING:
        return None
    word = struct.pack("<q", words[place])
    if kind.kind == "f":
        return struct.unpack("<f", word[:4])[0] if kind.bits == 32 else struct.unpack("<d", word)[0]
    return bool(word[0]) if kind is BOOL else int(np.frombuffer(word, kind.name, 1)[0])


def key_of(name: str, types: tuple[Any, ...], packages: tuple[str, ...] = PACKAGES) -> str:
    """The key of a function's code in the cache."""
    from minigr.jit.native.machine import processor

    return cache.key(name, ", ".join(map(str, types)), processor(), packages=packages)


def returned_text(kind: Any) -> str:
    """The type of what a function returns as text."""
    return ",".join(map(str, kind.items)) + "," if isinstance(kind, Tuple) else "" if kind is NOTHING else str(kind)


def returned_type(text: str) -> Any:
    """The type of that text."""
    if text.endswith(","):
        return tuple_of(tuple(NUMBERS[name] for name in text[:-1].split(",")))
    return NUMBERS[text] if text else NOTHING
