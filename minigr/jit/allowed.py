"""The functions that a functor may call on both targets."""

from __future__ import annotations

import builtins
import math
import operator

import numpy as np

MATH = (
    "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh degrees erf erfc exp exp2 expm1 fabs floor gamma "
    "hypot isfinite isinf isnan ldexp lgamma log log10 log1p log2 nextafter pow radians sin sinh sqrt tan tanh trunc"
)
_NUMPY = (
    "arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_or bitwise_xor cos cosh deg2rad degrees "
    "divide equal fmax fmin greater greater_equal hypot invert isnan left_shift less less_equal log log10 log2 "
    "logical_and logical_not logical_or logical_xor maximum minimum not_equal rad2deg radians right_shift sin sinh tan "
    "tanh true_divide"
)
_BUILTIN = "abs bool divmod enumerate float int len max min pow range round slice zip"
_OPERATOR = (
    "add and_ contains eq floordiv ge gt invert is_ is_not le lshift lt mod mul ne neg not_ or_ pos pow rshift sub "
    "truediv xor iadd iand ifloordiv ilshift imod imul ior ipow irshift isub itruediv ixor"
)
_LISTED = ((math, MATH), (np, _NUMPY), (builtins, _BUILTIN), (operator, _OPERATOR))
CALLABLE = {getattr(module, name) for module, names in _LISTED for name in names.split() if hasattr(module, name)}
OPERATORS = {getattr(operator, name) for name in _OPERATOR.split()}
INSTEAD = {
    "absolute": "abs(x)",
    "power": "x ** y",
    "remainder": "x % y",
    "fmod": "x % y",
    "square": "x * x",
    "sign": "comparisons",
    "rint": "round(x)",
}

BUILTINS = frozenset(_BUILTIN.split())
"""Python's built-in functions that a functor may call."""

REMEDY = (
    "a functor may use numbers, fields by index, tuples of numbers, loops over ranges, math and NumPy scalar "
    "functions, the atomics of minigr, the graph, and helper functions that use only these"
)
