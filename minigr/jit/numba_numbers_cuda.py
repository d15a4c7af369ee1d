"""Arithmetic of numbers on GPUs, where numba-cuda's results differ from those of Python and of code for the CPU.

numba-cuda takes the last implementation of an operation that it is told. So code that others compile by numba-cuda in
the same process also gets these.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np
from numba import types

from minigr.jit import private
from minigr.jit.numba_powers import POWERS, power_of_float, power_of_integer


def _implement(function: Any, operations: tuple[Any, ...], *kinds: Any) -> None:
    """Make numba-cuda compile `operations` of arguments of these types as calls of a Python function."""

    def lowered(context, builder, signature, args):
        return context.compile_internal(builder, function, signature, args)

    for operation in operations:
        private.lower_builtin(operation, *kinds)(lowered)


def _divide(number: Any, kind: Any) -> None:
    """Implement ``//``, ``%`` and `divmod` of floats.

    numba-cuda subtracts a multiple of the divisor, which is wrong if the quotient is large or the divisor is infinite.
    """

    def remainder(x, y):
        if y == 0:
            return number(np.nan)
        rest = number(math.fmod(np.float64(x), np.float64(y)))  # that of float32 is not exact for subnormal numbers
        if rest == 0:
            return math.copysign(number(0), y)
        return rest + y if (rest < 0) != (y < 0) else rest

    def quotient(x, y):
        if y == 0:
            return x / y
        rest = number(math.fmod(np.float64(x), np.float64(y)))
        near = (x - rest) / y
        if rest != 0 and (rest < 0) != (y < 0):
            near -= number(1)
        if near == 0:
            return math.copysign(number(0), x / y)
        whole = number(math.floor(near))
        return whole + number(1) if near - whole > number(0.5) else whole

    _implement(remainder, (operator.mod, operator.imod), kind, kind)
    _implement(quotient, (operator.floordiv, operator.ifloordiv), kind, kind)
    _implement(lambda x, y: (x // y, x % y), (divmod,), kind, kind)


def _choose() -> None:
    """Implement `min` and `max` of two floats. Those of numba-cuda pass over NaN, and put -0.0 before 0.0."""
    for pair in itertools.product((types.float32, types.float64), repeat=2):
        _implement(lambda x, y: y if y < x else x, (min,), *pair)
        _implement(lambda x, y: y if y > x else x, (max,), *pair)


def _raise_to_powers() -> None:
    """Implement ``**`` with whole numbers as powers."""
    for operation in POWERS:
        private.lower_builtin(operation, types.Integer, types.Integer)(power_of_integer)
        private.lower_builtin(operation, types.Integer, types.IntegerLiteral)(power_of_integer)
        for kind in types.integer_domain:
            private.lower_builtin(operation, types.Float, kind)(power_of_float)
        private.lower_builtin(operation, types.Float, types.IntegerLiteral)(power_of_float)


_raise_to_powers()
_divide(np.float32, types.float32)
_divide(np.float64, types.float64)
_choose()
