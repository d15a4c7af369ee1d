"""``minigr run``: algorithms on a graph, timed and summed up."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from minigr.cli.algorithms import ALGORITHMS, Algorithm, Settings, host
from minigr.cli.console import progress, say
from minigr.cli.estimates import estimates_of, print_estimates
from minigr.cli.help import examples
from minigr.cli.loading import Reading, device_option, devices_option, names_of_devices, reading_options
from minigr.cli.output import check_output, write_columns
from minigr.cli.report import Run, graph_facts, print_graph, print_runs
from minigr.cli.results import Results, flat, keep_apart, result_options
from minigr.cli.settings import algorithm_options, algorithms_argument, check_taken, prepare

if TYPE_CHECKING:
    from minigr.graphs import Graph


def _help_epilog() -> str:
    lines = "\n".join(f"  {algorithm.name:17} {algorithm.summary}" for algorithm in ALGORITHMS.values())
    shown = examples(
        "run bfs sssp roads --source 7 --repeat 5",
        "run pagerank GRAPH.mtx --tol 1e-8 --output ranks.csv",
        "run components coloring GRAPH.npz --json",
        "run betweenness triangles GRAPH.npz --estimate",
    )
    return f"\b\nAlgorithms:\n{lines}\n\n{shown}"


@click.command(epilog=_help_epilog())
@algorithms_argument
@reading_options
@algorithm_options
@device_option
@devices_option("Divide the graph into parts")
@click.option(
    "--arcs",
    type=click.Choice(["device", "host"]),
    default="device",
    help="The memory from which a GPU reads the edges; host is for a graph that is larger than GPU memory.  "
    "[default: device]",
)
@click.option("--dynamic", is_flag=True, help="Copy the edges to a DynamicGraph first, and run on this graph.")
@click.option(
    "--repeat", type=click.IntRange(min=0), default=0, metavar="N", help="Time N further runs, and show their median."
)
@click.option(
    "--estimate",
    is_flag=True,
    help="Run no algorithm, and show how much memory each would take in addition to the graph.",
)
@click.option(
    "--trace", is_flag=True, help="Run once more, untimed and with the host as driver, and show every iteration."
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=check_output,
    metavar="FILE",
    help="Write one row per vertex, for a truss one per edge, for walks one per walk, for a path one per vertex on it: "
    ".npz, .csv or .parquet.",
)
@result_options("algorithm")
def run(
    algorithms: tuple[str, ...],
    reading: Reading,
    device: str | None,
    devices: str | None,
    arcs: Literal["device", "host"],
    dynamic: bool,
    repeat: int,
    estimate: bool,
    trace: bool,
    output: Path | None,
    settings: Settings,
    results: Results,
) -> None:
    """Run one or more algorithms on GRAPH.

    The first call of an algorithm compiles the algorithm or loads it from the cache, and its time includes this.
    --repeat also shows the time without compiling.
    """
    if not algorithms:
        raise click.UsageError("an algorithm and a graph are needed, for example: minigr run bfs GRAPH")
    if estimate and (repeat or trace or output is not None):
        raise click.UsageError("--estimate runs nothing: leave out --repeat, --trace and --output")
    if dynamic and arcs == "host":
        raise click.UsageError("--arcs host does not go with --dynamic: a DynamicGraph is in the GPU's memory")
    if devices is not None and (device or dynamic or arcs == "host" or estimate):
        raise click.UsageError("--devices does not go with --device, --dynamic, --arcs or --estimate")
    keep_apart([reading.graph], {"--output": output, "--json": results.json, "--csv": results.csv})
    chosen = [ALGORITHMS[name] for name in dict.fromkeys(algorithms)]
    check_taken(settings, chosen)
    for name in [algorithm.name for algorithm in chosen if not algorithm.fields and output is not None]:
        raise click.UsageError(f"{name} finds only figures, and no rows: leave out --output, or run {name} separately")
    if output is not None and len({algorithm.rows for algorithm in chosen}) > 1:
        raise click.UsageError(
            "--output has rows of one kind, vertices, edges, walks, degrees or the steps of a path: run algorithms "
            "with different rows separately"
        )

    started = time.perf_counter()
    graph: Any = reading.load(device, arcs) if devices is None else reading.load_in_parts(names_of_devices(devices))
    if dynamic:
        graph = _as_dynamic(graph)
    read_ms = _milliseconds_since(started)

    settings = prepare(settings, chosen, graph)
    facts = graph_facts(reading.graph, graph, read_ms)
    if devices is not None:
        facts["parts"] = asdict(graph.report())
    if estimate:
        rows = estimates_of(chosen, graph, settings)
        if not results.on_stdout:
            print_graph(facts, settings.get("source"))
            print_estimates(rows)
        results.write({"graph": facts, "source": settings.get("source"), "estimates": rows}, rows)
        return
    runs, columns = [], {}
    for algorithm in chosen:
        with progress(f"{algorithm.name} on {reading.graph}") as tell:
            told = {**settings, "progress": lambda done, of, tell=tell: tell(_so_far(done, of))}
            outcome, result = _measure(algorithm, graph, told, repeat, trace)
        runs.append(outcome)
        prefix = f"{algorithm.name}_" if len(chosen) > 1 else ""
        if output is not None:
            for field in algorithm.fields:
                columns.update(_columns(prefix + field, host(getattr(result, field))))
    if output is not None:
        write_columns(output, columns, chosen[0].rows)

    if not results.on_stdout:
        print_graph(facts, settings.get("source"))
        if devices is not None:
            say(str(graph.report()))
        print_runs(runs)
        if output is not None:
            say(f"wrote {output}: {', '.join(columns)}")
    outcomes = [asdict(outcome) for outcome in runs]
    written = None if output is None else str(output)
    document = {
        "graph": facts,
        "source": settings.get("source"),
        "repeat": repeat,
        "results": outcomes,
        "output": written,
    }
    rows = [
        flat({"algorithm": run.algorithm, "first_ms": run.first_ms, "run_ms": run.run_ms, **run.summary})
        for run in runs
    ]
    results.write(document, rows)


def _so_far(done: int, of: int | None) -> str:
    """The progress of an algorithm: the number of steps of its loop, or of sources if it sums over searches."""
    return f"{done:,} done" if of is None else f"{done:,} of at most {of:,} done"


def _columns(name: str, array: Any) -> dict[str, Any]:
    """An array of a result as columns: one column, or one for each row of the array."""
    return {name: array} if array.ndim == 1 else {f"{name}_{number}": row for number, row in enumerate(array)}


def _as_dynamic(graph: Graph) -> Any:
    """A dynamic graph with the edges of a graph, repeated edges once, and everything that algorithms may need."""
    from minigr.graphs.dynamic import DynamicGraph

    return DynamicGraph.from_graph(graph, in_edges=graph.directed, allow_self_loops=True)


def _measure(algorithm: Algorithm, graph: Graph, settings: Settings, repeat: int, trace: bool) -> tuple[Run, Any]:
    """Time the first call and `repeat` further calls; then trace one if requested, which may run slower."""
    from minigr.device import resolve

    def timed(call: Callable[[], Any]) -> tuple[float, Any]:
        started = time.perf_counter()
        result = call()
        for name in dict.fromkeys(getattr(graph, "devices", [graph.device])):
            resolve(name).synchronize()
        return _milliseconds_since(started), result

    first_ms, result = timed(lambda: algorithm.call(graph, settings))
    times = [timed(lambda: algorithm.call(graph, settings))[0] for _ in range(repeat)]
    traced = None
    if trace and "trace" in algorithm.options:
        traced = algorithm.call(graph, {**settings, "trace": True, "driver": "host"}).trace
    rows = None if traced is None else traced.as_dicts()
    run_ms = statistics.median(times) if times else None
    return Run(algorithm.name, first_ms, run_ms, algorithm.describe(result), rows), result


def _milliseconds_since(started: float) -> float:
    return (time.perf_counter() - started) * 1e3
