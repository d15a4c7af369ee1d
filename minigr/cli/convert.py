"""``minigr convert``: a graph from one file to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from minigr.cli.console import say, status
from minigr.cli.help import examples
from minigr.cli.loading import Reading, keep_option, reading_options
from minigr.cli.results import check_ending, keep_apart

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
    help="For a .minigr folder: how much of the rows to hold in memory.  [default: half of the free memory]",
)
@click.option(
    "--to-undirected",
    type=click.Choice([*_WAYS, "each"]),
    help="Make a directed graph undirected: one edge for two vertices, with the sum, ... of the weights between them; "
    "or, with each, every edge separately.",
)
@click.option(
    "--simplify",
    type=click.Choice(_WAYS),
    help="Remove self-loops, and replace parallel edges by one edge with the sum, ... of their weights.",
)
@click.option("--label", metavar="NAME", help="GraphML, GML: the vertex attribute that is the name in OUT, or id.")
@keep_option("all from and to GraphML, GML, .npz and .minigr, otherwise none")
@click.option("--largest-component", is_flag=True, help="Keep only the largest connected component, with new numbers.")
def convert(
    reading: Reading,
    out: Path,
    at_once: int | None,
    to_undirected: Combine | None,
    simplify: Combine | None,
    largest_component: bool,
    keep: bool | list[str] | None,
    label: str | None,
) -> None:
    """Read GRAPH and write it to OUT, whose ending names the format.

    A .minigr folder is made from an edge list, a Matrix Market or DIMACS file or a Parquet table without the graph in
    memory, except with --relabel or an option that changes the graph. Changes are made in this order: --to-undirected,
    --simplify, --largest-component. The names of vertices are kept from GraphML or GML to GraphML or GML. Columns and
    attributes are kept from GraphML, GML, .npz and .minigr to any of these formats. --keep keeps the columns of tables.
    """
    import minigr as mg
    from minigr.io.registry import EXTENSIONS, NAMED, WITH_COLUMNS, WITH_EDGE_COLUMNS, format_of, is_named, writer

    check_ending(out, EXTENSIONS)
    writer(out)  # before the work of reading, in case the graph can't be written
    keep_apart([reading.graph], {"OUT": out})
    if keep and format_of(out, None) not in WITH_EDGE_COLUMNS:
        raise click.UsageError(f"--keep needs OUT in one of the formats {', '.join(WITH_EDGE_COLUMNS)}")
    named = _format_of(reading) in NAMED and is_named(out, None) and not reading.mmap
    if label is not None and not named:
        raise click.UsageError("--label needs both files in GraphML or GML, and no --mmap")
    if keep is None:
        keep = format_of(out, None) in WITH_COLUMNS and _format_of(reading) in WITH_COLUMNS
    changes = to_undirected or simplify or largest_component
    if format_of(out, None) == "minigr" and not (reading.relabel or reading.weights or reading.mmap or changes):
        arguments = reading.arguments()
        arguments = {name: value for name, value in arguments.items() if name not in ("relabel", "mmap", "keep")}
        with status(f"writing {out}"):
            mg.convert(**arguments, target=out, at_once=at_once, keep=keep)
        say(f"wrote {out}")
        return
    if at_once is not None:
        raise click.UsageError(
            "--at-once needs an OUT that ends in .minigr, and does not go with --relabel, --weights, --mmap or changes "
            "of the graph"
        )
    with status(f"reading {reading.graph}"):
        labels: Labels | None = None
        if named:
            graph, labels = reading.load_named(label, keep)
        else:
            graph = reading.load("cpu", keep=keep)
    if reading.weights is False or reading.attribute is not None:
        graph = _without_other_weights(graph)
    with status("changing it"):
        graph, labels = _changed(graph, labels, to_undirected, simplify, largest_component)
    with status(f"writing {out}"):
        mg.write(graph, out, labels=labels)
    columns = [*graph.vertex_columns, *graph.edge_columns]
    told = f", columns {', '.join(columns)}" if columns else ""
    say(f"wrote {out}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges{told}")


def _format_of(reading: Reading) -> str | None:
    from minigr.io.registry import EXTENSIONS

    return reading.format or EXTENSIONS.get(Path(reading.graph.removesuffix(".gz")).suffix.lower())


def _without_other_weights(graph: Graph) -> Graph:
    """The graph without columns of edges that a reader of OUT would take for weights."""
    from minigr.io.columns import SPELLINGS

    edges = {name: column for name, column in graph.edge_columns.items() if name not in SPELLINGS["weight"]}
    return graph.without_columns().with_columns(graph.vertex_columns, edges)


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
