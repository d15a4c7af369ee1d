"""Sequentially consistent access to words, and yielding. The barriers of CPU threads are made of these."""

import sys

from minigr.jit.native.code import NONE, Value
from minigr.jit.native.memory import fetch, primitive, word_at
from minigr.jit.native.types import INT32, INT64

_ORDER = "seq_cst"


@primitive
def fetch_add(code, array, index, value):
    """Sequentially consistent add to ``array[index]`` (int64); return the old value."""
    old = fetch(code, "add", "i64", word_at(code, array, index), code.cast(value, INT64).parts[0], _ORDER)
    return Value(INT64, (old,))


@primitive
def exchange(code, array, index, value):
    """Sequentially consistent store to ``array[index]`` (int32); return the old value."""
    word = code.cast(value, INT32).parts[0]
    return Value(INT32, (fetch(code, "xchg", "i32", word_at(code, array, index), word, _ORDER),))


@primitive
def load(code, array, index):
    """Sequentially consistent load of ``array[index]`` (int64)."""
    return Value(INT64, (code.new(f"load atomic i64, ptr {word_at(code, array, index)} {_ORDER}, align 8"),))


@primitive
def store(code, array, index, value):
    """Sequentially consistent store to ``array[index]`` (int64)."""
    code.writes = True
    word = code.cast(value, INT64).parts[0]
    code.do(f"store atomic i64 {word}, ptr {word_at(code, array, index)} {_ORDER}, align 8")
    return NONE


@primitive
def yield_processor(code):
    """Let another thread run, if the platform has ``sched_yield``; otherwise do nothing."""
    if sys.platform != "win32":
        code.module.declare("declare i32 @sched_yield()")
        code.new("call i32 @sched_yield()")
    return NONE
