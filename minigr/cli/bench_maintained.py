"""``minigr bench maintained``: answers that follow a dynamic graph, compared with computing them again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from minigr.cli.bench_options import (
    examples,
    json_option,
    left_out_lines,
    reported,
    require_rows,
    resolve,
    split,
    whole_numbers,
    write,
)
from minigr.cli.bench_tables import show_maintained
from minigr.cli.console import progress, say
from minigr.cli.loading import Reading, device_option, load_with_source, readings_options


@click.command(
    epilog=examples(
        "maintained roads", "maintained A.npz B.npz --answers triangles,bfs --batch 100,1000 --json out.json"
    )
)
@readings_options
@click.option("--source", type=int, help="The vertex at which searches start.  [default: the vertex of highest degree]")
@click.option(
    "--answers",
    "names",
    metavar="A,B,...",
    help="The answers: bfs, sssp, components, pagerank, pagerank-1e-10, triangles, core-number, coloring; and, as in "
    "Meerkat's paper, without a tree: bfs-vanilla, sssp-vanilla.  [default: all except these two, if the graph has the "
    "weights that they need]",
)
@click.option(
    "--batch",
    "sizes",
    metavar="N,...",
    default="10000",
    show_default=True,
    help="The number of edges of a batch; several sizes may be given.",
)
@click.option(
    "--batches", "count", type=click.IntRange(min=1), default=10, show_default=True, help="The number of batches."
)
@click.option("--kind", "kinds", metavar="A,B", help="What batches consist of: edges, pairs.  [default: both]")
@click.option(
    "--recompute",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When answers are computed again instead of repaired, as in mg.dynamic.",
)
@device_option
@json_option
def maintained(
    readings: Sequence[Reading],
    source: int | None,
    names: str | None,
    sizes: str,
    count: int,
    kinds: str | None,
    recompute: Any,
    device: str | None,
    json_file: Path | None,
) -> None:
    """Time answers that follow a dynamic graph of GRAPH's edges, and computing them again after each batch.

    edges: edges of the graph are deleted, batch by batch, and inserted again. pairs: random pairs of vertices are
    inserted and deleted again. Times exclude the graph's own update; each answer is compared with the answer that is
    computed again. After an error or Ctrl-C, the earlier measurements are kept.
    """
    from minigr.bench import maintained as measuring
    from minigr.bench.document import graph_facts

    chosen = split(names, measuring.ANSWERS, "--answers") or [
        each for each, what in measuring.ANSWERS.items() if what.usual
    ]
    edges = whole_numbers(sizes, "--batch")
    wanted = split(kinds, measuring.KINDS, "--kind") or measuring.KINDS
    drawn = [measuring.Batches(kind, size, count) for size in edges for kind in wanted]
    where = resolve(device)
    batch = edges[0] if len(edges) == 1 else edges
    settings = {"batch": batch, "batches": count, "recompute": recompute}
    rows: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []
    unfit: list[str] = []

    def report() -> None:
        show_maintained(rows)
        for line in unfit:
            say(line)
        write(json_file, "maintained", where, settings, facts, rows)

    with reported(rows, report):
        for reading in readings:
            name = reading.short_name
            with progress(name) as tell:
                graph, start = load_with_source(reading, device, source, tell)
                reasons = measuring.unfit(chosen, graph)
                unfit += left_out_lines(name, reasons)
                facts.append({**graph_facts(name, graph), "source": start, "answers_left_out": reasons})
                for found in measuring.measure_maintained(name, graph, start, chosen, drawn, tell, recompute):
                    rows.append(found)
    require_rows(rows, unfit)
