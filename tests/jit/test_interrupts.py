"""Signals whose handlers raise while functors are compiled: the next program is compiled as if nothing had been."""

import linecache
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from llvmlite.binding.ffi import lib, register_lock_callback, unregister_lock_callback

import minigr as mg
from tests.alarms import alarms
from tests.jit.helpers import compilers


class Values(mg.Problem):
    value = mg.vertex_field(np.int64)


SOURCE = """
def helper(vertex):
    return vertex + CONSTANT

def apply(vertex, value):
    value[vertex] = helper(vertex) + CONSTANT
"""
linecache.cache["with a source"] = len(SOURCE), None, SOURCE.splitlines(keepends=True), "with a source"


def functor_of(constant, by):
    """A functor that no other has compiled."""
    namespace = {"CONSTANT": constant}
    exec(compile(SOURCE, "with a source", "exec"), namespace)
    namespace["apply"] = by(namespace["apply"])
    return type("Sum", (mg.Functor,), {"apply": namespace["apply"]})


def test_no_handler_leaves_the_lock_of_llvm_taken(tmp_path, monkeypatch):
    """Another thread that compiles would wait for it forever."""
    monkeypatch.setenv("MINIGR_CACHE_DIR", str(tmp_path))
    problem, taken = Values(mg.generate.path(5, device="cpu")), []
    callbacks = (lambda: (taken.append(None), signal.raise_signal(signal.SIGALRM))), (lambda: None)
    with alarms(KeyboardInterrupt) as start:
        start(60)  # the handler raises once, when the first signal comes
        register_lock_callback(*callbacks)
        try:
            with pytest.raises(KeyboardInterrupt):
                mg.operators.compute(problem, mg.Frontier.all_vertices(), functor_of(17, lambda function: function))
        finally:
            unregister_lock_callback(*callbacks)
    assert taken
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: lib._lock._lock.acquire(timeout=5)).result()
        thread.submit(lib._lock._lock.release).result()


# Where the handler raises in a callback of the garbage collector, Python tells of the exception and drops it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@compilers
def test_an_interrupted_compilation_does_no_harm(by, tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGR_CACHE_DIR", str(tmp_path))
    problem, draw, interrupts = Values(mg.generate.path(5, device="cpu")), random.Random(3), 0

    def run(functor):
        mg.operators.compute(problem, mg.Frontier.all_vertices(), functor)

    run(functor_of(-1, by))
    begun = time.perf_counter()
    run(functor_of(-2, by))
    seconds = time.perf_counter() - begun
    with alarms(KeyboardInterrupt) as start:
        for constant in range(8):
            functor = functor_of(constant, by)
            try:
                try:
                    start(draw.random() * seconds)
                    run(functor)
                finally:
                    start(0)
            except KeyboardInterrupt:
                interrupts += 1
            run(functor)
            assert problem.value.tolist() == [vertex + 2 * constant for vertex in range(5)]
    assert interrupts
