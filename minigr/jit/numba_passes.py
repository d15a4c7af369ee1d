"""Numba's pipeline for functions of functors: it refuses what a functor may not contain, and can stop at the types."""

from numba.core.compiler import Compiler, DefaultPassBuilder, compile_result
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NopythonTypeInference
from numba.core.typing import signature

from minigr.jit.subset import RefuseOthers


class FunctorCompiler(Compiler):
    """Numba's pipeline, which refuses what a functor may not contain."""

    refuses_others = True

    def define_pipelines(self):
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
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
