"""Functions that Python calls. They are compiled for the types of their arguments on first use, and cached.

A call packs its arguments into words of 64 bits, and passes their address to the compiled function. The word of an
array is the address of the NumPy object. The function returns its result in the same words.
"""

from __future__ import annotations

import contextlib
import ctypes
import struct
import threading
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from minigr.jit.functor import Bound
from minigr.jit.native.errors import Raised, error_of
from minigr.jit.native.reader import C_ORDER, WRITEABLE, NoSteps, Reader
from minigr.jit.native.types import (
    BOOL,
    FLOAT64,
    INT64,
    NOTHING,
    UINT64,
    Tuple,
    array,
    number_of,
    tuple_of,
)
from minigr.jit.private import COMPILER_LOCK
from minigr.locks import LockOf, held_to_fork

_PLAIN = frozenset((int, tuple, bool, float))
# A child can't compile if another thread of its parent was compiling, because Numba's state is then incomplete and its
# lock is held. A fork acquires the lock that is registered last first, as a compilation does.
held_to_fork(LockOf(*COMPILER_LOCK))
_compiling = held_to_fork(threading.RLock())


class Compiled:
    """A function compiled for arguments of certain types."""

    __slots__ = "_calls", "_reader", "_words", "address", "returns", "run"

    def __init__(self, run: Any, returns: Any, types: tuple[Any, ...]) -> None:
        self.run: Callable[[Any], int] = run
        self.returns = returns
        self.address = ctypes.cast(run, ctypes.c_void_p).value
        self._words = ctypes.c_int64 * max(_words_of(types), self._results())
        self._reader: Reader | None = None
        self._calls = 0

    def _results(self) -> int:
        return 0 if self.returns is NOTHING else len(self.returns.parts)

    def read(self, arguments: tuple[Any, ...]) -> Any:
        """The words of arguments, if they have the types of this function and a reader exists; otherwise None."""
        return None if self._reader is None else self._reader(arguments)

    def packed(self, words: list[int], arguments: tuple[Any, ...]) -> Any:
        """The words of a call. The second call makes a reader for later calls, if possible."""
        self._calls += 1
        if self._calls == 2:
            with _compiling, contextlib.suppress(NoSteps):
                self._reader = Reader(arguments, self._results())
        return self._words(*words)


class Call:
    """A call of a function that returns nothing, with its arguments packed.

    Attributes
    ----------
    address : int
        The address of the function, which takes the address of its words.
    words : ctypes array
    """

    __slots__ = "_keeps", "_run", "address", "words"

    def __init__(self, compiled: Compiled, words: Any, keeps: Any) -> None:
        self._run, self.address, self.words, self._keeps = compiled.run, compiled.address, words, keeps

    def status(self) -> int:
        """Make the call; return a status other than zero if it ended with an error."""
        return self._run(self.words)


class Entry:
    """A function in the Python of kernels that Python calls, on the threads of a team or on one thread.

    Parameters
    ----------
    function : function
    name : str
        The name that identifies its code in the cache, together with the types of the arguments.
    functors : mapping, optional
        The functions of functors that it calls.
    """

    def __init__(self, function: FunctionType, name: str, functors: Mapping[FunctionType, Bound] | None = None) -> None:
        self.__wrapped__, self.__doc__, self.__name__ = function, function.__doc__, function.__name__
        self._name, self._functors = name, functors or {}
        self._compiled: dict[Any, Compiled] = {}
        self._latest: Compiled | None = None

    def __call__(self, *arguments: Any) -> Any:
        compiled, words = self._packed(arguments)
        status = compiled.run(words)
        if status:
            raise Raised(error_of(status))
        return None if compiled.returns is NOTHING else _returned(compiled.returns, words)

    def packed(self, *arguments: Any) -> Call:
        """A call of the function, which is compiled on the first call with these types of arguments."""
        compiled, words = self._packed(arguments)
        return Call(compiled, words, arguments)

    def _packed(self, arguments: tuple[Any, ...]) -> tuple[Compiled, Any]:
        """The code for the types of the arguments, and the words. Each call has its own words: threads make calls."""
        compiled = self._latest
        if compiled is not None:
            words = compiled.read(arguments)
            if words is not None:
                return compiled, words
        packed: list[int] = []
        types: list[Any] = []
        _pack(arguments, packed, types)
        key = tuple(types)
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = self._compile(tuple(map(_type_of, arguments)))
        self._latest = compiled
        return compiled, compiled.packed(packed, arguments)

    def _compile(self, types: tuple[Any, ...]) -> Compiled:
        from minigr.jit.native.compile import compiled

        with _compiling:
            run, returns = compiled(self.__wrapped__, self._name, types, self._functors)
        return Compiled(run, returns, types)


def _pack(arguments: tuple[Any, ...], words: list[int], types: list[Any]) -> None:
    """Append the words of arguments and the facts that determine their types. This takes time in each call."""
    for value in arguments:
        kind = type(value)
        if kind is np.ndarray or (kind not in _PLAIN and isinstance(value, np.ndarray)):  # the second check is slow
            flags = value.flags.num
            if not flags & C_ORDER:
                raise TypeError(f"a kernel takes arrays in C order, not one with strides {value.strides}")
            words.append(id(value))
            types += (value.dtype, value.ndim, flags & WRITEABLE)
        elif kind is int and -(1 << 63) <= value < 1 << 63:
            words.append(value)
            types.append(kind)
        elif kind is tuple:
            types.append(len(value))
            _pack(value, words, types)
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
    """The number of words of arguments."""
    return sum(_words_of(each.items) if isinstance(each, Tuple) else 1 for each in types)


def _type_of(value: Any) -> Any:
    """The type of an argument in native code."""
    if isinstance(value, np.ndarray):
        return array(number_of(value.dtype), value.ndim, bool(value.flags.writeable))
    if isinstance(value, tuple):
        return tuple_of(tuple(map(_type_of, value)))
    if isinstance(value, np.generic):
        return number_of(value.dtype)
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT64 if value < 1 << 63 else UINT64
    return FLOAT64


def _returned(kind: Any, words: Any, place: int = 0) -> Any:
    """The result of the function, from its words."""
    if isinstance(kind, Tuple):
        found = []
        for item in kind.items:
            found.append(_returned(item, words, place))
            place += len(item.parts)
        return tuple(found)
    if kind is NOTHING:
        return None
    if kind is INT64:
        return words[place]
    word = struct.pack("<q", words[place])
    if kind.kind == "f":
        return struct.unpack("<f", word[:4])[0] if kind.bits == 32 else struct.unpack("<d", word)[0]
    return bool(word[0]) if kind is BOOL else int(np.frombuffer(word, kind.name, 1)[0])
