"""Signals whose handlers raise while functors are compiled: the next program is compiled as if nothing had been."""

import random
import signal
import time

import numpy as np

import minigr as mg


class Values(mg.Problem):
    value = mg.vertex_field(np.int64)


def functor_of(constant):
    """A functor that no other has compiled."""
    namespace = {"CONSTANT": constant}
    exec("def helper(vertex):\n    return vertex + CONSTANT\n", namespace)
    exec("def apply(vertex, value):\n    value[vertex] = helper(vertex) + CONSTANT\n", namespace)
    return type("Sum", (mg.Functor,), {"apply": namespace["apply"]})


def test_an_interrupted_compilation_does_no_harm(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGR_CACHE_DIR", str(tmp_path))
    problem, draw, interrupts = Values(mg.generate.path(5, device="cpu")), random.Random(3), 0

    def run(functor):
        mg.operators.compute(problem, mg.Frontier.all_vertices(), functor)

    begun = time.perf_counter()
    run(functor_of(-1))
    seconds = time.perf_counter() - begun
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for constant in range(6):
            functor = functor_of(constant)
            try:
                signal.setitimer(signal.ITIMER_REAL, draw.random() * seconds)
                run(functor)
            except KeyboardInterrupt:
                interrupts += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            run(functor)
            assert problem.value.tolist() == [vertex + 2 * constant for vertex in range(5)]
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupts
