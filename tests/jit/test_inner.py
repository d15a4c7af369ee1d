"""Kernels that only kernels call."""

import pytest
from numba import float64, njit

from minigr.jit.kernel import OPTIONS, kernel


@kernel
def double(x):
    return 2 * x


@njit(**OPTIONS)
def quadruple(x):
    return double(double(x))


def test_python_calls_none():
    with pytest.raises(TypeError, match="not callable"):
        double(1)
    assert quadruple(1) == 4


def test_no_machine_code_is_made():
    assert quadruple(1.5) == 6

    def address(function):
        (compiled,) = (each for arguments, each in function.overloads.items() if arguments == (float64,))
        return compiled.library.get_pointer_to_function(compiled.fndesc.mangled_name)

    assert address(quadruple) != 0
    assert address(double) == 0
