"""Every allocation of batches on dynamic graphs, and of answers that follow them, failing in turn.

A batch that finds no room must raise OutOfMemoryError and have left the graph as it was, or have done without; answers
must agree with their graph either way. A trial is an allocation that failed.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from minigr.apps.dynamic.common import updates
from minigr.errors import OutOfMemoryError
from tests.allocations import Failing
from tests.apps.dynamic.batches import weights_of
from tests.apps.dynamic.test_together import Together
from tests.attack.report import Report
from tests.attack.signals import compare, warm
from tests.graphs.dynamic import trials

_DEVICE = None  # that of MINIGR_DEVICE
_WITH_ANSWERS = 0.1  # of all batches
_MOST = 200  # allocations of a batch that are tried; those of answers at random


def attack(count: int, seed: int, report: Report) -> None:
    rng, failed = np.random.default_rng(seed), Counter()
    together = [warm(Together(40, directed, _DEVICE), rng) for directed in (True, False)]
    while report.trials < count:
        one = int(rng.integers(2**32))
        if rng.random() < _WITH_ANSWERS:
            failed["answers"] += _attack_answers(together, one, report)
        else:
            name, times = _attack_batch(one, report)
            failed[name] += times
    print("allocations: failed in", ", ".join(f"{name} {times:,}" for name, times in sorted(failed.items())))


def _attack_batch(seed: int, report: Report) -> tuple[str, int]:
    """One batch on one graph, with each of its allocations failing; its name, and how many those were."""
    rng = np.random.default_rng(seed)
    first = trials.random_graph(rng, _DEVICE)
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


def _attack_answers(together: list[Together], seed: int, report: Report) -> int:
    """Batches that seven answers follow, each with an allocation that fails; how many did."""
    rng, failures = np.random.default_rng(seed), 0
    held = together[seed % 2]
    graph = held.graph
    for number in range(25):
        src, dst = rng.integers(0, graph.num_vertices, (2, int(rng.integers(1, 30))))
        weights, deletes = weights_of(rng, len(src), np.float32), bool(rng.integers(2))
        before, done = trials.state(graph), graph.copy()
        if deletes:
            done.delete_edges(src, dst)
        else:
            done.insert_edges(src, dst, weights)

        def batch(src=src, dst=dst, weights=weights, deletes=deletes):
            if deletes:
                return updates.delete(graph, held.answers, src, dst)
            return updates.insert(graph, held.answers, src, dst, weights)

        where = f"seed {seed}, batch {number} of answers"
        is_refused, has_failed = _fails(batch, int(rng.integers(150)), graph, where, report)
        compare(graph, before if is_refused else trials.state(done), where, report)
        try:
            held.check()
        except AssertionError as error:
            report.fault(f"{where}: an answer is wrong: {error}")
        failures += has_failed
        report.tried(int(has_failed))
    return failures
