"""Numba's pipeline for functions of functors. It refuses content that a functor may not have."""

from minigr.jit.numba_powers import POWERS, power
from minigr.jit.private import (
    Compiler,
    DefaultPassBuilder,
    FunctionPass,
    LiteralUnroll,
    NopythonTypeInference,
    ir,
    register_pass,
)
from minigr.jit.subset import RefuseOthers


@register_pass(mutates_CFG=False, analysis_only=False)
class ReplacePowers(FunctionPass):
    """A pass that replaces ``**`` by `power`."""

    _name = "minigr_replace_powers"

    def __init__(self):  # because Numba's method is abstract
        super().__init__()

    def run_pass(self, state):
        values = [s.value for block in state.func_ir.blocks.values() for s in block.body if isinstance(s, ir.Assign)]
        for value in values:
            if isinstance(value, ir.Expr) and value.op in ("binop", "inplace_binop") and value.fn in POWERS:
                value.fn = power
                if value.op == "inplace_binop":
                    value.immutable_fn = power
        return True


class FunctorCompiler(Compiler):
    """Numba's pipeline with passes that replace powers and refuse content that a functor may not have."""

    refuses_others = True

    def define_pipelines(self):
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(ReplacePowers, LiteralUnroll)  # after Numba has inlined functions inside the function
        pipeline.add_pass_after(RefuseOthers, NopythonTypeInference)
        pipeline.finalize()
        return [pipeline]
