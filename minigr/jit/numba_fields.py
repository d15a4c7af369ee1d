"""Fields as Numba sees them: all fields on a GPU, and fields with columns and checked fields on the CPU.

A plain field is a pointer to its elements, stored row by row if it has columns. The number of columns is in the type.

A checked field is used in debug mode. It is a pointer to four words: the address of the elements, the number of
elements or rows, the number of the field, and the address of the record. An access with an index that is out of range
touches no element. The first such access of all threads fills the record with the field, the place in the source, and
the index. Then the function ends. On the CPU it ends with an exception, which ends the run. A GPU has no exceptions:
the function returns zero, and the loop stops at the end of the step. The part on the host is `minigr.jit.index_checks`.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model, type_callable

from minigr.jit.index_checks import place_of
from minigr.jit.private import place_compiled

_WORD = ir.IntType(64)
_ORDER = "monotonic"


class Field(types.Type):
    """The Numba type of fields with elements of type `dtype` and `columns` elements in a row, or 0 columns."""

    called = ""

    def __init__(self, dtype: types.Type, columns: int, on_gpu: bool, mutable: bool = True) -> None:
        self.dtype, self.columns, self.on_gpu, self.mutable = dtype, columns, on_gpu, mutable
        shape, read_only = f"[:, {columns}]" if columns else "[:]", "" if mutable else ", read-only"
        super().__init__(f"{self.called}({dtype}{shape}, {'gpu' if on_gpu else 'cpu'}{read_only})")

    @property
    def index(self) -> types.Type:
        """The type of the indexes."""
        return types.UniTuple(types.intp, 2) if self.columns else types.intp

    def takes(self, index: types.Type) -> bool:
        """Whether a value of the type `index` is an index of the field."""
        if not self.columns:
            return isinstance(index, types.Integer)
        items: tuple[Any, ...] = getattr(index, "types", ()) if isinstance(index, types.BaseTuple) else ()
        return len(items) == 2 and all(isinstance(each, types.Integer) for each in items)


class PlainField(Field):
    """The Numba type of a field that is a pointer to its elements."""

    called = "field"


class CheckedField(Field):
    """The Numba type of a checked field."""

    called = "checked"


@register_model(PlainField)
class _PlainFieldModel(models.PrimitiveModel):
    def __init__(self, manager, field):
        super().__init__(manager, field, manager.lookup(field.dtype).get_data_type().as_pointer())


@register_model(CheckedField)
class _CheckedFieldModel(models.PrimitiveModel):
    def __init__(self, manager, field):
        super().__init__(manager, field, _WORD.as_pointer())


@type_callable(operator.getitem)
def _getitem(context):
    def typer(field, index):
        return field.dtype(field, field.index) if isinstance(field, Field) and field.takes(index) else None

    return typer


@type_callable(operator.setitem)
def _setitem(context):
    def typer(field, index, value):
        if isinstance(field, Field) and field.mutable and field.takes(index):
            return types.none(field, field.index, field.dtype)
        return None

    return typer


@lower_builtin(operator.getitem, Field, types.intp)
@lower_builtin(operator.getitem, Field, types.UniTuple)
def _get_item(context, builder, signature, args):
    pointer = element_pointer(context, builder, signature.args[0], args[0], args[1])
    return context.unpack_value(builder, signature.return_type, pointer)


@lower_builtin(operator.setitem, Field, types.intp, types.Any)
@lower_builtin(operator.setitem, Field, types.UniTuple, types.Any)
def _set_item(context, builder, signature, args):
    pointer = element_pointer(context, builder, signature.args[0], args[0], args[1])
    context.pack_value(builder, signature.args[2], args[2], pointer)
    return context.get_dummy_value()


def element_pointer(context, builder, field_type, field, index):
    """The pointer to an element. If a checked field has no such element, code before the access leaves the function."""
    places = cgutils.unpack_tuple(builder, index, 2) if field_type.columns else [index]
    if isinstance(field_type, CheckedField):
        check(context, builder, field_type, field, places)
        element = context.get_data_type(field_type.dtype)
        field = builder.inttoptr(_word_of(builder, field, 0), element.as_pointer())
    place, *columns = places
    for column in columns:
        place = builder.add(builder.mul(place, ir.Constant(_WORD, field_type.columns)), column)
    return builder.gep(field, [place])


def _word_of(builder, field, position):
    return builder.load(builder.gep(field, [ir.Constant(_WORD, position)]))


def check(context, builder, field_type, field, places):
    """Leave the function if a checked field has no element at an index, or at a row and a column."""
    index, *columns = places
    outside = builder.icmp_unsigned(">=", index, _word_of(builder, field, 1))  # a negative index is above all lengths
    for column in columns:
        beyond = builder.icmp_unsigned(">=", column, ir.Constant(_WORD, field_type.columns))
        outside = builder.or_(outside, beyond)
    with builder.if_then(outside, likely=False):
        record = builder.inttoptr(_word_of(builder, field, 3), _WORD.as_pointer())
        none, filled = ir.Constant(_WORD, 0), ir.Constant(_WORD, 1)
        claimed = builder.extract_value(builder.cmpxchg(record, none, filled, _ORDER, _ORDER), 1)
        with builder.if_then(claimed):
            place = ir.Constant(_WORD, place_of(*place_compiled()))
            for position, value in enumerate((_word_of(builder, field, 2), place, *places), start=1):
                builder.store(value, builder.gep(record, [ir.Constant(_WORD, position)]))
        _leave(context, builder, field_type)


def _leave(context, builder, field_type):
    """Leave the function. On the GPU this is the functor's function itself, because its helpers are inlined."""
    if not field_type.on_gpu:
        context.call_conv.return_user_exc(builder, IndexError, ("an index of a field is out of range",))
        return
    returned = builder.function.function_type.return_type
    if isinstance(returned, ir.VoidType):
        builder.ret_void()
    else:
        builder.ret(ir.Constant(returned, None))
