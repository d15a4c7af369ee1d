"""The time, for kernels on the CPU."""

import sys
import time
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic


def _ticks(typingctx):
    """A clock that only goes forward, in a unit of the platform's that is a microsecond or less."""

    def codegen(context, builder, signature, args):
        word, integer = ir.IntType(64), ir.IntType(32)
        if sys.platform == "win32":
            count = cgutils.alloca_once(builder, word)
            kind = ir.FunctionType(integer, [count.type])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "QueryPerformanceCounter"), [count])
            return builder.load(count)
        found = cgutils.alloca_once(builder, ir.LiteralStructType([word, word]))  # a `timespec`: seconds, nanoseconds
        kind = ir.FunctionType(integer, [integer, found.type])
        function = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(function, [integer(time.CLOCK_MONOTONIC), found])
        seconds, rest = (builder.extract_value(builder.load(found), i) for i in range(2))
        return builder.add(builder.mul(seconds, word(1_000_000_000)), rest)

    return types.int64(), codegen


ticks: Any = intrinsic(_ticks)  # a decorator's type would have the caller pass `typingctx`
