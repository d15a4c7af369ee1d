"""Every allocation of batches on dynamic graphs, and of answers that follow them, failing in turn.

A batch that finds no room must raise OutOfMemoryError and have left the graph as it was, or have done without; answers
must agree with their graph either way. A trial is an allocation that failed.
"""

from __future__ import annotations

import numpy as np

from minigr.errors import OutOfMemoryError
from tests.allocations import Failing
from tests.apps.dynamic.test_together import Together
from tests.attack.answers import DEVICE, Change, attack_batches, compare
from tests.attack.report import Report
from tests.graphs.dynamic import trials

_WITH_ANSWERS = 0.1  # of all batches
_EACH = 25  # batches that the same answers follow
_MOST = 200  # allocations of a batch that are tried; those of answers at random


def attack(count: int, seed: int, report: Report) -> None:
    attack_batches(count, seed, report, _WITH_ANSWERS, _attack_answers, _attack_batch, "allocations: failed")


def _attack_batch(seed: int, report: Report) -> tuple[str, int]:
    """One batch on one graph, with each of its allocations failing; its name, and how many those were."""
    rng = np.random.default_rng(seed)
    first = trials.random_graph(rng, DEVICE)
    name, batch = trials.random_batch(rng, first)
    before, done = trials.state(first), first.copy()
    batch(done)
    after = trials.state(done)
    for number in range(_MOST):
        graph, where = first.copy(), f"seed {seed}, {name} on {first}, allocation {number}"
        is_refused, has_failed = _fails(lambda graph=graph: batch(graph), number, graph, where, report)
        if not has_failed:
            return name, number
        report.tried()
        compare(graph, before if is_refused else after, where + (" refused" if is_refused else " done"), report)
        batch(graph)
        if is_refused:
            compare(graph, after, where + ", done again", report)
    return name, _MOST


def _fails(call, number: int, graph, where: str, report: Report) -> tuple[bool, bool]:
    """Call a function with an allocation that fails; whether it said so, and whether there was such an allocation."""
    with Failing(number, graph.device) as failing:
        try:
            call()
        except OutOfMemoryError:
            return True, failing.failed
        except Exception as error:
            report.fault(f"{where}: {type(error).__name__} instead of OutOfMemoryError: {error}")
            return True, failing.failed
    return False, failing.failed


def _attack_answers(held: Together, seed: int, report: Report) -> int:
    """Batches that answers follow, each with an allocation that fails; how many did."""
    rng, failures = np.random.default_rng(seed), 0
    for number in range(_EACH):
        change, where = Change(held, rng), f"seed {seed}, batch {number} of answers"
        is_refused, has_failed = _fails(change, int(rng.integers(150)), held.graph, where, report)
        change.check(is_refused, where, report)
        failures += has_failed
        report.tried(int(has_failed))
    return failures
