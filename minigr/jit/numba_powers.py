"""``x ** y`` and `pow` where `y` is a whole number, for both targets of Numba.

Numba's code raises where a float is too small for a negative power, and turns large powers of whole numbers into
floats, on a GPU all of them. Here, whole numbers wrap around, and a float becomes an infinity.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numba import types
from numba.extending import lower_builtin, type_callable

POWERS = (operator.pow, operator.ipow)
"""The operators that `power` replaces."""
_MOST_SQUARED = 1 << 16  # up to this power, products are as accurate as Numba's


def power(x: Any, y: Any) -> Any:
    """``x ** y``, as a function that Numba knows."""
    return x**y


@type_callable(power)
def _type_power(context):
    return lambda x, y: context.resolve_function_type(operator.pow, (types.unliteral(x), types.unliteral(y)), {})


@lower_builtin(power, types.Number, types.Number)
def _lower_power(context, builder, signature, args):
    return context.get_function(operator.pow, signature)(builder, args)


@lower_builtin(power, types.Integer, types.Integer)
def power_of_integer(context, builder, signature, args):
    """The code of a whole number to the power of a whole number."""
    number = signature.return_type

    def raised(x, y):
        base, product = number(x), number(1)
        if y < 0 and base != 1:
            return number(0) if base != -1 else base if y & 1 else product
        rest = np.uint64(y)
        while rest != np.uint64(0):
            if rest & np.uint64(1):
                product *= base
            base *= base
            rest >>= np.uint64(1)
        return product

    return context.compile_internal(builder, raised, signature, args)


@lower_builtin(power, types.Float, types.Integer)
def power_of_float(context, builder, signature, args):
    """The code of a float to the power of a whole number."""
    number = signature.return_type

    def raised(x, y):
        whole = np.int64(y)
        rest = np.uint64(-whole if whole < 0 else whole)
        if rest > np.uint64(_MOST_SQUARED):
            return number(math.pow(np.float64(x), np.float64(y)))
        base, product = x, number(1)
        while rest != np.uint64(0):
            if rest & np.uint64(1):
                product *= base
            base *= base
            rest >>= np.uint64(1)
        if y >= 0:
            return product
        return math.copysign(number(np.inf), product) if product == 0 else number(1) / product

    return context.compile_internal(builder, raised, signature, args)
