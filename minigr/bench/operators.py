"""The operators inside a search, step by step."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import minigr as mg
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, ignore
from minigr.operators.options import Direction


def searches(
    graph: Any, source: int, directions: Sequence[Direction] = ("auto",)
) -> Iterator[tuple[dict[str, str], Callable[[], Any]]]:
    """The searches to trace: a part of the row's key, and a call whose result has a ``trace``.

    The key has the direction of a BFS only if there are several directions.
    """
    for direction in directions:
        key = {"app": "bfs", **({"direction": direction} if len(directions) > 1 else {})}
        yield key, partial(mg.bfs, graph, source, direction=direction, trace=True)
    if graph.weighted:
        yield {"app": "sssp"}, partial(mg.sssp, graph, source, trace=True)


def measure_steps(
    name: str, graph: Any, source: int, repeat: int, tell: Tell = ignore, *, directions: Sequence[Direction] = ("auto",)
) -> list[Row]:
    """Trace BFS in each direction and, on a graph with weights, SSSP `repeat` times; return a row for each step.

    Returns
    -------
    list of Row
        ``samples`` are host times of the step, including the launch and the read of the control block for the trace.
        Rows also have ``iteration``, ``frontier``, ``output``, ``direction``, ``edges`` (how many were looked at),
        ``share`` (of the graph's arcs) and ``mteps`` (million edges per second). Counts are medians over the runs,
        because relaxations depend on timing.
    """
    rows = []
    for key, call in searches(graph, source, directions):
        app = ", ".join(key.values())
        call()  # compiles
        runs = []
        for turn in range(repeat):
            tell(f"{app} on {name}: trace {turn + 1} of {repeat}")
            runs.append(call().trace.as_dicts())
        for step in range(max(map(len, runs))):
            # On a GPU runs may differ in their number of steps, so a row has only the runs that had this step.
            seen = [run[step] for run in runs if step < len(run)]
            samples = [found["milliseconds"] for found in seen]
            edges = int(statistics.median(found["edges"] for found in seen))
            rows.append(
                row(
                    {"graph": name, **key, "step": seen[0]["iteration"], "by": MINIGR},
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
