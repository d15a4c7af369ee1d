"""Memory accesses other than reads and writes of elements: atomics, and their building blocks."""

from __future__ import annotations

from typing import Any

from minigr.jit.index_checks import FIELD_WORDS, RECORD_WORDS
from minigr.jit.native.calls import translates
from minigr.jit.native.code import Code, Known, Value
from minigr.jit.native.elements import Elements
from minigr.jit.native.types import Array, Checked, Number, Rows, Unknown, checked, rows
from minigr.jit.plain_atomics import allowed_elements, operation_of

_RELAXED = "monotonic"
_UNROLLED = 32  # columns up to which LLVM may unroll a loop, which leaves no loop to vectorize


def primitive(function: Any) -> Any:
    """Translate calls of `function` in kernels by ``function(code, *arguments)``; a decorator."""
    translates(function)(lambda code, arguments: function(code, *arguments))
    return function


def word_at(code: Elements, array: Value, index: Value) -> str:
    """The address of an element. A negative position does not count from the end."""
    if not isinstance(array.type, Array) or array.type.ndim != 1:
        raise Unknown(f"an access to {array.type}")
    return code.at(array, code.word(index))


def fetch(code: Elements, operation: str, kind: str, address: str, value: str, order: str) -> str:
    """Change a word by LLVM's ``atomicrmw``, or by plain accesses if the thread is alone; return the old word."""
    code.writes = True
    if not code.module.alone:
        return code.new(f"atomicrmw {operation} ptr {address}, {kind} {value} {order}")
    old = code.new(f"load {kind}, ptr {address}")
    changed = value if operation == "xchg" else code.new(f"{operation} {kind} {old}, {value}")
    code.do(f"store {kind} {changed}, ptr {address}")
    return old


def _field(code: Elements, name: str, arguments: list[Any], count: int, elements: tuple[str, ...]) -> tuple[Value, str]:
    """The array argument of an atomic, and the address of the element."""
    if len(arguments) != count or any(isinstance(each, Known) for each in arguments):
        raise Unknown(f"these arguments of {name}")
    array, index = arguments[:2]
    if not isinstance(array.type, (Array, Rows, Checked)) or array.type.element.name not in elements:
        raise Unknown(f"{name} of {array.type}")
    if not array.type.writable:
        raise Unknown(f"{name} of {array.type}")
    if isinstance(array.type, Array):
        code.refuse_outside([index])
        return array, word_at(code, array, index)
    return array, code.element(array, [index])


def translate_atomic(atomic: Any, emit: Any) -> None:
    """Translate calls of an atomic by ``emit(code, name, arguments, dtypes of elements)``."""
    name = atomic.__name__
    translates(atomic)(lambda code, arguments: emit(code, name, arguments, allowed_elements(name)))


def _whole(number: Number) -> str:
    """The integer type with as many bits as a number type."""
    return f"i{number.bits}"


def _as_bits(code: Code, value: Value) -> str:
    return value.parts[0] if value.type.kind != "f" else code.new(
        f"bitcast {value.type.register} {value.parts[0]} to {_whole(value.type)}"
    )  # fmt: skip


def _from_bits(code: Code, number: Number, bits: str) -> Value:
    if number.kind == "f":
        bits = code.new(f"bitcast {_whole(number)} {bits} to {number.register}")
    return Value(number, (bits,))


def add(code: Elements, name: str, arguments: list[Any], elements: tuple[str, ...]) -> Value:
    """``atomic_add`` and ``atomic_or``, and their warp functions."""
    array, address = _field(code, name, arguments, 3, elements)
    number = array.type.element
    value = code.cast(arguments[2], number)
    operation = "or" if operation_of(name) == "or" else "fadd" if number.kind == "f" else "add"
    return Value(number, (fetch(code, operation, number.register, address, value.parts[0], _RELAXED),))


def exchange(code: Elements, name: str, arguments: list[Any], elements: tuple[str, ...]) -> Value:
    """``atomic_exch``."""
    array, address = _field(code, name, arguments, 3, elements)
    number = array.type.element
    bits = _as_bits(code, code.cast(arguments[2], number))
    return _from_bits(code, number, fetch(code, "xchg", _whole(number), address, bits, _RELAXED))


def compare_and_swap(code: Elements, name: str, arguments: list[Any], elements: tuple[str, ...]) -> Value:
    """``atomic_cas``."""
    array, address = _field(code, name, arguments, 4, elements)
    number = array.type.element
    expected, value = (_as_bits(code, code.cast(each, number)) for each in arguments[2:])
    return _from_bits(code, number, _swap(code, _whole(number), address, expected, value)[0])


def _swap(code: Elements, kind: str, address: str, expected: str, value: str) -> tuple[str, str]:
    """Compare and swap; return the old bits, and whether they were the expected bits."""
    code.writes = True
    if not code.module.alone:
        found = code.new(f"cmpxchg ptr {address}, {kind} {expected}, {kind} {value} {_RELAXED} {_RELAXED}")
        pair = f"{{ {kind}, i1 }} {found}"
        return code.new(f"extractvalue {pair}, 0"), code.new(f"extractvalue {pair}, 1")
    old = code.new(f"load {kind}, ptr {address}")
    same = code.new(f"icmp eq {kind} {old}, {expected}")
    code.do(f"store {kind} {code.new(f'select i1 {same}, {kind} {value}, {kind} {old}')}, ptr {address}")
    return old, same


def extremum(code: Elements, name: str, arguments: list[Any], elements: tuple[str, ...]) -> Value:
    """``atomic_min``, ``atomic_max`` and their warp functions: a loop that ends without a write if there is no gain."""
    array, address = _field(code, name, arguments, 3, elements)
    number = array.type.element
    kind, sign = _whole(number), "l" if operation_of(name) == "min" else "g"
    value = code.cast(arguments[2], number)
    bits = _as_bits(code, value)
    code.writes = True
    order = f"{_RELAXED}, align {number.bits // 8}"
    alone = code.module.alone
    first = code.new(f"load {kind}, ptr {address}" if alone else f"load atomic {kind}, ptr {address} {order}")
    before, test, swap, leave = code.block, code.label("test"), code.label("swap"), code.label("left")
    code.jump(test)
    code.begin(test)
    current, again = code.new(""), len(code.lines) - 1
    seen = _from_bits(code, number, current)
    test_name = f"fcmp o{sign}t" if number.kind == "f" else f"icmp s{sign}t"
    code.branch(code.new(f"{test_name} {number.register} {value.parts[0]}, {seen.parts[0]}"), swap, leave)
    code.begin(swap)
    found, done = _swap(code, kind, address, current, bits)
    swapped = code.block
    code.branch(done, leave, test)
    code.begin(leave)
    code.lines[again] = f"  {current} = phi {kind} [{first}, %{before}], [{found}, %{swapped}]"
    return seen


@primitive
def row_field(code: Elements, array: Value, columns: Value) -> Value:
    """A two-dimensional array as a field with `columns` columns."""
    if not isinstance(array.type, Array) or array.type.ndim != 2 or not isinstance(columns.known, int):
        raise Unknown(f"a field with columns of {array.type}")
    code.module.has_wide_rows |= columns.known > _UNROLLED
    return Value(rows(array.type.element, columns.known, array.type.writable), array.parts[:1])


@primitive
def checked_field(code: Elements, checks: Value, number: Value, array: Value, columns: Value) -> Value:
    """The checked field `number` of the words `checks`, with the element type of `array` and `columns`, or 0."""
    known = isinstance(number.known, int) and isinstance(columns.known, int)
    if not isinstance(array.type, Array) or not known or array.type.ndim != (2 if columns.known else 1):
        raise Unknown(f"a checked field of {array.type}")
    first = RECORD_WORDS + number.known * FIELD_WORDS
    address = code.new(f"getelementptr i64, ptr {checks.parts[0]}, i64 {first}")
    return Value(checked(array.type.element, columns.known, array.type.writable), (address,))
