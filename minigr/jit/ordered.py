"""Sequentially consistent access to int64 words, and yielding: what barriers of CPU threads are made of."""

import sys

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic


def _word(context, builder, array_type, array, index):
    view = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, view, [index], wraparound=False)


@intrinsic
def fetch_add(typingctx, array, index, value):
    """Sequentially consistent add to ``array[index]`` (int64); the old value is returned."""

    def codegen(context, builder, signature, args):
        pointer = _word(context, builder, signature.args[0], args[0], args[1])
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), codegen


@intrinsic
def load(typingctx, array, index):
    """Sequentially consistent load of ``array[index]`` (int64)."""

    def codegen(context, builder, signature, args):
        return builder.load_atomic(_word(context, builder, signature.args[0], args[0], args[1]), "seq_cst", 8)

    return types.int64(array, types.intp), codegen


@intrinsic
def store(typingctx, array, index, value):
    """Sequentially consistent store to ``array[index]`` (int64)."""

    def codegen(context, builder, signature, args):
        pointer = _word(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], pointer, "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.int64), codegen


@intrinsic
def yield_processor(typingctx):
    """Let another thread run, where the platform has ``sched_yield``; a no-op elsewhere."""

    def codegen(context, builder, signature, args):
        if sys.platform != "win32":
            kind = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), codegen
