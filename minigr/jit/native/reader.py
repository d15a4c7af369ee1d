"""Reads the arguments of a call as words in one call of compiled code, if their types are those of an earlier call.

Python takes a third of a microsecond to pack an argument, and a call has up to thirty. So the types of a call's
arguments are written down as *steps* of five words each, for a function that this module has in LLVM's language. The
function treats values that it can't read, such as a number beyond 64 bits, as values of another type. These calls are
packed in Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from minigr.jit import cache as files
from minigr.jit.private import (
    ARRAY_DIMENSIONS,
    ARRAY_DTYPE,
    ARRAY_FLAGS,
    OBJECT_TYPE,
    SCALAR_VALUE,
    TUPLE_ITEMS,
    TUPLE_LENGTH,
)

_STEP = 5
_ARRAY, _NUMBER, _TRUTH, _SIGNED, _UNSIGNED, _ENTER, _LEAVE, _END = range(8)
C_ORDER, WRITEABLE = 0x0001, 0x0400  # flags of an array

_TEXT = f"""
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)

define i64 @minigr_entry(ptr %arguments, ptr %steps, ptr %words) {{
start:
  %overflow = alloca i32
  %first = getelementptr i8, ptr %arguments, i64 {TUPLE_ITEMS}
  br label %next

next:
  %at = phi ptr [ %first, %start ], [ %after, %wrote ], [ %inside, %enter ], [ %outer, %leave ]
  %outer = phi ptr [ null, %start ], [ %outer, %wrote ], [ %behind, %enter ], [ null, %leave ]
  %step = phi ptr [ %steps, %start ], [ %step.next, %wrote ], [ %step.next, %enter ], [ %step.next, %leave ]
  %to = phi ptr [ %words, %start ], [ %to.next, %wrote ], [ %to, %enter ], [ %to, %leave ]
  %step.next = getelementptr i64, ptr %step, i64 {_STEP}
  %kind = load i64, ptr %step
  switch i64 %kind, label %item [ i64 {_LEAVE}, label %leave
                                  i64 {_END}, label %end ]

item:
  %object = load ptr, ptr %at
  %type.at = getelementptr i8, ptr %object, i64 {OBJECT_TYPE}
  %type = load i64, ptr %type.at
  %type.step = getelementptr i64, ptr %step, i64 1
  %type.asked = load i64, ptr %type.step
  %a.step = getelementptr i64, ptr %step, i64 2
  %a = load i64, ptr %a.step
  %same = icmp eq i64 %type, %type.asked
  br i1 %same, label %choose, label %other

choose:
  switch i64 %kind, label %other [ i64 {_ARRAY}, label %array
                                   i64 {_NUMBER}, label %number
                                   i64 {_TRUTH}, label %truth
                                   i64 {_SIGNED}, label %signed
                                   i64 {_UNSIGNED}, label %unsigned
                                   i64 {_ENTER}, label %enter.check ]

array:
  %dtype.at = getelementptr i8, ptr %object, i64 {ARRAY_DTYPE}
  %dtype = load i64, ptr %dtype.at
  %dimensions.at = getelementptr i8, ptr %object, i64 {ARRAY_DIMENSIONS}
  %dimensions = load i32, ptr %dimensions.at
  %dimensions.wide = sext i32 %dimensions to i64
  %b.step = getelementptr i64, ptr %step, i64 3
  %b = load i64, ptr %b.step
  %flags.at = getelementptr i8, ptr %object, i64 {ARRAY_FLAGS}
  %flags = load i32, ptr %flags.at
  %flags.known = and i32 %flags, {C_ORDER | WRITEABLE}
  %flags.wide = zext i32 %flags.known to i64
  %c.step = getelementptr i64, ptr %step, i64 4
  %c = load i64, ptr %c.step
  %dtype.same = icmp eq i64 %dtype, %a
  %dimensions.same = icmp eq i64 %dimensions.wide, %b
  %flags.same = icmp eq i64 %flags.wide, %c
  %two.same = and i1 %dtype.same, %dimensions.same
  %all.same = and i1 %two.same, %flags.same
  %address = ptrtoint ptr %object to i64
  br i1 %all.same, label %write, label %other

number:
  %whole = call i64 @PyLong_AsLongLongAndOverflow(ptr %object, ptr %overflow)
  %beyond = load i32, ptr %overflow
  %fits = icmp eq i32 %beyond, 0
  br i1 %fits, label %write, label %other

truth:
  %itself = ptrtoint ptr %object to i64
  %true = icmp eq i64 %itself, %a
  %bit = zext i1 %true to i64
  br label %write

signed:
  %signed.at = getelementptr i8, ptr %object, i64 {SCALAR_VALUE}
  %signed.bits = load i64, ptr %signed.at
  %signed.high = shl i64 %signed.bits, %a
  %signed.value = ashr i64 %signed.high, %a
  br label %write

unsigned:
  %unsigned.at = getelementptr i8, ptr %object, i64 {SCALAR_VALUE}
  %unsigned.bits = load i64, ptr %unsigned.at
  %unsigned.high = shl i64 %unsigned.bits, %a
  %unsigned.value = lshr i64 %unsigned.high, %a
  br label %write

write:
  %word = phi i64 [ %address, %array ], [ %whole, %number ], [ %bit, %truth ], [ %signed.value, %signed ],
                  [ %unsigned.value, %unsigned ]
  store i64 %word, ptr %to
  br label %wrote

wrote:
  %to.next = getelementptr i64, ptr %to, i64 1
  %after = getelementptr ptr, ptr %at, i64 1
  br label %next

enter.check:
  %length.at = getelementptr i8, ptr %object, i64 {TUPLE_LENGTH}
  %length = load i64, ptr %length.at
  %length.same = icmp eq i64 %length, %a
  br i1 %length.same, label %enter, label %other

enter:
  %inside = getelementptr i8, ptr %object, i64 {TUPLE_ITEMS}
  %behind = getelementptr ptr, ptr %at, i64 1
  br label %next

leave:
  br label %next

end:
  ret i64 1

other:
  ret i64 0
}}
"""


@cache
def _reader() -> Callable[[int, Any, Any], int]:
    """The compiled function. It is called with the GIL, because it calls Python."""
    from minigr.jit.native import machine

    key = files.key(__name__, machine.processor(), packages=("llvmlite",))
    code = files.read("cpu", key)
    if code is None:
        code = machine.machine_code(_TEXT)
        files.write("cpu", key, code)
    prototype = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    return machine.load(code, "minigr.reader", prototype)


class NoSteps(Exception):
    """Raised for arguments that must be packed in Python."""


class Reader:
    """Reads the words of arguments that have the same types as `arguments`.

    Parameters
    ----------
    arguments : tuple
    results : int
        The number of words that a call returns in place of the arguments.

    Raises
    ------
    NoSteps
        If the reader has no steps for such arguments: nested tuples, and values that are neither arrays nor numbers.
    """

    def __init__(self, arguments: tuple[Any, ...], results: int) -> None:
        self._length = len(arguments)
        steps = [*_steps(arguments), (_END,)]
        self._words = ctypes.c_int64 * max(results, sum(step[0] < _ENTER for step in steps))
        padded = [word for step in steps for word in (*step, *[0] * (_STEP - len(step)))]
        steps_words = (ctypes.c_int64 * len(padded))(*padded)
        self._steps = ctypes.addressof(steps_words)
        # An address identifies a type only while no other object can get this address.
        self._keeps = steps_words, [type(value) for value in arguments], [value.dtype for value in _arrays(arguments)]
        self._read = _reader()

    def __call__(self, arguments: tuple[Any, ...]) -> Any:
        """The words of arguments; None if the arguments have other types."""
        words = self._words()
        if len(arguments) == self._length and self._read(id(arguments), self._steps, words):
            return words
        return None


def _steps(values: tuple[Any, ...], *, nested: bool = False) -> Iterator[tuple[int, ...]]:
    """The steps for some arguments."""
    for value in values:
        kind = type(value)
        if kind is np.ndarray:
            yield _ARRAY, id(kind), id(value.dtype), value.ndim, value.flags.num & (C_ORDER | WRITEABLE)
        elif kind is bool:
            yield _TRUTH, id(kind), id(True)
        elif kind is int and value < 1 << 63:  # a greater integer has another type, which its object does not show
            yield _NUMBER, id(kind)
        elif kind is float:
            yield _SIGNED, id(kind), 0
        elif isinstance(value, (np.bool_, np.integer, np.floating)) and value.itemsize <= 8:
            signed = isinstance(value, (np.signedinteger, np.floating))
            yield _SIGNED if signed else _UNSIGNED, id(kind), 64 - 8 * value.itemsize
        elif kind is tuple and not nested:
            yield _ENTER, id(kind), len(value)
            yield from _steps(value, nested=True)
            yield (_LEAVE,)
        else:
            raise NoSteps(kind)


def _arrays(values: tuple[Any, ...]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from _arrays(value)
        elif isinstance(value, np.ndarray):
            yield value
