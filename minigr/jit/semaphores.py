"""Waits for other threads, and calls of code by address, in kernels for the CPU. The threads of a pool use them.

A semaphore has 32 bytes on Linux.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

from minigr.errors import DeviceError
from minigr.jit.native.code import NONE, Value
from minigr.jit.native.memory import primitive, word_at
from minigr.jit.native.types import INT64

_CALL = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i64 @minigr_call(i64 %function, i64 %words, i64 %count, i64 %first) noinline {
  %own = alloca i64, i64 %count
  %from = inttoptr i64 %words to ptr
  %bytes = shl i64 %count, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %from, i64 %bytes, i1 false)
  store i64 %first, ptr %own
  %code = inttoptr i64 %function to ptr
  %status = call i64 %code(ptr %own)
  ret i64 %status
}
"""


def make(address: int) -> None:
    """Make a semaphore of the system at an address.

    Raises
    ------
    DeviceError
        If the system has no such semaphores.
    """
    library: Any = ctypes.CDLL(None) if os.name == "posix" else None
    if not hasattr(library, "sem_init") or library.sem_init(ctypes.c_void_p(address), 0, 0):
        raise DeviceError(
            "teams of threads need unnamed POSIX semaphores, which this system does not have: set MINIGR_NUM_THREADS=1"
        )


@primitive
def sleep(code, array, index):
    """Sleep at the semaphore at ``array[index]`` until another thread wakes this one."""
    code.module.declare("declare i32 @sem_wait(ptr)")
    address, again, leave = word_at(code, array, index), code.label("again"), code.label("left")
    code.begin(again)
    # A signal to this thread also ends the wait.
    code.branch(code.new(f"icmp eq i32 {code.new(f'call i32 @sem_wait(ptr {address})')}, 0"), leave, again)
    code.begin(leave)
    return NONE


@primitive
def wake(code, array, index):
    """Wake a thread that sleeps at the semaphore at ``array[index]``, or the next thread that comes."""
    code.module.declare("declare i32 @sem_post(ptr)")
    code.new(f"call i32 @sem_post(ptr {word_at(code, array, index)})")
    return NONE


@primitive
def call_at(code, function, words, count, first):
    """Call an entry at an address with a copy of `count` words, the first replaced by `first`; return its status."""
    code.module.declare(_CALL)
    code.writes = True
    given = ", ".join(f"i64 {code.word(each)}" for each in (function, words, count, first))
    return Value(INT64, (code.new(f"call i64 @minigr_call({given})"),))
