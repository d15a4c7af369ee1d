"""Counting and finding the bits of a 64-bit word, in kernels for the CPU: one instruction each where it has them."""

from minigr.jit.native.code import Value
from minigr.jit.native.memory import primitive
from minigr.jit.native.types import INT64, UINT64


@primitive
def count_ones(code, word):
    """How many bits of `word` (uint64) are set, as int64."""
    code.module.declare("declare i64 @llvm.ctpop.i64(i64)")
    return Value(INT64, (code.new(f"call i64 @llvm.ctpop.i64(i64 {code.cast(word, UINT64).parts[0]})"),), None, True)


@primitive
def lowest_one(code, word):
    """The position of the lowest bit that is set in `word` (uint64), as int64; 64 if none is."""
    code.module.declare("declare i64 @llvm.cttz.i64(i64, i1)")
    (text,) = code.cast(word, UINT64).parts
    return Value(INT64, (code.new(f"call i64 @llvm.cttz.i64(i64 {text}, i1 false)"),), None, True)
