"""Arrays that one thread has to itself for the time being, told apart by their type.

A step with little work is left to one thread, and the others wait at a barrier. An atomic is then a load and a store
that cost twenty cycles and stop the processor from looking ahead. A kernel that is handed `unshared` fields is compiled
once more for their types, and its functor's atomics become plain accesses there.
"""

from numba.core import types
from numba.core.datamodel import models
from numba.core.extending import intrinsic, register_model


class Unshared(types.Array):
    """The type of an array that no other thread touches; in every other way that of the array."""

    def __init__(self, array):
        super().__init__(
            array.dtype, array.ndim, array.layout, not array.mutable, f"unshared({array})", aligned=array.aligned
        )

    def copy(self, *args, **changes):
        """That of a part of it, which no other thread touches either."""
        return Unshared(super().copy(*args, **changes))


register_model(Unshared)(models.ArrayModel)


@intrinsic
def unshared(typingctx, fields):
    """A tuple of fields with each array's type an `Unshared`; the arrays are the same."""
    kinds = [Unshared(kind) if isinstance(kind, types.Array) else kind for kind in fields]

    def codegen(context, builder, signature, args):
        return args[0]  # arrays of both types are laid out alike

    return types.BaseTuple.from_types(kinds)(fields), codegen
