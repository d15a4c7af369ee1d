"""The time, in kernels for the CPU."""

import sys
import time

from minigr.jit.native.code import Value
from minigr.jit.native.memory import primitive
from minigr.jit.native.types import INT64


@primitive
def ticks(code):
    """The value of a monotonic clock, in a unit of the platform of at most a microsecond."""
    if sys.platform == "win32":
        count = code.variable("i64")
        code.module.declare("declare i32 @QueryPerformanceCounter(ptr)")
        code.new(f"call i32 @QueryPerformanceCounter(ptr {count})")
        return Value(INT64, (code.new(f"load i64, ptr {count}"),))
    found = code.variable("[2 x i64]")  # a `timespec`: seconds, nanoseconds
    code.module.declare("declare i32 @clock_gettime(i32, ptr)")
    code.new(f"call i32 @clock_gettime(i32 {time.CLOCK_MONOTONIC}, ptr {found})")
    seconds = code.new(f"load i64, ptr {found}")
    rest = code.new(f"load i64, ptr {code.new(f'getelementptr i64, ptr {found}, i64 1')}")
    return Value(INT64, (code.new(f"add i64 {code.new(f'mul i64 {seconds}, 1000000000')}, {rest}"),))
