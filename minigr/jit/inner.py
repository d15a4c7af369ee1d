"""Compiles kernels that only other kernels call, in half the time.

Numba makes of every function a library of machine code and an entry for Python, although LLVM then takes a copy of the
function into each library that calls it. A program has dozens of functions and Python calls one. Here the others stay
LLVM's intermediate code; they are optimized as ever, because what is inlined into what depends on it.
"""

import ctypes
from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]  # an extension module, which no stub describes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder, Flags, compile_result
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NativeLowering, NopythonTypeInference
from numba.core.typing import signature

from minigr.jit.subset import RefuseOthers

# What Numba asks for as the function's address: who calls an inner kernel from Python is told that it can't be called.
_REFUSE = ctypes.cast(ctypes.pythonapi.PyObject_Call, ctypes.c_void_p).value


class QuickFlags(Flags):
    """Compiler flags that are quickly compared.

    Numba looks each call that it types up by the flags, among others, and those of its own ask for all of some thirty
    options to be hashed, or compared. Here two are equal if the same options were set to the same; where that is less
    than Numba finds alike, it types a call again.
    """

    __slots__ = ()
    _HASH = hash(Flags())  # all flags of Numba have this one, whatever they hold

    def __hash__(self) -> int:
        return self._HASH

    def __eq__(self, other: object) -> bool:
        return self._values == other._values if isinstance(other, QuickFlags) else super().__eq__(other)


class InnerLibrary(JITCodeLibrary):
    """A library that is only linked into others."""

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(NativeLowering):
    _name = "minigr_inner_lowering"

    def run_pass(self, state):
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        described, environment = state.cr.fndesc, state.cr.env
        function = _dynfunc.make_function(
            described.lookup_module(), described.qualname, "", _REFUSE, environment, (state.library,)
        )
        state.targetctx.insert_user_function(function, described, [state.library])
        state.cr = state.cr._replace(cfunc=function)
        return True


class QuickCompiler(Compiler):
    """Numba's pipeline with flags that are quickly compared."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.flags = QuickFlags(self.state.flags)


class _InnerCompiler(QuickCompiler):
    """The same with another last step."""

    def define_pipelines(self):
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [(_InnerLowering if each is NativeLowering else each, why) for each, why in pipeline.passes]
        pipeline.finalize()
        return [pipeline]


class FunctorCompiler(_InnerCompiler):
    """The same for functions of functors: it refuses what a functor may not contain."""

    refuses_others = True

    def define_pipelines(self):
        (pipeline,) = super().define_pipelines()
        pipeline.add_pass_after(RefuseOthers, NopythonTypeInference)
        pipeline.finalize()
        return [pipeline]


@register_pass(mutates_CFG=False, analysis_only=False)
class _Stop(FunctionPass):
    """Ends a compilation with what is known of the function: the types."""

    _name = "minigr_stop"

    def __init__(self):  # Numba's is abstract
        super().__init__()

    def run_pass(self, state):
        state.cr = compile_result(
            typing_context=state.typingctx,
            target_context=state.targetctx,
            entry_point=_NO_CODE,
            signature=signature(state.return_type, *state.args),
            objectmode=False,
            lifted=(),
        )
        return True


_NO_CODE = id  # Numba wants a built-in function, and nobody calls this one


class FunctorTyping(FunctorCompiler):
    """Types the functions of functors, and makes no code: for GPUs, which get theirs from another compiler."""

    def define_pipelines(self):
        (pipeline,) = super().define_pipelines()
        names = [each for each, _ in pipeline.passes]
        del pipeline.passes[names.index(RefuseOthers) + 1 :]
        pipeline.add_pass(_Stop, "stop")
        pipeline.finalize()
        return [pipeline]


OPTIONS: dict[str, Any] = {"no_cpython_wrapper": True, "pipeline_class": _InnerCompiler}
