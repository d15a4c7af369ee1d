"""Signals whose handlers raise, at random moments of batches on dynamic graphs and of answers that follow them.

A batch that raises must have left the graph as it was, and one that returns must have done all of it. Answers must
agree with their graph either way. A trial is an interrupt that was heard within a batch.
"""

from __future__ import annotations

import time
from collections import Counter

import numpy as np

from minigr.apps.dynamic.common import updates
from tests.apps.dynamic.batches import weights_of
from tests.apps.dynamic.test_together import KINDS, Together
from tests.attack.report import Report
from tests.graphs.dynamic import trials

_EACH = 25  # moments tried of each batch
_WITH_ANSWERS = 0.15  # of all batches
_DEVICE = None  # that of MINIGR_DEVICE


def attack(count: int, seed: int, report: Report) -> None:
    rng, heard = np.random.default_rng(seed), Counter()
    together = [warm(Together(40, directed, _DEVICE), rng) for directed in (True, False)]
    while report.trials < count:
        one = int(rng.integers(2**32))
        if rng.random() < _WITH_ANSWERS:
            heard["answers"] += _attack_answers(together, one, report)
        else:
            name, times = _attack_batch(one, report)
            heard[name] += times
    print("signals: heard in", ", ".join(f"{name} {times:,}" for name, times in sorted(heard.items())))


def warm(held: Together, rng: np.random.Generator) -> Together:
    """Have all that batches need compiled: a compiler that is interrupted is not what this is about."""
    for kind in KINDS * 3:
        held.batch(kind, rng)
        held.check()
    return held


def _attack_batch(seed: int, report: Report) -> tuple[str, int]:
    """One batch on one graph, interrupted at many moments; its name, and how often that was heard."""
    rng = np.random.default_rng(seed)
    first = trials.random_graph(rng, _DEVICE)
    name, batch = trials.random_batch(rng, first)
    before, done = trials.state(first), first.copy()
    batch(done.copy())  # so that all is compiled
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


def compare(graph, expected, where: str, report: Report) -> None:
    try:
        found = trials.state(graph)
    except Exception as error:
        report.fault(f"{where}: {type(error).__name__}: {error}")
        return
    if found != expected:
        report.fault(f"{where}: the graph is not what it should be")


def _attack_answers(together: list[Together], seed: int, report: Report) -> int:
    """One batch that seven answers follow, interrupted now and then; how often that was heard."""
    rng, heard = np.random.default_rng(seed), 0
    held = together[seed % 2]
    graph = held.graph
    for number in range(_EACH):
        src, dst = held.arcs()
        some = rng.permutation(len(src))[: int(rng.integers(1, 30))]
        ends = rng.integers(0, graph.num_vertices, (2, int(rng.integers(1, 30))))
        weights = weights_of(rng, len(ends[0]), np.float32)
        deletes = bool(rng.integers(2)) and len(src) > 0
        answers = list(rng.permutation(np.array(held.answers, object))[: int(rng.integers(1, 8))])
        before, done = trials.state(graph), graph.copy()
        if deletes:
            done.delete_edges(src[some], dst[some])
        else:
            done.insert_edges(ends[0], ends[1], weights)

        def batch(some=some, src=src, dst=dst, ends=ends, weights=weights, answers=answers, deletes=deletes):
            if deletes:
                return updates.delete(graph, answers, src[some], dst[some])
            return updates.insert(graph, answers, ends[0], ends[1], weights)

        raised = trials.interrupted(batch, 4e-3 * len(answers) * rng.random() ** 2, int(rng.integers(1, 3)), 1e-3)
        where = f"seed {seed}, batch {number} of answers {'raised' if raised else 'returned'}"
        compare(graph, before if raised else trials.state(done), where, report)
        try:
            held.check()
        except AssertionError as error:
            report.fault(f"{where}: an answer is wrong: {error}")
        if raised:
            heard += 1
            report.tried()
    return heard
