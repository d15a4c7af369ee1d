"""``minigr plot``: pictures of graphs, of runs and of measurements."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minigr.cli.algorithms import ALGORITHMS, Algorithm, Settings, host
from minigr.cli.console import progress, say, status
from minigr.cli.help import examples
from minigr.cli.loading import Reading, device_option, reading_options, readings_options
from minigr.cli.pictures import picture_option
from minigr.cli.settings import algorithm_options, algorithms_argument, check_taken, prepare

if TYPE_CHECKING:
    from minigr.graphs import Graph

_output = picture_option("-o", "--output", required=True, help="The file of the picture: .png, .svg or .pdf.")
_COLORED_BY = [name for name, algorithm in ALGORITHMS.items() if algorithm.colors]


@click.group(
    epilog=examples(
        "plot degrees wordnet roads -o degrees.svg",
        "plot trace bfs wordnet -o bfs.svg",
        "plot bench before.json after.json -o times.svg",
        "plot graph GRAPH.txt --color components -o graph.png",
    )
)
def plot() -> None:
    """Draw graphs, runs and measurements; needs minigr[plot].

    The same command draws the same file. People with any color vision can distinguish the colors.
    """


@plot.command(
    epilog=examples("plot degrees wordnet -o degrees.svg", "plot degrees A.npz B.npz --ccdf --inward -o degrees.png")
)
@readings_options
@click.option("--ccdf", is_flag=True, help="Show the share of vertices with at least this degree, instead of bins.")
@click.option("--inward", is_flag=True, help="Count incoming edges.")
@_output
def degrees(readings: Sequence[Reading], ccdf: bool, inward: bool, output: Path) -> None:
    """Draw the degrees of GRAPHs, on logarithmic axes."""
    from minigr import plot as plots

    graphs = {}
    for reading in readings:
        with status(f"reading {reading.graph}"):
            graphs[reading.short_name] = reading.load("cpu")
    _save(plots.degrees(graphs, inward=inward, ccdf=ccdf), output)


@plot.command(
    epilog=examples("plot trace bfs wordnet -o bfs.svg", "plot trace bfs sssp roads --source 7 --device cuda -o a.png")
)
@algorithms_argument
@reading_options
@algorithm_options
@device_option
@_output
def trace(algorithms: tuple[str, ...], reading: Reading, settings: Settings, device: str | None, output: Path) -> None:
    """Run one or more algorithms on GRAPH step by step, and draw their iterations: frontiers, edges and times."""
    from minigr import plot as plots

    if not algorithms:
        raise click.UsageError("an algorithm and a graph are needed, for example: minigr plot trace bfs GRAPH -o a.svg")
    chosen = [ALGORITHMS[name] for name in dict.fromkeys(algorithms)]
    check_taken(settings, chosen)
    with status(f"reading {reading.graph}"):
        graph = reading.load(device)
    settings = {**prepare(settings, chosen, graph), "trace": True}
    traces = {}
    for algorithm in chosen:
        with status(f"{algorithm.name} on {reading.graph}"):
            algorithm.call(graph, settings)  # compiles or loads the program, so that traced times exclude it
            traces[algorithm.name] = algorithm.call(graph, settings).trace
    _save(plots.trace(traces), output)


@plot.command(epilog=examples("plot bench apps.json -o apps.svg", "plot bench before.json after.json -o change.png"))
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_output
def bench(files: tuple[Path, ...], output: Path) -> None:
    """Draw the FILES that 'minigr bench ... --json' wrote; several files of one command beside each other."""
    from minigr import plot as plots

    _save(plots.bench(files[0] if len(files) == 1 else files), output)


@plot.command(
    epilog=examples(
        "plot graph GRAPH.txt -o graph.svg",
        "plot graph GRAPH.txt --color components --labels -o graph.png",
        "plot graph GRAPH.npz --color hits --field authority --arrows -o graph.svg",
    )
)
@reading_options
@click.option(
    "--color",
    "name",
    type=click.Choice(_COLORED_BY),
    metavar="ALGORITHM",
    help=f"Color vertices by the result of an algorithm: {', '.join(_COLORED_BY)}.",
)
@click.option("--field", help="The column of the result to show, named as by 'minigr run --output'.  [default: first]")
@click.option("--labels", is_flag=True, help="Write each vertex's id beside it.")
@click.option("--arrows/--no-arrows", default=None, help="Draw arrowheads.  [default: for directed graphs]")
@algorithm_options
@device_option
@_output
def graph(
    reading: Reading,
    name: str | None,
    field: str | None,
    labels: bool,
    arrows: bool | None,
    settings: Settings,
    device: str | None,
    output: Path,
) -> None:
    """Draw GRAPH, of at most 2,000 vertices and 20,000 edges, with a result as color."""
    from minigr import plot as plots
    from minigr.plot.drawing import check_size
    from minigr.plot.figures import literal

    if field is not None and name is None:
        raise click.UsageError("--field names a field of an algorithm: name the algorithm with --color")
    algorithm = None if name is None else ALGORITHMS[name]
    check_taken(settings, [] if algorithm is None else [algorithm])
    if algorithm is not None and field is not None and field not in algorithm.fields:
        raise click.BadParameter(f"{name} finds {', '.join(algorithm.fields)}", param_hint="--field")
    with progress(reading.graph) as tell:
        tell("reading")
        loaded = reading.load(device)
        check_size(loaded)
        shown: dict[str, Any] = {}
        if algorithm is not None:
            tell(algorithm.name)
            shown = _values(algorithm, field or algorithm.fields[0], loaded, settings)
        tell("drawing")
        figure = plots.graph(loaded, title=literal(reading.short_name), labels=labels, arrows=arrows, **shown)
    _save(figure, output)


def _values(algorithm: Algorithm, field: str, graph: Graph, settings: Settings) -> dict[str, Any]:
    """The color of each vertex, and its meaning."""
    import numpy as np

    found = host(getattr(algorithm.call(graph, prepare(settings, [algorithm], graph)), field))
    if found.dtype.kind in "iu":  # below 0 there is no depth, parent or label
        found = np.ma.masked_less(found, 0)
    return {"values": found, "categorical": algorithm.colors == "groups", "label": f"{algorithm.name}: {field}"}


def _save(figure: Any, path: Path) -> None:
    from minigr import plot as plots

    with status(f"writing {path}"):
        plots.save(figure, path)
    say(f"wrote {path}")
