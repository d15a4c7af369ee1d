"""Access to memory that is more than a read or a write of an element: atomics, and what they are made of."""

from __future__ import annotations

from typing import Any

from minigr.jit.index_checks import FIELD_WORDS, RECORD_WORDS, place_of
from minigr.jit.native.calls import translates
from minigr.jit.native.code import Code, Known, Value
from minigr.jit.native.errors import status_of
from minigr.jit.native.types import Array, Checked, Number, Unknown, checked

_RELAXED = "monotonic"


def primitive(function: Any) -> Any:
    """Have kernels call what is written by ``function(code, *arguments)`` where they call `function`; a decorator."""
    translates(function)(lambda code, arguments: function(code, *arguments))
    return function


def word_at(code: Any, array: Value, index: Value) -> str:
    """The address of an element at a position that is not counted from the end."""
    if not isinstance(array.type, Array) or array.type.ndim != 1:
        raise Unknown(f"an access to {array.type}")
    address: str = code.at(array, code.word(index))
    return address


def fetch(code: Any, operation: str, kind: str, address: str, value: str, order: str) -> str:
    """Change a word by an operation of LLVM's ``atomicrmw``, or plainly where a thread is alone; the word before."""
    code.writes = True
    if not code.module.alone:
        return str(code.new(f"atomicrmw {operation} ptr {address}, {kind} {value} {order}"))
    old = code.new(f"load {kind}, ptr {address}")
    changed = value if operation == "xchg" else code.new(f"{operation} {kind} {old}, {value}")
    code.do(f"store {kind} {changed}, ptr {address}")
    return str(old)


def _field(code: Any, name: str, arguments: list[Any], count: int, elements: tuple[str, ...]) -> tuple[Value, str]:
    """The array that an atomic is given, and the address of the element."""
    if len(arguments) != count or any(isinstance(each, Known) for each in arguments):
        raise Unknown(f"these arguments of {name}")
    array, index = arguments[:2]
    if not isinstance(array.type, (Array, Checked)) or array.type.element.name not in elements:
        raise Unknown(f"{name} of {array.type}")
    if not array.type.writable or not isinstance(index.type, Number) or index.type.kind == "f":
        raise Unknown(f"{name} of {array.type} at {index.type}")
    if isinstance(array.type, Checked):
        return array, code.element(array, [index])
    return array, word_at(code, array, index)


def _whole(number: Number) -> str:
    """The integer type with the bits of a number."""
    return f"i{number.bits}"


def _as_bits(code: Code, value: Value) -> str:
    return value.parts[0] if value.type.kind != "f" else code.new(
        f"bitcast {value.type.register} {value.parts[0]} to {_whole(value.type)}"
    )  # fmt: skip


def _from_bits(code: Code, number: Number, bits: str) -> Value:
    if number.kind == "f":
        bits = code.new(f"bitcast {_whole(number)} {bits} to {number.register}")
    return Value(number, (bits,))


def add(code: Any, name: str, arguments: list[Any], elements: tuple[str, ...]) -> Value:
    """``atomic_add``."""
    array, address = _field(code, name, arguments, 3, elements)
    number = array.type.element
    value = code.cast(arguments[2], number)
    operation = "fadd" if number.kind == "f" else "add"
    return Value(number, (fetch(code, operation, number.register, address, value.parts[0], _RELAXED),))


def bit_or(code: Any, name: str, arguments: list[Any], elements: tuple[str, ...]) -> Value:
    """``atomic_or``."""
    array, address = _field(code, name, arguments, 3, elements)
    number = array.type.element
    value = code.cast(arguments[2], number)
    return Value(number, (fetch(code, "or", number.register, address, value.parts[0], _RELAXED),))


def exchange(code: Any, name: str, arguments: list[Any], elements: tuple[str, ...]) -> Value:
    """``atomic_exch``."""
    array, address = _field(code, name, arguments, 3, elements)
    number = array.type.element
    bits = _as_bits(code, code.cast(arguments[2], number))
    return _from_bits(code, number, fetch(code, "xchg", _whole(number), address, bits, _RELAXED))


def compare_and_swap(code: Any, name: str, arguments: list[Any], elements: tuple[str, ...]) -> Value:
    """``atomic_cas``."""
    array, address = _field(code, name, arguments, 4, elements)
    number = array.type.element
    expected, value = (_as_bits(code, code.cast(each, number)) for each in arguments[2:])
    return _from_bits(code, number, _swap(code, _whole(number), address, expected, value)[0])


def _swap(code: Any, kind: str, address: str, expected: str, value: str) -> tuple[str, str]:
    """Compare and swap: the bits before, and whether they were the expected ones."""
    code.writes = True
    if not code.module.alone:
        found = code.new(f"cmpxchg ptr {address}, {kind} {expected}, {kind} {value} {_RELAXED} {_RELAXED}")
        pair = f"{{ {kind}, i1 }} {found}"
        return code.new(f"extractvalue {pair}, 0"), code.new(f"extractvalue {pair}, 1")
    old = code.new(f"load {kind}, ptr {address}")
    same = code.new(f"icmp eq {kind} {old}, {expected}")
    code.do(f"store {kind} {code.new(f'select i1 {same}, {kind} {value}, {kind} {old}')}, ptr {address}")
    return old, same


def extremum(code: Any, name: str, arguments: list[Any], elements: tuple[str, ...]) -> Value:
    """``atomic_min`` and ``atomic_max``: a loop that ends without a write where the value is no better."""
    array, address = _field(code, name, arguments, 3, elements)
    number = array.type.element
    kind, sign = _whole(number), "l" if name == "atomic_min" else "g"
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
def checked_field(code: Any, checks: Value, number: Value, array: Value) -> Value:
    """The field `number` of the words `checks`, for elements of the type that `array` has."""
    if not isinstance(array.type, Array) or array.type.ndim != 1 or not isinstance(number.known, int):
        raise Unknown(f"a checked field of {array.type}")
    first = RECORD_WORDS + number.known * FIELD_WORDS
    address = code.new(f"getelementptr i64, ptr {checks.parts[0]}, i64 {first}")
    return Value(checked(array.type.element, array.type.writable), (address,))


def checked_element(code: Any, field: Value, index: Value, line: int) -> str:
    """The address of an element of a checked field; the function ends before it if there is no such element."""

    def word(position: int) -> str:
        at = code.new(f"getelementptr i64, ptr {field.parts[0]}, i64 {position}")
        return str(code.new(f"load i64, ptr {at}"))

    place = code.word(index)
    outside = code.new(f"icmp uge i64 {place}, {word(1)}")  # a negative one is above all
    wrong, fill, leave, right = (code.label(each) for each in ("wrong", "fill", "leave", "right"))
    code.branch(outside, wrong, right, ", !prof !2")
    code.begin(wrong)
    record = code.new(f"inttoptr i64 {word(3)} to ptr")
    claimed = code.new(f"cmpxchg ptr {record}, i64 0, i64 1 {_RELAXED} {_RELAXED}")
    code.branch(code.new(f"extractvalue {{ i64, i1 }} {claimed}, 1"), fill, leave)
    code.begin(fill)
    where = place_of(code.function.__code__.co_filename, line)
    for position, value in enumerate((word(2), str(where), place), start=1):
        code.do(f"store i64 {value}, ptr {code.new(f'getelementptr i64, ptr {record}, i64 {position}')}")
    code.begin(leave)
    code.fail(str(status_of(IndexError)))
    code.begin(right)
    data = code.new(f"inttoptr i64 {word(0)} to ptr")
    return str(code.new(f"getelementptr {field.type.element.memory}, ptr {data}, i64 {place}"))
