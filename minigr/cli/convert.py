"""``minigr convert``: a graph from one file to another."""

from __future__ import annotations

from pathlib import Path

import click

from minigr.cli.console import say, status
from minigr.cli.help import examples
from minigr.cli.loading import Reading, reading_options
from minigr.cli.results import keep_apart


@click.command(epilog=examples("convert GRAPH.txt.gz GRAPH.minigr", "convert roads roads.mtx --directed"))
@reading_options
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--at-once",
    type=click.IntRange(min=1 << 16),
    metavar="BYTES",
    help="Of a .minigr folder: how much of the rows to hold in memory.  [default: half of what is free]",
)
def convert(reading: Reading, out: Path, at_once: int | None) -> None:
    """Read GRAPH and write it to OUT, whose ending names the format.

    A .minigr folder is made of an edge list, a Matrix Market or DIMACS file or a Parquet table without the graph in
    memory, unless its vertices are to be numbered (--relabel).
    """
    import minigr as mg
    from minigr.io.registry import format_of, writer

    writer(out)  # before the work of reading what could not be written
    keep_apart([reading.graph], out=out)
    if format_of(out, None) == "minigr" and not (reading.relabel or reading.weights or reading.mmap):
        arguments = reading.arguments()
        arguments = {name: value for name, value in arguments.items() if name not in ("relabel", "mmap")}
        with status(f"writing {out}"):
            mg.convert(**arguments, target=out, at_once=at_once)
        say(f"wrote {out}")
        return
    if at_once is not None:
        raise click.UsageError("--at-once is for a .minigr folder, without --relabel, --weights and --mmap")
    with status(f"reading {reading.graph}"):
        graph = reading.load("cpu")
    with status(f"writing {out}"):
        mg.write(graph, out)
    say(f"wrote {out}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges")
