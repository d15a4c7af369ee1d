"""The float64 that is nearest to a decimal number, in kernels for the CPU.

(Lemire, Number parsing at a gigabyte per second, 2021; Mushtak and Lemire, Fast number parsing without fallback, 2023.)
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from minigr.jit.bits import high_product, leading_zeros
from minigr.jit.kernel import kernel

LEAST, MOST = -342, 308  # powers of ten; beyond them a number of 19 digits is 0 or infinite
_EXACT = 22  # the greatest power of ten that float64 holds exactly

UNDECIDED = 0x7FF8000000000000  # the bits of NaN, which no decimal number has


@cache
def powers_of_five() -> tuple[Any, Any, Any]:
    """The first 128 bits of each power, by exponent, in upper and lower uint64 words; and float64 powers of ten."""
    found = [_leading_bits(exponent) for exponent in range(LEAST, MOST + 1)]
    upper, lower = ([word >> shift & (1 << 64) - 1 for word in found] for shift in (64, 0))
    tens = [float(10**exponent) for exponent in range(_EXACT + 1)]
    return np.array(upper, np.uint64), np.array(lower, np.uint64), np.array(tens)


def _leading_bits(exponent: int) -> int:
    """The first 128 bits of ``5 ** exponent``. Negative powers are rounded up, as the method requires."""
    power = 5 ** abs(exponent)
    if exponent >= 0:
        return power >> (power.bit_length() - 128) if power.bit_length() > 128 else power << (128 - power.bit_length())
    bits = (power - 1).bit_length()
    word = (1 << (bits + 127 if exponent >= -27 else 2 * bits + 128)) // power + 1
    return word >> max(word.bit_length() - 128, 0)


@kernel
def nearest(digits, exponent, negative, powers):
    """The bits (uint64) of the float64 nearest to ``digits * 10 ** exponent``, or `UNDECIDED`.

    Undecided are numbers that are not normal in float64, and the few numbers for which 128 bits are not enough.
    """
    upper, lower, _ = powers
    sign = np.uint64(1) << np.uint64(63) if negative else np.uint64(0)
    if digits == np.uint64(0):
        return sign
    if exponent < LEAST or exponent > MOST:
        return np.uint64(UNDECIDED)
    shift = leading_zeros(digits)
    word = digits << np.uint64(shift)
    at = np.uint64(exponent - LEAST)
    high, low = high_product(word, upper[at]), word * upper[at]
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        more = high_product(word, lower[at])
        low = low + more
        if low < more:
            high = high + np.uint64(1)
        if low == np.uint64(0xFFFFFFFFFFFFFFFF) and (exponent < -27 or exponent > 55):
            return np.uint64(UNDECIDED)
    top = high >> np.uint64(63)
    mantissa = high >> (top + np.uint64(9))
    power = ((217706 * exponent) >> 16) + 63 + np.int64(top) - shift + 1023
    if power <= 0:
        return np.uint64(UNDECIDED)
    halfway = low <= np.uint64(1) and exponent >= -4 and exponent <= 23 and mantissa & np.uint64(3) == np.uint64(1)
    if halfway and mantissa << (top + np.uint64(9)) == high:
        mantissa = mantissa & ~np.uint64(1)
    mantissa = (mantissa + (mantissa & np.uint64(1))) >> np.uint64(1)
    if mantissa >> np.uint64(53) != np.uint64(0):
        mantissa = mantissa >> np.uint64(1)
        power += 1
    if power >= 2047:
        return np.uint64(UNDECIDED)
    return sign | (np.uint64(power) << np.uint64(52)) | (mantissa & np.uint64(0xFFFFFFFFFFFFF))


@kernel
def is_exact(digits, exponent):
    """Whether float64 holds the digits and the power of ten, so that one operation on them gives the nearest number."""
    return digits >> np.uint64(53) == np.uint64(0) and exponent >= -_EXACT and exponent <= _EXACT


@kernel
def exact(digits, exponent, negative, powers):
    """The nearest float64, if `is_exact` holds."""
    value = float(digits)
    tens = powers[2]
    value = value * tens[np.uint64(exponent)] if exponent >= 0 else value / tens[np.uint64(-exponent)]
    return -value if negative else value
