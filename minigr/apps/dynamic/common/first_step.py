"""What the first step of a loop alone works on."""

from minigr.jit.functor import Functor


class InFirstStep(Functor):
    """Keeps all in the first step, and nothing later."""

    def cond_filter(vertex, iteration):
        return iteration == 1
