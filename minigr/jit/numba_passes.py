"""Numba's pipeline for functions of functors: it refuses what a functor may not contain."""

from minigr.jit.private import Compiler, DefaultPassBuilder, NopythonTypeInference
from minigr.jit.subset import RefuseOthers


class FunctorCompiler(Compiler):
    """Numba's pipeline, which refuses what a functor may not contain."""

    refuses_others = True

    def define_pipelines(self):
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(RefuseOthers, NopythonTypeInference)
        pipeline.finalize()
        return [pipeline]
