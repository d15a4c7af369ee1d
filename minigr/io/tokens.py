"""What a number is in a text file: one rule for the ids, weights and times of all formats.

An id is a whole number in decimal digits. A weight or a time is such a number within int64, or a real number with a
point or an exponent within float64, or ``inf``. Either may have a sign; nothing else is a number: no hexadecimal, no
underscores, no decimal comma, no words, and NaN is refused.
"""

from __future__ import annotations

import re

from minigr.graphs.checks import MAX_VERTICES

_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_NAN = re.compile(r"[+-]?nan", re.IGNORECASE)
MOST_DIGITS = 640
"""How many digits Python converts whatever limit is set."""
_FAR_TOO_LARGE = 10**20  # beyond 64 bits; Python refuses to convert thousands of digits


def whole(token: str) -> int | None:
    """A whole number, or None if `token` is none; one that no 64 bits hold becomes one of 10 ** 20.

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
    """A whole number however large, or None if `token` is none or has more digits than Python always converts.

    Examples
    --------
    >>> exact("+12"), exact("1.0"), exact("9" * 30) == 10**30 - 1, exact("9" * 5000)
    (12, None, True, None)
    """
    return int(token) if len(token) <= MOST_DIGITS and _WHOLE.fullmatch(token) else None


def number(token: str) -> int | float:
    """The value of a token of which `number_fault` has nothing to say."""
    value = whole(token)
    return float(token) if value is None else value


def id_fault(token: str, lowest: int = 0, highest: int = MAX_VERTICES - 1, what: str = "vertex id") -> str | None:
    """What is wrong with `token` as an id, or None."""
    value = whole(token)
    if value is None:
        return f"{token[:40]!r} is not a {what} (a whole number)"
    if not lowest <= value <= highest:
        return f"the {what} {token[:40]} is not between {lowest} and {highest}"
    return None


def number_fault(token: str, what: str, remedy: str = "") -> str | None:
    """What is wrong with `token` as a `what`, or None; `remedy` is what can be done about NaN."""
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
    """What is wrong with `token` as a weight, or None."""
    return number_fault(token, "weight", "; pass weights=False to leave weights out")
