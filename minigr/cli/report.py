"""The output of ``minigr run``: the graph, one line per algorithm, and traced iterations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from minigr.cli.console import print_table, readable, say

if TYPE_CHECKING:
    from minigr.graphs import Graph


@dataclass(frozen=True)
class Run:
    """The outcome of one algorithm: times in milliseconds, figures, and traced iterations, if any.

    `first_ms` includes compiling, or loading a program that an earlier process compiled. `run_ms` is the median of
    further runs, None if there are none.
    """

    algorithm: str
    first_ms: float
    run_ms: float | None
    summary: dict[str, Any]
    trace: list[dict[str, Any]] | None


def graph_facts(name: str, graph: Graph, read_ms: float) -> dict[str, Any]:
    """The facts about the graph in a report."""
    return {
        "name": name,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "directed": graph.directed,
        "weighted": graph.weighted,
        "device": str(graph.device),
        "arcs": graph.arcs,
        "read_ms": read_ms,
    }


def print_graph(facts: dict[str, Any], source: int | None) -> None:
    """Print the facts about the graph in readable form."""
    kind = ("directed" if facts["directed"] else "undirected") + (", weighted" if facts["weighted"] else "")
    say(f"{facts['name']}: {facts['vertices']:,} vertices, {facts['edges']:,} edges, {kind}")
    start = "" if source is None else f"; source: vertex {source}"
    device = f"{facts['device']}, arcs on the host" if facts["arcs"] == "host" else facts["device"]
    say(f"read in {facts['read_ms']:,.1f} ms; device: {device}{start}")


def print_runs(runs: list[Run]) -> None:
    """Print the result table and the traces."""
    repeated = any(run.run_ms is not None for run in runs)
    header = ["algorithm", "compile + run, ms", *(["run, ms"] if repeated else []), "result"]
    times = [[run.first_ms, run.run_ms] if repeated else [run.first_ms] for run in runs]
    print_table(header, [[run.algorithm, *ms, _figures(run.summary)] for run, ms in zip(runs, times, strict=True)])

    for run in runs:
        if run.trace:
            say(f"{run.algorithm}, iteration by iteration")
            print_table(list(run.trace[0]), [list(row.values()) for row in run.trace])


def _figures(summary: dict[str, Any]) -> str:
    return "\n".join(f"{name.replace('_', ' ')}: {_figure(value)}" for name, value in summary.items())


def _figure(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(f"{vertex} ({score:.4g})" for vertex, score in value)
    return readable(value)
