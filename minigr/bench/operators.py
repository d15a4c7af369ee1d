"""The operators: step by step inside a search, and each alone over a whole graph."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import minigr as mg
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, ignore, take_turns
from minigr.jit.functor import Functor
from minigr.program.fields import scalar_field, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

# --- step by step -------------------------------------------------------------------------------------------------


def searches(graph: Any, source: int) -> dict[str, Callable[[], Any]]:
    """The searches that are traced: each call returns a result with a ``trace``."""
    calls: dict[str, Callable[[], Any]] = {"bfs": lambda: mg.bfs(graph, source, trace=True)}
    if graph.weighted:
        calls["sssp"] = lambda: mg.sssp(graph, source, trace=True)
    return calls


def measure_steps(name: str, graph: Any, source: int, repeat: int, tell: Tell = ignore) -> list[Row]:
    """Trace BFS and, on a graph with weights, SSSP `repeat` times; a row for each step of each.

    Returns
    -------
    list of Row
        ``samples`` are host times of the step, with the launch and the read of the control block that tracing costs.
        Also ``iteration``, ``frontier``, ``output``, ``direction``, ``edges`` (looked at; medians over the runs, since
        relaxations depend on timing), ``share`` (of the graph's arcs) and ``mteps`` (million edges a second).
    """
    rows = []
    for app, call in searches(graph, source).items():
        call()  # compiles
        runs = []
        for turn in range(repeat):
            tell(f"{app} on {name}: trace {turn + 1} of {repeat}")
            runs.append(call().trace.as_dicts())
        for step in range(max(map(len, runs))):
            # On a GPU runs may differ in their number of steps; a step is that of the runs that had it.
            seen = [run[step] for run in runs if step < len(run)]
            samples = [found["milliseconds"] for found in seen]
            edges = int(statistics.median(found["edges"] for found in seen))
            rows.append(
                row(
                    {"graph": name, "app": app, "step": seen[0]["iteration"], "by": MINIGR},
                    samples,
                    frontier=int(statistics.median(found["frontier"] for found in seen)),
                    output=int(statistics.median(found["output"] for found in seen)),
                    direction=statistics.mode(found["direction"] for found in seen),
                    edges=edges,
                    share=edges / max(graph.num_arcs, 1),
                    mteps=edges / max(statistics.median(samples), 1e-6) / 1e3,
                )
            )
    return rows


# --- alone --------------------------------------------------------------------------------------------------------


class Alone(Problem):
    value = vertex_field(np.float32, fill=1)
    result = vertex_field(np.float32)
    mark = vertex_field(np.int32, fill=-1)
    total = scalar_field(np.float64)


class MarkTarget(Functor):
    def apply_advance(dst, mark):
        mark[dst] = 1


class AddSource(Functor):
    def cond_target(dst, value):  # always holds, so that no search ends early
        return value[dst] > 0

    def apply_advance(src, dst, value, result):  # lanes may race for `result`, which nobody reads
        result[dst] += value[src]


class Keep(Functor):
    def cond_filter(vertex, value):
        return value[vertex] > 0


class OfTarget(Functor):
    def map(dst, value):
        return value[dst]


class OfSource(Functor):
    def map(src, value):
        return value[src]


class Scale(Functor):
    def apply(vertex, value, result):
        result[vertex] = 3 * value[vertex]


class AddUp(Functor):
    def apply(vertex, value):
        return value[vertex]


def alone(graph: Any, balance: str = "auto") -> dict[str, tuple[Callable[[], Any], str]]:
    """Each operator over the whole graph: a call, and what its speed is counted in, ``"edges"`` or ``"vertices"``.

    `balance` is how those that take the option deal out edges.
    """
    problem, everyone = Alone(graph), Frontier.all_vertices()
    run = mg.operators
    how: dict[str, Any] = {"balance": balance}
    calls: dict[str, tuple[Callable[[], Any], str]] = {
        "advance push": (lambda: run.advance(problem, everyone, MarkTarget, output=None, **how), "edges"),
        "advance push, output": (lambda: run.advance(problem, everyone, MarkTarget, **how), "edges"),
        "advance pull": (
            lambda: run.advance(problem, everyone, AddSource, output=None, direction="pull"),
            "edges",
        ),
        "neighbor_reduce out": (
            lambda: run.neighbor_reduce(problem, everyone, OfTarget, reduce="add", into="result", **how),
            "edges",
        ),
        "neighbor_reduce in": (
            lambda: run.neighbor_reduce(
                problem, everyone, OfSource, reduce="add", into="result", direction="in", **how
            ),
            "edges",
        ),
        "filter": (lambda: run.filter(problem, everyone, Keep), "vertices"),
        "compute": (lambda: run.compute(problem, everyone, Scale), "vertices"),
        "compute, sum": (lambda: run.compute(problem, everyone, AddUp, into="total"), "vertices"),
    }
    return calls


def measure_alone(
    name: str,
    graph: Any,
    repeat: int,
    tell: Tell = ignore,
    operators: Sequence[str] | None = None,
    balance: str = "auto",
) -> list[Row]:
    """Time operators (by default each of `alone`) by their public call over all vertices and their edges.

    `balance` is how advances and neighbor-reduces deal out edges.

    Returns
    -------
    list of Row
        With ``counted`` (``"edges"`` or ``"vertices"``), ``count`` and ``per_s``. The call records its step and
        allocates its output each time; both are in the samples.
    """
    calls = {
        operator: found
        for operator, found in alone(graph, balance).items()
        if operators is None or operator in operators
    }
    timings = take_turns(
        {operator: call for operator, (call, _) in calls.items()},
        graph._device,
        repeat,
        tell=lambda what: tell(f"{name}: {what}"),
    )
    rows = []
    for operator, timing in timings.items():
        counted = calls[operator][1]
        count = graph.num_arcs if counted == "edges" else graph.num_vertices
        key = {"graph": name, "operator": operator, "by": MINIGR}
        per_s = count / (timing.median / 1e3)
        rows.append(row(key, timing.samples, first_ms=timing.first, counted=counted, count=count, per_s=per_s))
    return rows
