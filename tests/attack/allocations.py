"""Let every allocation of batches on dynamic graphs fail in turn, also of batches that answers follow.

If an allocation of a batch fails, the batch must either raise OutOfMemoryError and leave the graph unchanged, or
succeed. Answers must agree with their graph in both cases. A trial is an allocation that failed.
"""

from __future__ import annotations

import numpy as np

from minigr.errors import OutOfMemoryError
from tests.allocations import Failing
from tests.apps.dynamic.test_together import Together
from tests.attack.answers import DEVICE, Change, attack_batches, compare
from tests.attack.report import Report
from tests.graphs.dynamic import trials

_WITH_ANSWERS = 0.1  # the share of batches that answers follow
_EACH = 25  # batches that the same answers follow
_MOST = 200  # allocations of a batch that are tried; for batches with answers, one is drawn at random


def attack(count: int, seed: int, report: Report) -> None:
    attack_batches(count, seed, report, _WITH_ANSWERS, _attack_answers, _attack_batch, "allocations: failed")


def _attack_batch(seed: int, report: Report) -> tuple[str, int]:
    """Run a batch on a graph with each of its allocations failing; return its name, and how many there were."""
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
    """Call a function with a failing allocation; return whether it raised, and whether there was such an allocation."""
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
    """Run batches that answers follow, each with a failing allocation; return how many failed."""
    rng, failures = np.random.default_rng(seed), 0
    for number in range(_EACH):
        change, where = Change(held, rng), f"seed {seed}, batch {number} of answers"
        is_refused, has_failed = _fails(change, int(rng.integers(150)), held.graph, where, report)
        change.check(is_refused, where, report)
        failures += has_failed
        report.tried(int(has_failed))
    return failures
