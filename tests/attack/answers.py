"""Common code of attacks on batches: graphs with answers that follow them, their changes, and comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from minigr.apps.dynamic.common import updates
from tests.apps.dynamic.batches import weights_of
from tests.apps.dynamic.test_together import KINDS, Together
from tests.attack.report import Report
from tests.graphs.dynamic import trials

DEVICE = None  # selects the device of MINIGR_DEVICE


def attack_batches(
    count: int,
    seed: int,
    report: Report,
    share: float,
    on_answers: Callable[[Together, int, Report], int],
    on_batch: Callable[[int, Report], tuple[str, int]],
    what: str,
) -> None:
    """Attack batches, of which answers follow a `share`; each function returns how often it had an effect."""
    rng, times = np.random.default_rng(seed), Counter()
    together = [_warm(Together(40, directed, DEVICE), rng) for directed in (True, False)]
    while report.trials < count:
        one = int(rng.integers(2**32))
        if rng.random() < share:
            times["answers"] += on_answers(together[one % 2], one, report)
        else:
            name, often = on_batch(one, report)
            times[name] += often
    print(f"{what} in", ", ".join(f"{name} {often:,}" for name, often in sorted(times.items())))


def _warm(held: Together, rng: np.random.Generator) -> Together:
    """Run batches of all kinds, so that later ones compile nothing: interrupted compilers are not tested here."""
    for kind in KINDS * 3:
        held.batch(kind, rng)
        held.check()
    return held


class Change:
    """A batch that some of the answers follow, with the states of the graph before and after it."""

    def __init__(self, held: Together, rng: np.random.Generator) -> None:
        self._held, graph = held, held.graph
        src, dst = held.arcs()
        some = rng.permutation(len(src))[: int(rng.integers(1, 30))]
        ends = rng.integers(0, graph.num_vertices, (2, int(rng.integers(1, 30))))
        weights = weights_of(rng, len(ends[0]), np.float32)
        self._deletes = bool(rng.integers(2)) and len(src) > 0
        self._edges = (src[some], dst[some]) if self._deletes else (*ends, weights)
        self.answers = list(rng.permutation(np.array(held.answers, object))[: int(rng.integers(1, 8))])
        self.before, done = trials.state(graph), graph.copy()
        (done.delete_edges if self._deletes else done.insert_edges)(*self._edges)
        self.after = trials.state(done)

    def __call__(self) -> None:
        (updates.delete if self._deletes else updates.insert)(self._held.graph, self.answers, *self._edges)

    def check(self, undone: bool, where: str, report: Report) -> None:
        """Check that the graph is as before or as after the batch, and that the answers agree with it."""
        compare(self._held.graph, self.before if undone else self.after, where, report)
        try:
            self._held.check()
        except AssertionError as error:
            report.fault(f"{where}: an answer is wrong: {error}")


def compare(graph, expected, where: str, report: Report) -> None:
    try:
        found = trials.state(graph)
    except Exception as error:
        report.fault(f"{where}: {type(error).__name__}: {error}")
        return
    if found != expected:
        report.fault(f"{where}: the graph is not what it should be")
