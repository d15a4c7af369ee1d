"""Counting and finding bits, in kernels for the CPU: few instructions each where it has them."""

from minigr.jit.native.code import Value
from minigr.jit.native.memory import primitive, word_at
from minigr.jit.native.types import INT64, NUMBERS, UINT64

_EIGHT, _SIXTEEN = "<8 x i32>", "<16 x i32>"


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


def _each(value: str) -> str:
    return f"<{', '.join([value] * 8)}>"


@primitive
def marked_of_eight(code, bits, ids, place):
    """How many of the eight vertices ``ids[place : place + 8]`` (int32) have their bit set in `bits` (uint32 words)."""
    gather, total = "@llvm.masked.gather.v8i32.v8p0", "@llvm.vector.reduce.add.v8i32"
    code.module.declare(f"declare {_EIGHT} {gather}(<8 x ptr>, i32, <8 x i1>, {_EIGHT})")
    code.module.declare(f"declare i32 {total}({_EIGHT})")
    vertices = code.new(f"load {_EIGHT}, ptr {word_at(code, ids, place)}, align 4")
    words = code.new(f"lshr {_EIGHT} {vertices}, {_each('i32 5')}")
    words = code.new(f"zext {_EIGHT} {words} to <8 x i64>")
    addresses = code.new(f"getelementptr i32, ptr {bits.parts[0]}, <8 x i64> {words}")
    found = code.new(
        f"call {_EIGHT} {gather}(<8 x ptr> {addresses}, i32 4, <8 x i1> {_each('i1 true')}, {_EIGHT} poison)"
    )
    bit = code.new(f"and {_EIGHT} {vertices}, {_each('i32 31')}")
    marks = code.new(f"and {_EIGHT} {code.new(f'lshr {_EIGHT} {found}, {bit}')}, {_each('i32 1')}")
    return Value(NUMBERS["uint32"], (code.new(f"call i32 {total}({_EIGHT} {marks})"),), None, True)


@primitive
def common_of_sixteen(code, left, place, right, other):
    """How many bits are set in both of sixteen words (uint32), ``left[place]`` and on and ``right[other]`` and on."""
    ones, total = "@llvm.ctpop.v16i32", "@llvm.vector.reduce.add.v16i32"
    code.module.declare(f"declare {_SIXTEEN} {ones}({_SIXTEEN})")
    code.module.declare(f"declare i32 {total}({_SIXTEEN})")
    words = [
        code.new(f"load {_SIXTEEN}, ptr {word_at(code, array, at)}, align 4")
        for array, at in ((left, place), (right, other))
    ]
    both = code.new(f"and {_SIXTEEN} {words[0]}, {words[1]}")
    counts = code.new(f"call {_SIXTEEN} {ones}({_SIXTEEN} {both})")
    return Value(NUMBERS["uint32"], (code.new(f"call i32 {total}({_SIXTEEN} {counts})"),), None, True)


@primitive
def leading_zeros(code, word):
    """How many bits of `word` (uint64) stand above the highest one that is set, as int64; 64 if none is."""
    code.module.declare("declare i64 @llvm.ctlz.i64(i64, i1)")
    (text,) = code.cast(word, UINT64).parts
    return Value(INT64, (code.new(f"call i64 @llvm.ctlz.i64(i64 {text}, i1 false)"),), None, True)


@primitive
def high_product(code, left, right):
    """The upper 64 bits of the product of two words (uint64) in 128 bits."""
    wide = [code.new(f"zext i64 {code.cast(each, UINT64).parts[0]} to i128") for each in (left, right)]
    product = code.new(f"mul i128 {wide[0]}, {wide[1]}")
    high = code.new(f"lshr i128 {product}, 64")
    return Value(UINT64, (code.new(f"trunc i128 {high} to i64"),))
