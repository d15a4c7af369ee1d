"""The intrinsics that functors may contain, as functions that Numba knows, for functions compiled for both targets.

This module has those of `minigr.jit.vertices` and `minigr.jit.warps`. The atomics have their own module.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import lower_builtin, type_callable

from minigr.jit import numba_atomics
from minigr.jit.numba_atomics import element_address, register_atomic
from minigr.jit.numba_fields import CheckedField, check
from minigr.jit.plain_atomics import operation_of
from minigr.jit.vertices import vertex_at, within
from minigr.jit.warps import AGGREGATED, VOTES


@type_callable(vertex_at)
def _type_vertex_at(context):
    return lambda vertices, position: vertices.dtype(vertices, types.intp)


@lower_builtin(vertex_at, types.Any, types.intp)
def _lower_vertex_at(context, builder, signature, args):
    pointer = element_address(context, builder, signature.args[0], *args)
    return context.unpack_value(builder, signature.return_type, pointer)


@type_callable(within)
def _type_within(context):
    def typer(limit, vertex):
        if not isinstance(vertex, types.Integer):
            raise TypingError(f"graph needs a whole number as a vertex, got {vertex}")
        return types.unliteral(vertex)(limit, types.unliteral(vertex))

    return typer


@lower_builtin(within, types.Integer, types.Integer)
def _lower_within(context, builder, signature, args):
    return args[1]


@lower_builtin(within, CheckedField, types.Integer)
def _lower_within_checked(context, builder, signature, args):
    place = context.cast(builder, args[1], signature.args[1], types.intp)
    check(context, builder, signature.args[0], args[0], [place])
    return args[1]


# --- warps ------------------------------------------------------------------------------------------------------------

_I32 = ir.IntType(32)


def _call_on_gpu(builder, name, returns, *values):
    """Call a function of ``coalesced.cuh``."""
    function = ir.FunctionType(returns, [value.type for value in values])
    return builder.call(cgutils.get_or_insert_function(builder.module, function, f"minigr_{name}"), values)


def _aggregated(name):
    plain = getattr(numba_atomics, f"atomic_{operation_of(name)}")

    def write(builder, pointer, on_gpu, value):
        if not on_gpu:
            return plain(builder, pointer, on_gpu, value)
        return _call_on_gpu(builder, f"{name}_{_dtype_of(value.type)}", value.type, pointer, value)

    return write


def _dtype_of(kind):
    """The name of an element's dtype, from its LLVM type."""
    if isinstance(kind, ir.IntType):
        return f"int{kind.width}"
    return "float32" if isinstance(kind, ir.FloatType) else "float64"


def _register_vote(vote):
    @type_callable(vote)
    def typed(context):
        def typer(condition):
            if not isinstance(condition, (types.Boolean, types.Number)) or isinstance(condition, types.Complex):
                raise TypingError(f"{vote.__name__} needs a bool or a number as the condition, got {condition}")
            return types.boolean(types.boolean)

        return typer

    @lower_builtin(vote, types.boolean)
    def lowered(context, builder, signature, args):
        if builder.module.triple.startswith("nvptx"):
            condition = builder.zext(args[0], _I32)
            found = _call_on_gpu(builder, vote.__name__, _I32, condition)
            return builder.icmp_signed("!=", found, ir.Constant(_I32, 0))
        # Counts as a write. An additional call of the vote would join the group.
        builder.call(ir.InlineAsm(ir.FunctionType(ir.VoidType(), []), "", "~{memory}", side_effect=True), [])
        return args[0]


for _each in AGGREGATED:
    register_atomic(_each, _aggregated(_each.__name__))
for _each in VOTES:
    _register_vote(_each)
