"""Random functions, compiled by minigr's own compiler and by Numba. Values, types and arrays must be the same.

The language of the functions is that of `tests.jit.native.drawn`.
"""

from __future__ import annotations

import random

from tests.attack.report import Report
from tests.jit.native.drawn import batch


def attack(count: int, seed: int, report: Report) -> None:
    """Draw functions, and compare the results of both compilers."""
    draw = random.Random(seed)
    while report.trials < count:
        trial = draw.randrange(1 << 62)
        _, taken, wrong = batch(trial)
        for what in wrong:
            report.fault(what)
        report.tried(taken)
