"""The intrinsics that functors may contain as functions that Numba knows, for what Numba compiles on both targets.

Here are those of `minigr.jit.vertices`; the atomics have a module of their own.
"""

from numba import types
from numba.core.errors import TypingError
from numba.extending import lower_builtin, type_callable

from minigr.jit.numba_atomics import element_address
from minigr.jit.numba_fields import CheckedField, check
from minigr.jit.vertices import vertex_at, within


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
