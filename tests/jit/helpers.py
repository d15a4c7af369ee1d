"""What functors of the tests read from another module; no test module, so that pytest leaves its assertions alone."""

import inspect
import zlib
from types import FunctionType

import pytest

import minigr as mg
from minigr.jit.native.entry import Entry

SCALE = 3
PAIR = (2, 5)


def inner(x):
    return x * SCALE + PAIR[1]


def outer(x):
    return inner(x) + inner(x + 1)


def failing(x):
    assert x > 0
    return x


def endless(x):
    return endless(x - 1) if x > 0 else 0


def ping(x):
    return pong(x - 1) if x > 0 else 0


def pong(x):
    return ping(x)


class Asserts(mg.Functor):
    def apply(vertex, y):
        assert y[vertex] >= 0


def own_entry(function):
    """An `entry` of a test's, whose code is kept only as long as the test's file is the same."""
    source = zlib.crc32(inspect.getsource(inspect.getmodule(function)).encode())
    return Entry(function, f"{function.__module__}.{function.__qualname__} of {source:08x}")


def by_minigr(function):
    """A function of a functor that minigr's own compiler can read."""
    return function


def by_numba(function):
    """The same function under another name and without its source, so that Numba has to compile it."""
    code = function.__code__.replace(co_filename="is no file", co_name="without_source")
    return FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)


compilers = pytest.mark.parametrize("by", [by_minigr, by_numba])
"""Ask the same of functions that either compiler compiles."""
