"""What CPU kernels tell the compiler and the processor about what they read.

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


@intrinsic
def prefetch(typingctx, array, index):
    """Ask for ``array[index]`` to be brought into the cache; `index` may be out of bounds."""

    def codegen(context, builder, signature, args):
        view = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = cgutils.get_item_pointer(context, builder, signature.args[0], view, [args[1]], wraparound=False)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        declaration = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, declaration, "llvm.prefetch.p0i8")
        builder.call(function, [builder.bitcast(pointer, byte), *(ir.Constant(word, n) for n in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen
