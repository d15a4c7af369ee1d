"""``minigr bench scaling``: the gains of calls on a CPU from threads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from minigr.cli.bench_options import (
    draw,
    examples,
    json_option,
    left_out_lines,
    limit_option,
    plot_option,
    repeat_option,
    reported,
    resolve,
    source_option,
    split,
    whole_numbers,
    write,
)
from minigr.cli.bench_tables import show_scaling
from minigr.cli.console import progress, say
from minigr.cli.loading import Reading, load_with_source, readings_options

_APPS = "bfs,sssp,pagerank,components,betweenness,triangles"


@click.command(
    epilog=examples("scaling roads --plot gain.svg", "scaling A.npz B.npz --threads 4,16 --apps bfs --operators none")
)
@readings_options
@source_option
@plot_option("the gain over threads")
@click.option(
    "--threads",
    metavar="A,B,...",
    help="The numbers of threads; the first is the base of comparison.  [default: 1, 2, 4, ..., all cores]",
)
@click.option("--apps", "names", default=_APPS, show_default=True, metavar="A,B,...", help="The apps to time, or none.")
@click.option(
    "--operators",
    "alone",
    metavar="A,B,...",
    help="The operators to time alone, or none.  [default: advance, neighbor_reduce, filter, compute]",
)
@limit_option
@repeat_option()
@json_option
def scaling(
    readings: Sequence[Reading],
    source: int | None,
    plot: Path | None,
    threads: str | None,
    names: str,
    alone: str | None,
    limit: float,
    repeat: int,
    json_file: Path | None,
) -> None:
    """Time apps and operators on GRAPHs on the CPU with several numbers of threads, which alternate.

    For each call the table shows how many times as fast it is as with the first number of threads. If the bytes that a
    call must move are known, the table also shows GB/s, and their share of the GB/s that a copy of an array reaches
    with as many threads. After an error or Ctrl-C, the earlier measurements are kept.
    """
    from minigr.bench.apps import APPS, choose
    from minigr.bench.document import graph_facts
    from minigr.bench.scaling import measure_scaling, usual_threads
    from minigr.bench.single_operator_cases import OPERATORS, USUAL

    apps = [] if names == "none" else split(names, APPS, "--apps") or []
    operators: Sequence[str] = [] if alone == "none" else split(alone, OPERATORS, "--operators") or USUAL
    counts = usual_threads() if threads is None else whole_numbers(threads, "--threads")
    rows: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []
    unfit: list[str] = []

    def report() -> None:
        show_scaling(rows, repeat)
        for line in unfit:
            say(line)
        write(json_file, "scaling", resolve("cpu"), {"repeat": repeat, "threads": counts, "limit": limit}, facts, rows)
        draw(plot, "scaling", rows)

    with reported(rows, report):
        for reading in readings:
            name = reading.short_name
            with progress(name) as tell:
                graph, start = load_with_source(reading, "cpu", source, tell)
                reasons = choose(apps, graph)[1]
                unfit += left_out_lines(name, reasons)
                facts.append({**graph_facts(name, graph), "source": start, "apps_left_out": reasons})
                measured = measure_scaling(name, graph, start, apps, operators, counts, repeat, limit=limit, tell=tell)
                for each in measured:
                    rows.append(each)
