"""Prefetches of memory in kernels for the CPU."""

from minigr.jit.native.code import NONE
from minigr.jit.native.memory import primitive, word_at


def _ask(code, array, index, writes):
    code.module.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    code.do(f"call void @llvm.prefetch.p0(ptr {word_at(code, array, index)}, i32 {writes}, i32 3, i32 1)")
    return NONE


@primitive
def prefetch(code, array, index):
    """Begin to load the cache line of ``array[index]`` for reading; harmless for any index."""
    return _ask(code, array, index, 0)


@primitive
def prefetch_to_write(code, array, index):
    """Begin to load the cache line of ``array[index]`` for reading and writing; harmless for any index."""
    return _ask(code, array, index, 1)
