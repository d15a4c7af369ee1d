"""Random functions, compiled by minigr's own compiler and by Numba: values, types and arrays have to be the same.

The language that is drawn from is that of `tests.jit.native.drawn`.
"""

from __future__ import annotations

import random

from tests.attack.report import Report
from tests.jit.native.drawn import batch


def attack(count: int, seed: int, report: Report) -> None:
    """Draw functions, and compare what both compilers make of them."""
    draw = random.Random(seed)
    while report.trials < count:
        trial = draw.randrange(1 << 62)
        _, taken, wrong = batch(trial)
        for what in wrong:
            report.fault(what)
        report.tried(taken)
