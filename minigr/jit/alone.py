"""A kernel's twin for one thread that shares its data with no other.

A step with little work is left to one thread, and the others wait at a barrier. An atomic is then a load and a store
that cost twenty cycles and stop the processor from looking ahead. In the twin of a kernel that one thread runs alone,
LLVM makes plain accesses of all of them, in all that the kernel calls. It is made of the kernel's intermediate code, so
that Numba need not go through the kernel's functions again.
"""

from copy import copy
from typing import Any

from llvmlite import binding
from numba.core import cgutils, types
from numba.core.extending import intrinsic

from minigr.jit.inner import InnerLibrary

_NAME = ".alone"


def alone(kernel: Any) -> Any:
    """What to call in place of `kernel`, in a kernel, where no other thread has to do with its data."""

    @intrinsic
    def twin(typingctx, *arguments):
        kernel.compile(arguments)
        compiled = kernel.overloads[arguments]
        described = copy(compiled.fndesc)
        described.mangled_name += _NAME

        def codegen(context, builder, signature, values):
            context.active_code_library.add_linking_library(_without_atomics(compiled.library))
            unpacked = cgutils.unpack_tuple(builder, values[0])
            return context.call_internal(builder, described, compiled.signature, unpacked)

        return compiled.signature.return_type(types.StarArgTuple.from_types(arguments)), codegen

    return twin


def _without_atomics(library: Any) -> InnerLibrary:
    """The functions of a library under other names, with plain loads and stores for atomics."""
    library._ensure_finalized()
    module = library._final_module.clone()
    for function in module.functions:
        if not function.is_declaration:
            function.name += _NAME
    passes = binding.create_new_module_pass_manager()
    passes.add_lower_atomic_pass()
    passes.run(module, binding.create_pass_builder(library.codegen._tm, binding.create_pipeline_tuning_options()))
    plain = InnerLibrary(library.codegen, library.name + _NAME)
    plain.add_llvm_module(module)
    return plain
