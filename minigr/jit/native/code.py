"""The text of one function in LLVM's language: temporaries, blocks, variables, conversions."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigr.jit.native.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT64,
    NOTHING,
    NUMBERS,
    UINT64,
    Number,
    Tuple,
    Unknown,
    tuple_of,
)


class Value(NamedTuple):
    """A value in native code: its type, and the text of each of its parts.

    `known` is the Python number of a constant. `nonnegative` states that the value, as an index, can't be negative.
    """

    type: Any
    parts: tuple[str, ...]
    known: Any = None
    nonnegative: bool = False


class Known(NamedTuple):
    """A value that exists only while code is made: a function, a module, a dtype, a string, None."""

    value: Any


def constant(value: Any) -> Value:
    """A number that is known when code is made."""
    if isinstance(value, (bool, np.bool_)):
        return Value(BOOL, ("true" if value else "false",), bool(value))
    if isinstance(value, np.generic):
        number = NUMBERS.get(value.dtype.name)
        if number is None:
            raise Unknown(f"a number of dtype {value.dtype}")
        python = value.item()
    elif isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 64:
            raise Unknown(f"the number {value}")
        number, python = (INT64 if value < 1 << 63 else UINT64), int(value)
    else:
        number, python = FLOAT64, float(value)
    if number.kind == "f":
        return Value(number, (f"0x{struct.unpack('<Q', struct.pack('<d', python))[0]:016X}",), python)
    return Value(number, (str(python),), python, python >= 0)


NONE = Value(NOTHING, ())


def tuple_value(items: Sequence[Value]) -> Value:
    """The tuple of some values."""
    return Value(tuple_of(tuple(item.type for item in items)), tuple(part for item in items for part in item.parts))


class Code:
    """Collects the lines of a function."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.variables: list[str] = []
        self.block = "entry"
        self.ended = False
        self._targets: set[str] = set()
        self._count = 0

    # --- lines and blocks ----------------------------------------------------------------------------------------

    def new(self, text: str) -> str:
        """A temporary with the result of `text`."""
        self._count += 1
        name = f"%t{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Add an instruction without a result."""
        self.lines.append(f"  {text}")

    def label(self, hint: str) -> str:
        """A name for a block that begins later."""
        self._count += 1
        return f"{hint}{self._count}"

    def begin(self, label: str) -> None:
        """Begin a block. The previous block continues there unless it has ended."""
        self.jump(label)
        self.lines.append(f"{label}:")
        self.block, self.ended = label, False

    def jump(self, label: str) -> None:
        """End the block with a jump to `label`."""
        if not self.ended:
            self._targets.add(label)
            self.do(f"br label %{label}")
            self.ended = True

    def begin_if_reached(self, label: str) -> None:
        """Begin a block, if any path leads to it."""
        if not self.ended or label in self._targets:
            self.begin(label)

    def branch(self, condition: str, then: str, otherwise: str, weights: str = "") -> None:
        """End the block with a jump to one of two labels."""
        self._targets.update((then, otherwise))
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise}{weights}")
        self.ended = True

    def variable(self, part: str) -> str:
        """A slot on the stack."""
        self._count += 1
        name = f"%x{self._count}"
        self.variables.append(f"  {name} = alloca {part}")
        return name

    def choose(self, condition: str, then: Callable[[], Sequence[str]], otherwise: Callable[[], Sequence[str]],
               kinds: Sequence[str]) -> tuple[str, ...]:  # fmt: skip
        """The parts that one of two pieces of code computes."""
        yes, no, after = self.label("then"), self.label("else"), self.label("chosen")
        self.branch(condition, yes, no)
        self.begin(yes)
        first = then()
        first_end = self.block
        self.jump(after)
        self.begin(no)
        second = otherwise()
        second_end = self.block
        self.begin(after)
        return tuple(
            self.new(f"phi {kind} [{a}, %{first_end}], [{b}, %{second_end}]")
            for kind, a, b in zip(kinds, first, second, strict=True)
        )

    # --- memory --------------------------------------------------------------------------------------------------

    def load(self, number: Number, pointer: str) -> Value:
        """The number at an address."""
        if number is BOOL:
            return Value(BOOL, (self.new(f"trunc i8 {self.new(f'load i8, ptr {pointer}')} to i1"),))
        return Value(number, (self.new(f"load {number.memory}, ptr {pointer}"),))

    def store(self, value: Value, pointer: str) -> None:
        """Store a number at an address."""
        text = value.parts[0]
        if value.type is BOOL:
            text = self.new(f"zext i1 {text} to i8")
        self.do(f"store {value.type.memory} {text}, ptr {pointer}")

    # --- conversions ---------------------------------------------------------------------------------------------

    def cast(self, value: Value, to: Any) -> Value:
        """A value converted to another type; numbers and tuples of numbers."""
        if value.type is to:
            return value
        if isinstance(to, Tuple) and isinstance(value.type, Tuple) and len(to.items) == len(value.type.items):
            items = [self.cast(item, kind) for item, kind in zip(self.items(value), to.items, strict=True)]
            return Value(to, tuple(part for item in items for part in item.parts))
        if not (isinstance(to, Number) and isinstance(value.type, Number)):
            if value.type.parts == to.parts:  # a writable array as a read-only array
                return Value(to, value.parts)
            raise Unknown(f"{value.type} as {to}")
        if value.known is not None:
            folded = _fold(value.known, to)
            if folded is not None:
                return folded
        return Value(to, (self._converted(value, to),), None, value.nonnegative and to.is_whole and to.bits >= 32)

    def _converted(self, value: Value, to: Number) -> str:
        number, (text,) = value.type, value.parts
        if to is BOOL:
            compare, zero = ("fcmp une", "0.0") if number.kind == "f" else ("icmp ne", "0")
            return self.new(f"{compare} {number.register} {text}, {zero}")
        if number.kind == to.kind == "f":
            how = "fpext" if to is FLOAT64 else "fptrunc"
        elif number.kind == "f":
            how = "fptoui" if to.kind == "u" else "fptosi"
        elif to.kind == "f":
            how = "sitofp" if number.kind == "i" else "uitofp"
        elif number is BOOL:
            how = "zext"
        elif number.register == to.register:
            return text
        else:
            how = "trunc" if to.bits < number.bits else "sext" if number.kind == "i" else "zext"
        return self.new(f"{how} {number.register} {text} to {to.register}")

    def items(self, value: Value) -> list[Value]:
        """The items of a tuple."""
        found, place = [], 0
        for kind in value.type.items:
            end = place + len(kind.parts)
            found.append(Value(kind, value.parts[place:end]))
            place = end
        return found

    def word(self, value: Value) -> str:
        """An integer as a length, a position or an index."""
        if not (isinstance(value.type, Number) and value.type.kind != "f"):
            raise Unknown(f"an index of type {value.type}")
        return self.cast(value, INT64).parts[0]

    def truth(self, value: Value) -> str:
        """Whether a number is not zero."""
        if not isinstance(value.type, Number):
            raise Unknown(f"{value.type} as a condition")
        return self.cast(value, BOOL).parts[0]

    # --- numbers -------------------------------------------------------------------------------------------------

    def floor_divided(self, value: Value, by: Value, remainder: bool) -> Value:
        """``//`` or ``%`` of two integers of one type; division by zero gives zero."""
        number, kind = value.type, value.type.register
        (a,), (b,) = value.parts, by.parts
        sign = "u" if number.kind == "u" else "s"

        def divide() -> list[str]:
            if sign == "u":
                return [self.new(f"u{'rem' if remainder else 'div'} {kind} {a}, {b}")]
            rest = self.new(f"srem {kind} {a}, {b}")
            differs = self.new(f"icmp slt {kind} {self.new(f'xor {kind} {rest}, {b}')}, 0")
            below = self.new(f"and i1 {self.new(f'icmp ne {kind} {rest}, 0')}, {differs}")
            if remainder:
                return [self.new(f"add {kind} {rest}, {self.new(f'select i1 {below}, {kind} {b}, {kind} 0')}")]
            whole = self.new(f"sdiv {kind} {a}, {b}")
            return [self.new(f"add {kind} {whole}, {self.new(f'sext i1 {below} to {kind}')}")]

        if by.known is not None and by.known not in (0, -1):
            return Value(number, tuple(divide()), None, number.kind == "i" and by.known > 0 and value.nonnegative)
        fails = self.new(f"icmp eq {kind} {b}, 0")
        if sign == "s":
            least = self.new(f"icmp eq {kind} {a}, {-(1 << number.bits - 1)}")
            overflows = self.new(f"and i1 {least}, {self.new(f'icmp eq {kind} {b}, -1')}")
            fails = self.new(f"or i1 {fails}, {overflows}")
        return Value(number, self.choose(fails, lambda: ["0"], divide, [kind]))


def _fold(known: Any, to: Number) -> Value | None:
    """A known number as another type, if this type can hold the number."""
    if to is BOOL:
        return constant(bool(known))
    if to in (FLOAT32, FLOAT64):
        with np.errstate(all="ignore"):
            return constant(np.dtype(to.name).type(known))
    if isinstance(known, float):
        return None
    least = 0 if to.kind == "u" else -(1 << to.bits - 1)
    most = (1 << to.bits) - 1 if to.kind == "u" else (1 << to.bits - 1) - 1
    wrapped = (int(known) - least) % (1 << to.bits) + least
    return Value(to, (str(wrapped),), wrapped, wrapped >= 0) if least <= most else None
