"""Counting and finding the bits of a 64-bit word, in kernels for the CPU: one instruction each where it has them."""

from numba.core import types
from numba.core.extending import intrinsic


@intrinsic
def count_ones(typingctx, word):
    """How many bits of `word` (uint64) are set, as int64."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def lowest_one(typingctx, word):
    """The position of the lowest bit that is set in `word` (uint64), as int64; 64 if none is."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), codegen
