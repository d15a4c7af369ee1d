"""Reading vertex ids on the CPU, so that the compiler knows that none is negative.

Numba lets a negative index count from the end of an array. Where a functor writes ``distance[dst]`` that takes four
instructions more for each access, unless it is known that `dst` can't be negative.
"""

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic


@intrinsic
def vertex_at(typingctx, vertices, position):
    """``vertices[position]``, an int32 of at least 0, from a list of vertices or the columns of a graph."""

    def codegen(context, builder, signature, args):
        view = context.make_array(signature.args[0])(context, builder, args[0])
        value = builder.load(
            cgutils.get_item_pointer(context, builder, signature.args[0], view, [args[1]], wraparound=False)
        )
        bounds = [ir.Constant(value.type, 0), ir.Constant(value.type, -(1 << 31))]  # up to, as unsigned, 2**31 - 1
        value.set_metadata("range", builder.module.add_metadata(bounds))
        return value

    return types.int32(vertices, types.intp), codegen
