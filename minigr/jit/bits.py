"""Bit counts, bit searches and similar operations in kernels for the CPU, with few instructions each."""

from collections.abc import Iterable

from minigr.jit.native.code import Value
from minigr.jit.native.memory import primitive, word_at
from minigr.jit.native.types import INT64, UINT64

_LANES = 16
_WORDS = f"<{_LANES} x i32>"
_LOADS = f"{_WORDS} @llvm.masked.load.v{_LANES}i32.p0(ptr"
_GATHERS = f"{_WORDS} @llvm.masked.gather.v{_LANES}i32.v{_LANES}p0(<{_LANES} x ptr>"
_ONES = f"{_WORDS} @llvm.ctpop.v{_LANES}i32({_WORDS}"
_TOTAL = f"i32 @llvm.vector.reduce.add.v{_LANES}i32({_WORDS}"
_LEAST = "i32 @llvm.smin.i32(i32"
_DECLARED = (
    f"declare {_LOADS}, i32, <{_LANES} x i1>, {_WORDS})",
    f"declare {_GATHERS}, i32, <{_LANES} x i1>, {_WORDS})",
    f"declare {_ONES})",
    f"declare {_TOTAL})",
    f"declare {_LEAST}, i32)",
)
_REST = f"<{_LANES} x i1> %there, {_WORDS} zeroinitializer"  # the loaded elements, with 0 for absent elements


def _each(kind: str, values: Iterable[int]) -> str:
    return f"<{', '.join(f'{kind} {value}' for value in values)}>"


def _all(value: int) -> str:
    return _each("i32", [value] * _LANES)


def _sum_over(name: str, counted: str) -> str:
    """A function of two arrays that returns the sum of ``%counts``. `counted` computes these for one vector at a time.

    Sums are kept per lane, and the last elements are loaded with a mask. So no element is processed alone.
    """
    return f"""
define internal i64 @{name}(ptr %left, ptr %right, i64 %count) {{
  br label %head
head:
  %place = phi i64 [ 0, %0 ], [ %next, %body ]
  %sums = phi {_WORDS} [ zeroinitializer, %0 ], [ %more, %body ]
  %rest = sub i64 %count, %place
  %goes_on = icmp sgt i64 %rest, 0
  br i1 %goes_on, label %body, label %end
body:
  %some = trunc i64 %rest to i32
  %few = call {_LEAST} %some, i32 {_LANES})
  %first = insertelement {_WORDS} poison, i32 %few, i32 0
  %every = shufflevector {_WORDS} %first, {_WORDS} poison, {_WORDS} zeroinitializer
  %there = icmp slt {_WORDS} {_each("i32", range(_LANES))}, %every
  %right_at = getelementptr i32, ptr %right, i64 %place
  %right_words = call {_LOADS} %right_at, i32 4, {_REST})
{counted}
  %more = add {_WORDS} %sums, %counts
  %next = add i64 %place, {_LANES}
  br label %head
end:
  %total = call {_TOTAL} %sums)
  %result = zext i32 %total to i64
  ret i64 %result
}}"""


_MARKED = _sum_over(
    "marked_of",
    f"""  %words = lshr {_WORDS} %right_words, {_all(5)}
  %wide = zext {_WORDS} %words to <{_LANES} x i64>
  %at = getelementptr i32, ptr %left, <{_LANES} x i64> %wide
  %found = call {_GATHERS} %at, i32 4, {_REST})
  %bits = and {_WORDS} %right_words, {_all(31)}
  %shifted = lshr {_WORDS} %found, %bits
  %counts = and {_WORDS} %shifted, {_all(1)}""",
)
_COMMON = _sum_over(
    "common_of",
    f"""  %left_at = getelementptr i32, ptr %left, i64 %place
  %left_words = call {_LOADS} %left_at, i32 4, {_REST})
  %both = and {_WORDS} %left_words, %right_words
  %counts = call {_ONES} %both)""",
)


@primitive
def count_ones(code, word):
    """The number of set bits in `word` (uint64), as int64."""
    code.module.declare("declare i64 @llvm.ctpop.i64(i64)")
    return Value(INT64, (code.new(f"call i64 @llvm.ctpop.i64(i64 {code.cast(word, UINT64).parts[0]})"),), None, True)


@primitive
def lowest_one(code, word):
    """The position of the lowest set bit in `word` (uint64), as int64; 64 if no bit is set."""
    code.module.declare("declare i64 @llvm.cttz.i64(i64, i1)")
    (text,) = code.cast(word, UINT64).parts
    return Value(INT64, (code.new(f"call i64 @llvm.cttz.i64(i64 {text}, i1 false)"),), None, True)


def _call(code, name, text, left, right, begin, count):
    for line in (*_DECLARED, text):
        code.module.declare(line)
    arguments = f"ptr {left.parts[0]}, ptr {word_at(code, right, begin)}, i64 {code.cast(count, INT64).parts[0]}"
    return Value(INT64, (code.new(f"call i64 @{name}({arguments})"),), None, True)


@primitive
def marked_of(code, bits, ids, begin, count):
    """The number of vertices in ``ids[begin : begin + count]`` (int32) whose bit is set in `bits` (uint32 words)."""
    return _call(code, "marked_of", _MARKED, bits, ids, begin, count)


@primitive
def common_of(code, left, right, begin, count):
    """The number of bits set in both ``left[:count]`` and ``right[begin : begin + count]`` (uint32 words)."""
    return _call(code, "common_of", _COMMON, left, right, begin, count)


@primitive
def leading_zeros(code, word):
    """The number of bits above the highest set bit in `word` (uint64), as int64; 64 if no bit is set."""
    code.module.declare("declare i64 @llvm.ctlz.i64(i64, i1)")
    (text,) = code.cast(word, UINT64).parts
    return Value(INT64, (code.new(f"call i64 @llvm.ctlz.i64(i64 {text}, i1 false)"),), None, True)


@primitive
def high_product(code, left, right):
    """The upper 64 bits of the 128-bit product of two words (uint64)."""
    wide = [code.new(f"zext i64 {code.cast(each, UINT64).parts[0]} to i128") for each in (left, right)]
    product = code.new(f"mul i128 {wide[0]}, {wide[1]}")
    high = code.new(f"lshr i128 {product}, 64")
    return Value(UINT64, (code.new(f"trunc i128 {high} to i64"),))


@primitive
def sum_of_first(code, a, b, c, d, count):
    """The sum of the first `count`, from 0 to 4, of four floats of the same type.

    The other floats are masked with words of a table, two at a time. A comparison for each of them would double the
    time.
    """
    number = a.type
    word, pair, mask = f"i{number.bits}", f"<2 x {number.register}>", f"<2 x i{number.bits}>"
    table = f"@first_{number.bits}"
    words = ", ".join([f"{word} -1"] * 4 + [f"{word} 0"] * 4)
    code.module.declare(f"{table} = private unnamed_addr constant [8 x {word}] [{words}], align 64")
    begin = code.new(f"sub i64 4, {code.cast(count, INT64).parts[0]}")
    pairs = []
    for place, two in enumerate(((a, b), (c, d))):
        both = "poison"
        for lane, value in enumerate(two):
            both = code.new(f"insertelement {pair} {both}, {number.register} {value.parts[0]}, i32 {lane}")
        at = code.new(f"getelementptr {word}, ptr {table}, i64 {code.new(f'add i64 {begin}, {2 * place}')}")
        kept = code.new(f"load {mask}, ptr {at}, align {number.bits // 8}")
        bits = code.new(f"and {mask} {code.new(f'bitcast {pair} {both} to {mask}')}, {kept}")
        pairs.append(code.new(f"bitcast {mask} {bits} to {pair}"))
    sums = code.new(f"fadd {pair} {pairs[0]}, {pairs[1]}")
    one, other = (code.new(f"extractelement {pair} {sums}, i32 {lane}") for lane in range(2))
    return Value(number, (code.new(f"fadd {number.register} {one}, {other}"),))
