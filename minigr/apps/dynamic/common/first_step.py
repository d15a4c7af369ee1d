"""A filter for operators that must run in the first step of a loop only."""

from minigr.jit.functor import Functor


class InFirstStep(Functor):
    """Keeps all vertices in the first step, and none later."""

    def cond_filter(vertex, iteration):
        return iteration == 1
