"""``minigr convert``: a graph from one file to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from minigr.cli.console import say, status
from minigr.cli.help import examples
from minigr.cli.loading import Reading, reading_options
from minigr.cli.results import keep_apart

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.graphs.edit import Combine
    from minigr.labels import Labels

_WAYS = ("sum", "min", "max", "first", "count")


@click.command(
    epilog=examples(
        "convert GRAPH.txt.gz GRAPH.minigr",
        "convert roads roads.mtx --directed",
        "convert GRAPH.mtx part.npz --simplify sum --largest-component",
    )
)
@reading_options
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--at-once",
    type=click.IntRange(min=1 << 16),
    metavar="BYTES",
    help="Of a .minigr folder: how much of the rows to hold in memory.  [default: half of what is free]",
)
@click.option(
    "--to-undirected",
    type=click.Choice([*_WAYS, "each"]),
    help="Of a directed graph: one edge for two vertices, with the sum, ... of the weights between them; or each edge.",
)
@click.option(
    "--simplify",
    type=click.Choice(_WAYS),
    help="Leave self-loops out, and have one edge in the place of parallel ones, with the sum, ... of their weights.",
)
@click.option(
    "--label", metavar="NAME", help="GraphML, GML: the attribute of vertices that is their name in OUT, or id."
)
@click.option("--largest-component", is_flag=True, help="Only the largest connected component, with new numbers.")
def convert(
    reading: Reading,
    out: Path,
    at_once: int | None,
    to_undirected: Combine | None,
    simplify: Combine | None,
    largest_component: bool,
    label: str | None,
) -> None:
    """Read GRAPH and write it to OUT, whose ending names the format.

    A .minigr folder is made of an edge list, a Matrix Market or DIMACS file or a Parquet table without the graph in
    memory, unless its vertices are to be numbered (--relabel) or the graph is to be changed. Changes are made in this
    order: --to-undirected, --simplify, --largest-component. Names of vertices go from GraphML or GML to GraphML or GML.
    """
    import minigr as mg
    from minigr.io.registry import format_of, writer

    writer(out)  # before the work of reading what could not be written
    keep_apart([reading.graph], out=out)
    changes = to_undirected or simplify or largest_component
    if format_of(out, None) == "minigr" and not (reading.relabel or reading.weights or reading.mmap or changes):
        arguments = reading.arguments()
        arguments = {name: value for name, value in arguments.items() if name not in ("relabel", "mmap")}
        with status(f"writing {out}"):
            mg.convert(**arguments, target=out, at_once=at_once)
        say(f"wrote {out}")
        return
    if at_once is not None:
        raise click.UsageError(
            "--at-once is for a .minigr folder, without --relabel, --weights and --mmap, of the graph as it is"
        )
    with status(f"reading {reading.graph}"):
        graph, labels = _read(reading, out, label)
    with status("changing it"):
        graph, labels = _changed(graph, labels, to_undirected, simplify, largest_component)
    with status(f"writing {out}"):
        mg.write(graph, out, labels=labels)
    say(f"wrote {out}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges")


def _read(reading: Reading, out: Path, label: str | None) -> tuple[Graph, Labels | None]:
    """The graph on the CPU, and the names of its vertices if the formats of both files have some."""
    from minigr.io.registry import EXTENSIONS, NAMED, is_named

    source = reading.format or EXTENSIONS.get(Path(reading.graph.removesuffix(".gz")).suffix.lower())
    if source in NAMED and is_named(out, None) and not (reading.relabel or reading.mmap):
        return reading.load_named(label)
    if label is not None:
        raise click.UsageError("--label is for names that go from GraphML or GML to GraphML or GML, without --relabel")
    return reading.load("cpu"), None


def _changed(
    graph: Graph, labels: Labels | None, to_undirected: Combine | None, simplify: Combine | None, largest: bool
) -> tuple[Graph, Labels | None]:
    import minigr as mg

    if to_undirected is not None:
        graph = graph.to_undirected(to_undirected)
    if simplify is not None:
        graph = graph.simplify(simplify)
    if not largest:
        return graph, labels
    found = mg.largest_component(graph)
    return found.graph, None if labels is None else mg.Labels(labels[found.vertices])
