"""``minigr bench maintained``: answers that follow a dynamic graph, beside computing them anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from minigr.cli.bench_options import examples, json_option, resolve, split, write
from minigr.cli.bench_tables import show_maintained
from minigr.cli.console import progress
from minigr.cli.loading import Reading, device_option, load_with_source, readings_options


@click.command(
    epilog=examples("maintained roads", "maintained A.npz B.npz --answers triangles,bfs --batch 1000 --json out.json")
)
@readings_options
@click.option("--source", type=int, help="Where searches start.  [default: the vertex of highest degree]")
@click.option(
    "--answers",
    "names",
    metavar="A,B,...",
    help="Which: bfs, sssp, components, pagerank, pagerank-1e-10, triangles, core-number, coloring.  [default: all "
    "that the graph has weights for]",
)
@click.option("--batch", type=click.IntRange(min=1), default=10_000, show_default=True, help="Edges of a batch.")
@click.option("--batches", "count", type=click.IntRange(min=1), default=10, show_default=True, help="How many.")
@click.option("--kind", "kinds", metavar="A,B", help="What batches are of: edges, pairs.  [default: both]")
@device_option
@json_option
def maintained(
    readings: Sequence[Reading],
    source: int | None,
    names: str | None,
    batch: int,
    count: int,
    kinds: str | None,
    device: str | None,
    json_file: Path | None,
) -> None:
    """Time answers that follow a dynamic graph of GRAPH's edges, beside computing them anew after each batch.

    edges: edges of the graph are deleted, batch by batch, and inserted again. pairs: random pairs of vertices are
    inserted and deleted again. Times are without the graph's own update; each answer is compared with the one computed
    anew.
    """
    from minigr.bench import maintained as measuring
    from minigr.bench.document import graph_facts

    chosen = split(names, measuring.ANSWERS, "--answers") or list(measuring.ANSWERS)
    drawn = [
        measuring.Batches(kind, batch, count) for kind in split(kinds, measuring.KINDS, "--kind") or measuring.KINDS
    ]
    where = resolve(device)
    rows, facts = [], []
    for reading in readings:
        name = reading.short_name
        with progress(name) as tell:
            graph, start = load_with_source(reading, device, source, tell)
            facts.append({**graph_facts(name, graph), "source": start})
            rows += measuring.measure_maintained(name, graph, start, chosen, drawn, tell)
    show_maintained(rows)
    write(json_file, "maintained", where, {"batch": batch, "batches": count}, facts, rows)
