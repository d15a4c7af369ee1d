"""The speedup of calls on a CPU by threads: each call runs with several numbers of threads, in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minigr import primitives
from minigr.bench.apps import App, choose
from minigr.bench.document import MINIGR, Row
from minigr.bench.measure import Tell, about, ignore
from minigr.bench.named import ITERATIONS, without_weights
from minigr.bench.single_operators import Ways
from minigr.bench.single_operators import calls as operator_calls
from minigr.bench.timed import Call, drop, timed_rows
from minigr.device import CPU
from minigr.jit.threads import get_num_threads, set_num_threads, threads_set_within

COPY = "copy"
"""The call whose rate is that of the memory: it reads an array and writes another one."""
_COPIED = 1 << 26  # bytes to read, more than most caches have


def usual_threads() -> list[int]:
    """1, 2, 4 and so on, up to the number of threads that calls have now."""
    most = get_num_threads()
    return [*(1 << bit for bit in range((most - 1).bit_length())), most]


def measure_scaling(
    name: str,
    graph: Any,
    source: int,
    apps: Sequence[str],
    operators: Sequence[str],
    threads: Sequence[int],
    repeat: int,
    *,
    limit: float = 60.0,
    tell: Tell = ignore,
) -> Iterator[Row]:
    """Time a copy, single operators and apps with several numbers of threads.

    Parameters
    ----------
    name : str
        The name of the graph in the rows' keys.
    graph : Graph
        On the CPU.
    source : int
    apps : sequence of str
        Names of `minigr.bench.apps.APPS`. Apps that cannot run on the graph are left out.
    operators : sequence of str
        Names of `minigr.bench.single_operator_cases.OPERATORS`.
    threads : sequence of int
        The other numbers are compared with the first.
    repeat : int
    limit : float
        Seconds for each call with each number of threads.
    tell : callable

    Yields
    ------
    Row
        With ``speedup``, the median with the first number of threads over the row's median. If the bytes that the call
        must move are known, ``gb_per_s`` is the rate of moving them, and ``of_copy`` is this rate over the rate of the
        copy with the same number of threads.
    """
    copied: dict[int, float] = {}
    subjects = [_copy(), *_operators(graph, operators), *(_app(app, graph, source) for app in choose(apps, graph)[0])]
    for subject in subjects:
        calls = [
            Call(
                {"graph": name, "call": subject.name, "threads": count, "by": MINIGR},
                subject.run,
                before=partial(set_num_threads, count),
                after=drop,
                divide=subject.divide,
            )
            for count in threads
        ]
        with threads_set_within():
            rows = timed_rows(calls, CPU, repeat, limit=limit, tell=about(f"{subject.name} on {name}", tell))
        size = subject.moved()
        for found in rows:
            found["speedup"] = rows[0]["median"] / found["median"]
            if size is not None:
                found["gb_per_s"] = size / subject.divide / found["median"] / 1e6
                copied.setdefault(found["key"]["threads"], found["gb_per_s"])
                found["of_copy"] = found["gb_per_s"] / copied[found["key"]["threads"]]
            yield found


class _Subject(NamedTuple):
    """A call to time, its name, and a function that returns the bytes that it must move, or None if not known.

    Time and bytes are of the whole call. They are divided by `divide`, the number of iterations, for those of one.
    """

    name: str
    run: Callable[[], Any]
    moved: Callable[[], float | None]
    divide: int = 1


def _copy() -> _Subject:
    given, taken = np.zeros((2, _COPIED // 4), np.float32)
    run = partial(primitives.transform, lambda i, given: given[i], given=given, out=taken)
    return _Subject(COPY, run, lambda: 2 * _COPIED)


def _operators(graph: Any, names: Sequence[str]) -> Iterator[_Subject]:
    for call in operator_calls(graph, Ways(names)) if names else ():
        yield _Subject(call.key["operator"], call.run, lambda: None)


def _app(app: App, graph: Any, source: int) -> _Subject:
    subject = graph if app.keeps_weights else without_weights(graph)

    def moved() -> float | None:
        if app.floor is None:
            return None
        return app.floor(subject, app.call(subject, source, trace=True)).bytes

    return _Subject(app.name, partial(app.call, subject, source), moved, ITERATIONS if app.per_iteration else 1)
