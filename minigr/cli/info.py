"""``minigr info``: a description of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from minigr.cli.console import print_table, status
from minigr.cli.estimates import estimates_of_all
from minigr.cli.help import examples
from minigr.cli.loading import Reading, keep_option, reading_options
from minigr.cli.results import Results, flat, keep_apart, result_options

if TYPE_CHECKING:
    from minigr.graphs import Graph


@click.command(epilog=examples("info roads --diameter", "info GRAPH.txt.gz --columns src,dst,time --relabel --json"))
@reading_options
@keep_option("those of .npz and .minigr")
@click.option("--diameter", is_flag=True, help="Also find a lower bound of the diameter, with a few searches.")
@click.option(
    "--memory", is_flag=True, help="Also show how much memory each algorithm would take in addition to the graph."
)
@result_options("property")
def info(reading: Reading, keep: bool | list[str] | None, diameter: bool, memory: bool, results: Results) -> None:
    """Describe GRAPH: its size, degrees, weights and columns.

    The degree of a vertex of a directed graph counts its outgoing edges. An isolated vertex has no edges in either
    direction. A simple graph has no self-loops and no parallel edges. The diameter is the greatest distance in edges;
    --diameter finds a lower bound of the diameter. --memory estimates the peak memory in bytes of each algorithm that
    takes such a graph, on the CPU, with the defaults of minigr run. Columns of vertices and edges are shown with their
    types.
    """
    keep_apart([reading.graph], {"--json": results.json, "--csv": results.csv})
    graph = reading.load("cpu", keep=keep)
    facts = {"name": reading.graph, **describe(graph)}
    if diameter:
        with status("searching from far vertices"):
            facts["diameter_at_least"] = far_apart(graph)
    if memory:
        facts["memory"] = {row["algorithm"]: row["host_bytes"] for row in estimates_of_all(graph)}
    rows = flat(facts)
    if not results.on_stdout:
        print_table(("property", "value"), [(name.replace("_", " "), value) for name, value in rows.items()])
    results.write(facts, [{"property": name, "value": value} for name, value in rows.items()])


def far_apart(graph: Graph) -> int:
    """A distance in edges between two vertices that are far apart; 0 for a graph without edges.

    Each search starts at a vertex that is farthest in the previous search, of several the one with the fewest edges,
    until a search finds no greater distance. (Magnien, Latapy, Habib, Fast computation of empirically tight bounds for
    the diameter of massive graphs, 2009: the multi-sweep lower bound.)
    """
    import numpy as np

    import minigr as mg

    degree = graph.out_degree()
    if not graph.num_arcs:
        return 0
    farthest, source = 0, int(degree.argmax())
    while True:
        depth = mg.bfs(graph, source).depth
        if not (reached := int(depth.max())) > farthest:
            return farthest
        last = np.flatnonzero(depth == reached)
        farthest, source = reached, int(last[degree[last].argmin()])


def describe(graph: Graph) -> dict[str, Any]:
    """The figures of ``minigr info`` for a graph on the CPU, in types that JSON has."""
    import numpy as np

    degree = graph.out_degree()
    facts: dict[str, Any] = {
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "arcs": graph.num_arcs,
        "directed": graph.directed,
        "weighted": graph.weighted,
        "simple": graph.is_simple,
        "self_loops": graph.num_self_loops,
        "isolated": int(np.count_nonzero((degree == 0) & (graph.in_degree() == 0))),
        "bytes": sum(array.nbytes for array in (graph.offsets, graph.indices, graph.weights) if array is not None),
    }
    for what, columns in (("vertex_columns", graph.vertex_columns), ("edge_columns", graph.edge_columns)):
        if columns:
            facts["column_bytes"] = facts.get("column_bytes", 0) + columns.memory
            facts[what] = {name: str(getattr(column, "dtype", None) or column.type) for name, column in columns.items()}
    if degree.size:
        facts["degree"] = {
            "min": int(degree.min()),
            "mean": float(degree.mean()),
            "median": float(np.median(degree)),
            "max": int(degree.max()),
        }
    if graph.weighted:
        finite = graph.weights[np.isfinite(graph.weights)]
        facts["weight"] = {"dtype": str(finite.dtype), "infinite": graph.num_arcs - finite.size}
        if finite.size:
            facts["weight"] |= {"min": finite.min().item(), "max": finite.max().item()}
    return facts
