"""The atomics of `minigr.jit.atomics` as functions that Numba knows, for functions that Numba compiles.

This module serves both targets. On the GPU, integer operations are single instructions. A float minimum is an integer
minimum or an unsigned maximum of the bits, depending on the sign of the value. This orders all floats except NaN. A
float add is inline PTX, because NVVM has no such instruction. On the CPU, minimum and maximum are compare-and-swap
loops that end without a write if the value is not an improvement.
"""

from functools import wraps

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import lower_builtin, type_callable

from minigr.jit import atomics
from minigr.jit.numba_fields import Field, element_pointer
from minigr.jit.plain_atomics import allowed_elements, wrong_elements

_ORDER = "monotonic"


def _atomic(write):
    """Make Numba compile calls of the atomic with the name of `write`, which writes the code of a call; a decorator.

    `write` gets the builder, the pointer to the element, whether the pointer is on a GPU, and the values.
    """
    register_atomic(getattr(atomics, write.__name__), write)
    return write


def register_atomic(atomic, write):
    """Make Numba compile calls of `atomic`, an atomic of any name, with `write`."""

    @type_callable(atomic)
    def typed(context):
        @wraps(atomic)
        def typer(*args, **kwargs):
            array, index, *values = atomic.__signature__.bind(*args, **kwargs).args
            element = _element_type(atomic.__name__, array, index)
            place = array.index if isinstance(array, Field) else types.intp
            return element(array, place, *[element] * len(values))

        return typer

    @lower_builtin(atomic, types.Any, types.intp, types.VarArg(types.Any))
    @lower_builtin(atomic, types.Any, types.UniTuple, types.VarArg(types.Any))
    def lowered(context, builder, signature, args):
        array_type = signature.args[0]
        pointer = element_address(context, builder, array_type, args[0], args[1])
        return write(builder, pointer, _on_gpu(array_type), *args[2:])


def element_address(context, builder, array_type, array, index):
    """The pointer to an element of a field. A negative index does not count from the end."""
    if isinstance(array_type, Field):
        return element_pointer(context, builder, array_type, array, index)
    view = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, view, [index], wraparound=False)


def _element_type(name, array, index):
    element = array.dtype if isinstance(array, (types.Array, Field)) else None
    if element is None:
        raise TypingError(f"{name} needs a field, got {array}")
    if str(element) not in allowed_elements(name):
        raise TypingError(wrong_elements(name, element))
    if not getattr(array, "mutable", True):
        raise TypingError(f"{name} needs a field that it may write to, got {array}: its array is read-only")
    if getattr(array, "columns", 0):
        if not array.takes(index):
            raise TypingError(f"{name} needs two whole numbers as the index of a field with columns, got {index}")
    elif not isinstance(index, (types.Integer, types.Boolean)):
        raise TypingError(f"{name} needs a whole number as the index, got {index}")
    return element


def _on_gpu(array_type):
    """Whether a type is a field on a GPU. On the CPU, fields are arrays unless they have columns or are checked."""
    return isinstance(array_type, Field) and array_type.on_gpu


def _as_integer(builder, pointer, value):
    """`pointer` and `value` as integers of the same width, because compare-and-swap takes integers."""
    if isinstance(value.type, ir.IntType):
        return pointer, value
    integer = ir.IntType(32 if isinstance(value.type, ir.FloatType) else 64)
    return builder.bitcast(pointer, integer.as_pointer()), builder.bitcast(value, integer)


def _swap_while_better(builder, pointer, value, better):
    """Store `value` by compare-and-swap while `better(value, current)` holds; return the last value found."""
    bits_pointer, bits = _as_integer(builder, pointer, value)
    first = builder.load_atomic(bits_pointer, _ORDER, bits.type.width // 8)
    entry = builder.block
    test, swap, leave = (builder.append_basic_block(f"atomic.{name}") for name in ("test", "swap", "leave"))
    builder.branch(test)
    builder.position_at_end(test)
    current = builder.phi(bits.type)
    current.add_incoming(first, entry)
    seen = builder.bitcast(current, value.type)
    builder.cbranch(better(value, seen), swap, leave)
    builder.position_at_end(swap)
    result = builder.cmpxchg(bits_pointer, current, bits, _ORDER, _ORDER)
    current.add_incoming(builder.extract_value(result, 0), swap)
    builder.cbranch(builder.extract_value(result, 1), leave, test)
    builder.position_at_end(leave)
    return seen


def _gpu_float_extremum(builder, pointer, value, nonnegative, negative):
    """Apply signed `nonnegative` to the bits if the sign bit is clear, and unsigned `negative` if it is set."""
    bits_pointer, bits = _as_integer(builder, pointer, value)
    sign_set = builder.icmp_signed("<", bits, ir.Constant(bits.type, 0))
    with builder.if_else(sign_set) as (if_set, if_clear):
        with if_set:
            below = builder.atomic_rmw(negative, bits_pointer, bits, _ORDER)
            below_block = builder.block
        with if_clear:
            above = builder.atomic_rmw(nonnegative, bits_pointer, bits, _ORDER)
            above_block = builder.block
    old = builder.phi(bits.type)
    old.add_incoming(below, below_block)
    old.add_incoming(above, above_block)
    return builder.bitcast(old, value.type)


def _extremum(builder, pointer, on_gpu, value, is_min):
    is_float = not isinstance(value.type, ir.IntType)
    if not on_gpu:
        sign = "<" if is_min else ">"
        compare = builder.fcmp_ordered if is_float else builder.icmp_signed
        return _swap_while_better(builder, pointer, value, lambda new, seen: compare(sign, new, seen))
    if is_float:
        return _gpu_float_extremum(builder, pointer, value, *(("min", "umax") if is_min else ("max", "umin")))
    return builder.atomic_rmw("min" if is_min else "max", pointer, value, _ORDER)


@_atomic
def atomic_min(builder, pointer, on_gpu, value):
    """Lower the element to `value` if `value` is less; return the old value."""
    return _extremum(builder, pointer, on_gpu, value, True)


@_atomic
def atomic_max(builder, pointer, on_gpu, value):
    """Raise the element to `value` if `value` is greater; return the old value."""
    return _extremum(builder, pointer, on_gpu, value, False)


@_atomic
def atomic_add(builder, pointer, on_gpu, value):
    """Add `value` to the element; return the old value."""
    if isinstance(value.type, ir.IntType):
        return builder.atomic_rmw("add", pointer, value, _ORDER)
    if not on_gpu:
        return builder.atomic_rmw("fadd", pointer, value, _ORDER)
    letter, width = ("f", 32) if isinstance(value.type, ir.FloatType) else ("d", 64)
    function = ir.FunctionType(value.type, [pointer.type, value.type])
    asm = ir.InlineAsm(
        function, f"atom.add.f{width} $0, [$1], $2;", f"={letter},l,{letter},~{{memory}}", side_effect=True
    )
    return builder.call(asm, [pointer, value])


@_atomic
def atomic_or(builder, pointer, on_gpu, value):
    """Set the bits of `value` in the element; return the old value."""
    return builder.atomic_rmw("or", pointer, value, _ORDER)


@_atomic
def atomic_exch(builder, pointer, on_gpu, value):
    """Store `value` in the element; return the old value."""
    bits_pointer, bits = _as_integer(builder, pointer, value)
    return builder.bitcast(builder.atomic_rmw("xchg", bits_pointer, bits, _ORDER), value.type)


@_atomic
def atomic_cas(builder, pointer, on_gpu, expected, value):
    """Store `value` in the element if it equals `expected`; return the old value, which equals `expected` if stored."""
    bits_pointer, new = _as_integer(builder, pointer, value)
    result = builder.cmpxchg(bits_pointer, builder.bitcast(expected, new.type), new, _ORDER, _ORDER)
    return builder.bitcast(builder.extract_value(result, 0), value.type)
