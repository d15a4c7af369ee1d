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
import sys
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.core.extending import intrinsic, lower_builtin, register_model
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from minigr.jit.index_checks import FIELD_WORDS, RECORD_WORDS, place_of

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


@intrinsic
def checked_field(typingctx, checks, number, array):
    """The field `number` of the words `checks`, for elements of the type that `array` has (CPU)."""

    def codegen(context, builder, signature, args):
        view = context.make_array(signature.args[0])(context, builder, args[0])
        first = builder.mul(args[1], ir.Constant(_WORD, FIELD_WORDS))
        return builder.gep(view.data, [builder.add(first, ir.Constant(_WORD, RECORD_WORDS))])

    return CheckedField(array.dtype, on_gpu=False, mutable=array.mutable)(checks, types.intp, array), codegen


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args, kws):
        field, index = args
        if isinstance(field, CheckedField) and isinstance(index, types.Integer):
            return signature(field.dtype, field, types.intp)
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args, kws):
        field, index, _ = args
        if isinstance(field, CheckedField) and field.mutable and isinstance(index, types.Integer):
            return signature(types.none, field, types.intp, field.dtype)
        return None


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

    def word(position):
        return builder.load(builder.gep(field, [ir.Constant(_WORD, position)]))

    with builder.if_then(builder.icmp_unsigned(">=", index, word(1)), likely=False):  # a negative one is above all
        record = builder.inttoptr(word(3), _WORD.as_pointer())
        none, filled = ir.Constant(_WORD, 0), ir.Constant(_WORD, 1)
        claimed = builder.extract_value(builder.cmpxchg(record, none, filled, _ORDER, _ORDER), 1)
        with builder.if_then(claimed):
            for position, value in enumerate((word(2), ir.Constant(_WORD, _place_compiled()), index), start=1):
                builder.store(value, builder.gep(record, [ir.Constant(_WORD, position)]))
        _leave(context, builder, field_type)
    element = context.get_data_type(field_type.dtype)
    return builder.gep(builder.inttoptr(word(0), element.as_pointer()), [index])


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


def _place_compiled() -> int:
    """The place of the statement that Numba compiles now.

    Numba doesn't pass the place to the function that writes the code of an access. But the lowering of the user's
    function is a few frames up, and its attribute ``loc`` is the place, also in a helper that was inlined.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None:
        caller: Any = frame.f_locals.get("self")
        if hasattr(caller, "func_ir") and hasattr(caller, "loc"):
            return place_of(caller.loc.filename, caller.loc.line)
        frame = frame.f_back
    raise AssertionError("Numba's lowering is not among the callers")
