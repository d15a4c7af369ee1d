"""Signals whose handlers raise, at random moments of batches on dynamic graphs and of answers that follow them.

A batch that raises must leave the graph as it was; a batch that returns must be complete. Answers must agree with their
graph in both cases. A trial is an interrupt that was raised within a batch.
"""

from __future__ import annotations

import time

import numpy as np

from tests.apps.dynamic.test_together import Together
from tests.attack.answers import DEVICE, Change, attack_batches, compare
from tests.attack.report import Report
from tests.graphs.dynamic import trials

_EACH = 25  # moments that are tried for each batch
_WITH_ANSWERS = 0.15  # the share of batches that answers follow


def attack(count: int, seed: int, report: Report) -> None:
    attack_batches(count, seed, report, _WITH_ANSWERS, _attack_answers, _attack_batch, "signals: heard")


def _attack_batch(seed: int, report: Report) -> tuple[str, int]:
    """Interrupt a batch on a graph at many moments; return its name, and how often the interrupt was raised."""
    rng = np.random.default_rng(seed)
    first = trials.random_graph(rng, DEVICE)
    name, batch = trials.random_batch(rng, first)
    before, done = trials.state(first), first.copy()
    batch(done.copy())  # compiles all programs
    begun = time.perf_counter()
    batch(done)
    seconds, after, heard = time.perf_counter() - begun, trials.state(done), 0
    for number in range(_EACH):
        graph = first.copy()
        delay, times, gap = 1.1 * seconds * rng.random(), int(rng.choice([1, 1, 2, 3])), 1e-6 * rng.integers(100, 2000)
        raised = trials.interrupted(lambda graph=graph: batch(graph), delay, times, gap)
        where = f"seed {seed}, {name} on {first}, moment {number} ({delay * 1e6:.0f} us, {times} signals)"
        compare(graph, before if raised else after, where + (" raised" if raised else " returned"), report)
        if raised:
            heard += 1
            report.tried()
            batch(graph)
            compare(graph, after, where + ", done again", report)
    return name, heard


def _attack_answers(held: Together, seed: int, report: Report) -> int:
    """Run batches that answers follow, and interrupt some; return how often the interrupt was raised."""
    rng, heard = np.random.default_rng(seed), 0
    for number in range(_EACH):
        change = Change(held, rng)
        delay = 4e-3 * len(change.answers) * rng.random() ** 2
        raised = trials.interrupted(change, delay, int(rng.integers(1, 3)), 1e-3)
        change.check(raised, f"seed {seed}, batch {number} of answers {'raised' if raised else 'returned'}", report)
        if raised:
            heard += 1
            report.tried()
    return heard
