"""The syntax of numbers in text files: one rule for the ids, weights and times of all formats.

An id is a whole number in decimal digits. A weight or a time is a whole number within int64, or a real number with a
point or an exponent within float64, or ``inf``. All may have a sign. Nothing else is a number: no hexadecimal digits,
underscores, decimal commas or words. NaN is refused.
"""

from __future__ import annotations

import re

from minigr.graphs.checks import MAX_VERTICES

_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_NAN = re.compile(r"[+-]?nan", re.IGNORECASE)
MOST_DIGITS = 640
"""The number of digits that Python converts under any limit."""
_FAR_TOO_LARGE = 10**20  # beyond 64 bits; Python refuses to convert thousands of digits


def whole(token: str) -> int | None:
    """A whole number, or None if `token` is not a whole number; numbers of more than 20 digits become 10 ** 20.

    Examples
    --------
    >>> whole("12"), whole("-3"), whole("1.0"), whole("1_000"), whole("9" * 5000) == 10**20
    (12, -3, None, None, True)
    """
    if not _WHOLE.fullmatch(token):
        return None
    digits = token.lstrip("+-").lstrip("0") or "0"
    value = int(digits) if len(digits) <= 20 else _FAR_TOO_LARGE
    return -value if token[0] == "-" else value


def exact(token: str) -> int | None:
    """A whole number of any size; None if `token` is no whole number or has more digits than Python always converts.

    Examples
    --------
    >>> exact("+12"), exact("1.0"), exact("9" * 30) == 10**30 - 1, exact("9" * 5000)
    (12, None, True, None)
    """
    return int(token) if len(token) <= MOST_DIGITS and _WHOLE.fullmatch(token) else None


def number(token: str) -> int | float:
    """The value of a token for which `number_fault` returns None."""
    value = whole(token)
    return float(token) if value is None else value


def id_fault(token: str, lowest: int = 0, highest: int = MAX_VERTICES - 1, what: str = "vertex id") -> str | None:
    """A description of the error in `token` as an id, or None."""
    value = whole(token)
    if value is None:
        return f"{token[:40]!r} is not a {what} (a whole number)"
    if not lowest <= value <= highest:
        return f"the {what} {token[:40]} is not between {lowest} and {highest}"
    return None


def number_fault(token: str, what: str, remedy: str = "") -> str | None:
    """A description of the error in `token` as a `what`, or None; `remedy` is the advice for NaN."""
    value = whole(token)
    if value is not None:
        if -(2**63) <= value < 2**63:
            return None
        return f"the {what} {token[:40]} is too large for int64; write it as a real number, e.g. 1e20"
    if _NAN.fullmatch(token):
        return f"the {what} is NaN{remedy}"
    if _INFINITE.fullmatch(token):
        return None
    if not _REAL.fullmatch(token):
        return f"{token[:40]!r} is not a {what} (a number)"
    if float(token) in (float("inf"), float("-inf")):
        return f"the {what} {token[:40]} is too large for float64; write inf if infinity is meant"
    return None


def weight_fault(token: str) -> str | None:
    """A description of the error in `token` as a weight, or None."""
    return number_fault(token, "weight", "; pass weights=False to leave weights out")
