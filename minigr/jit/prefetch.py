"""Asking for memory before it is needed, in kernels for the CPU."""

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic


@intrinsic
def prefetch(typingctx, array, index):
    """Begin to load the cache line of ``array[index]`` for reading and writing; harmless for any index."""

    def codegen(context, builder, signature, args):
        view = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = cgutils.get_item_pointer(context, builder, signature.args[0], view, [args[1]], wraparound=False)
        word = ir.IntType(32)
        address = builder.bitcast(pointer, ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [address.type, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [address, word(1), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen
