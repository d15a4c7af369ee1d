"""Numba's pipeline for functions of functors. It refuses content that a functor may not have."""

from minigr.jit.private import Compiler, DefaultPassBuilder, NopythonTypeInference
from minigr.jit.subset import RefuseOthers


class FunctorCompiler(Compiler):
    """Numba's pipeline with the pass that refuses content that a functor may not have."""

    refuses_others = True

    def define_pipelines(self):
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(RefuseOthers, NopythonTypeInference)
        pipeline.finalize()
        return [pipeline]
