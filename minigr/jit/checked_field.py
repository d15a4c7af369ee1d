"""Fields whose indexes are checked: what a functor's function is given in debug mode, on both targets.

A checked field is a pointer to four words: the address of the elements, how many there are, the number of the field,
and the address of the record. An access at an index that is out of range touches no element. The first such access of
all threads fills the record: the field, the index, and the place in the source. Then the function ends. On the CPU it
ends with an exception, which ends the run. A GPU has no exceptions: the function returns zero, and the loop stops at
the end of the step.

This module is the part that Numba compiles; `minigr.jit.index_checks` is the part on the host.
"""

from __future__ import annotations

import operator

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from minigr.jit.index_checks import place_of
from minigr.jit.private import place_compiled

_WORD = ir.IntType(64)
_ORDER = "monotonic"


class CheckedField(types.Type):
    """The Numba type of a checked field with elements of type `dtype`."""

    def __init__(self, dtype: types.Type, on_gpu: bool, mutable: bool = True) -> None:
        self.dtype, self.on_gpu, self.mutable = dtype, on_gpu, mutable
        read_only = "" if mutable else ", read-only"
        super().__init__(f"checked({dtype}, {'gpu' if on_gpu else 'cpu'}{read_only})")


@register_model(CheckedField)
class _CheckedFieldModel(models.PrimitiveModel):
    def __init__(self, manager, field):
        super().__init__(manager, field, _WORD.as_pointer())


@type_callable(operator.getitem)
def _getitem(context):
    def typer(field, index):
        if isinstance(field, CheckedField) and isinstance(index, types.Integer):
            return field.dtype(field, types.intp)
        return None

    return typer


@type_callable(operator.setitem)
def _setitem(context):
    def typer(field, index, value):
        if isinstance(field, CheckedField) and field.mutable and isinstance(index, types.Integer):
            return types.none(field, types.intp, field.dtype)
        return None

    return typer


@lower_builtin(operator.getitem, CheckedField, types.intp)
def _get_item(context, builder, signature, args):
    pointer = element_pointer(context, builder, signature.args[0], args[0], args[1])
    return context.unpack_value(builder, signature.return_type, pointer)


@lower_builtin(operator.setitem, CheckedField, types.intp, types.Any)
def _set_item(context, builder, signature, args):
    pointer = element_pointer(context, builder, signature.args[0], args[0], args[1])
    context.pack_value(builder, signature.args[2], args[2], pointer)
    return context.get_dummy_value()


def element_pointer(context, builder, field_type, field, index):
    """The pointer to an element of a checked field; code before it leaves the function if there is no such element."""
    check(context, builder, field_type, field, index)
    element = context.get_data_type(field_type.dtype)
    return builder.gep(builder.inttoptr(_word_of(builder, field, 0), element.as_pointer()), [index])


def _word_of(builder, field, position):
    return builder.load(builder.gep(field, [ir.Constant(_WORD, position)]))


def check(context, builder, field_type, field, index):
    """Leave the function if a checked field has no element at an index."""
    outside = builder.icmp_unsigned(">=", index, _word_of(builder, field, 1))  # a negative one is above all
    with builder.if_then(outside, likely=False):
        record = builder.inttoptr(_word_of(builder, field, 3), _WORD.as_pointer())
        none, filled = ir.Constant(_WORD, 0), ir.Constant(_WORD, 1)
        claimed = builder.extract_value(builder.cmpxchg(record, none, filled, _ORDER, _ORDER), 1)
        with builder.if_then(claimed):
            place = ir.Constant(_WORD, place_of(*place_compiled()))
            for position, value in enumerate((_word_of(builder, field, 2), place, index), start=1):
                builder.store(value, builder.gep(record, [ir.Constant(_WORD, position)]))
        _leave(context, builder, field_type)


def _leave(context, builder, field_type):
    """Leave the function. On the GPU that is the functor's function itself, because its helpers are inlined."""
    if not field_type.on_gpu:
        context.call_conv.return_user_exc(builder, IndexError, ("an index of a field is out of range",))
        return
    returned = builder.function.function_type.return_type
    if isinstance(returned, ir.VoidType):
        builder.ret_void()
    else:
        builder.ret(ir.Constant(returned, None))
