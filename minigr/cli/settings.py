"""The options of the algorithms, shared by the commands that run one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, get_args

import click

from minigr.apps.similarity.measures import Measure
from minigr.cli.algorithms import ALGORITHMS, Algorithm, Settings
from minigr.cli.loading import complete_graph
from minigr.cli.names import NumberList
from minigr.errors import GraphError
from minigr.program.control import DRIVERS

if TYPE_CHECKING:
    from minigr.graphs import Graph


def _of(option: str) -> str:
    """The algorithms that take an option, for the help of the option."""
    return ", ".join(name for name, algorithm in ALGORITHMS.items() if option in algorithm.options)


_DRIVER_HELP = (
    "What runs the loop: persistent kernels (fused), a CUDA graph (graph), the host, or the fastest of these at each "
    "step (auto). The results are the same."
)
# By the names of the apps' options. The defaults are None, so that the defaults of each app apply.
_ADD = {
    "source": click.option(
        "--source",
        type=int,
        help=f"{_of('source')}: the source vertex.  [default: the vertex of highest degree, lowest id]",
    ),
    "target": click.option(
        "--target", type=int, help=f"{_of('target')}: the target vertex.  [default: the last vertex]"
    ),
    "start": click.option("--start", type=float, help=f"{_of('start')}: the start time.  [default: before all edges]"),
    "duration": click.option(
        "--duration", type=float, help=f"{_of('duration')}: the time that each edge takes.  [default: 0]"
    ),
    "sink": click.option(
        "--sink",
        type=int,
        help=f"{_of('sink')}: the sink vertex.  "
        "[default: the vertex of highest degree, lowest id, except for the source]",
    ),
    "damping": click.option(
        "--damping", type=float, help=f"{_of('damping')}: the probability of following an edge.  [default: 0.85]"
    ),
    "alpha": click.option(
        "--alpha",
        type=float,
        help=f"{_of('alpha')}: each further edge multiplies the count of a walk by this.  "
        "[default: 0.9 / greatest degree]",
    ),
    "epsilon": click.option(
        "--epsilon",
        type=float,
        help=f"{_of('epsilon')}: the allowed error; for a rank, per edge of its vertex.  "
        "[default: 1e-6 for ranks, else 0.05]",
    ),
    "confidence": click.option(
        "--confidence",
        type=float,
        help=f"{_of('confidence')}: the probability that no error is greater.  [default: 0.9]",
    ),
    "tol": click.option(
        "--tol",
        type=float,
        help=f"{_of('tol')}: the change at which to stop.  "
        "[default: 1e-6 per vertex, for hits 1e-8 for all together, for louvain 1e-7]",
    ),
    "max_iter": click.option(
        "--max-iter",
        type=int,
        help=f"{_of('max_iter')}: the number of iterations after which to stop.  "
        "[default: 100, for katz and label-propagation 1000, for louvain and leiden 100000]",
    ),
    "resolution": click.option(
        "--resolution",
        type=float,
        help=f"{_of('resolution')}: a greater value finds more and smaller communities.  [default: 1]",
    ),
    "order": click.option(
        "--order",
        type=click.Choice(("largest_first", "random")),
        help=f"{_of('order')}: the order in which vertices are colored.  [default: largest_first]",
    ),
    "seed": click.option("--seed", type=int, help=f"{_of('seed')}: seed of the random numbers.  [default: 0]"),
    "samples": click.option(
        "--samples", type=int, metavar="K", help=f"{_of('samples')}: start at K vertices only, drawn at random."
    ),
    "weighted": click.option(
        "--by-weight",
        "weighted",
        is_flag=True,
        default=None,
        help=f"{_of('weighted')}: the length of a path is the sum of its weights, not the number of its edges; "
        "walks and samples draw edges in proportion to their weights; similarities compare the weights of the "
        "edges to common neighbors; degrees are sums of weights.",
    ),
    "measure": click.option(
        "--measure",
        type=click.Choice(get_args(Measure)),
        help=f"{_of('measure')}: the measure of similarity.  [default: jaccard]",
    ),
    "k": click.option(
        "--k",
        type=int,
        help="truss: two more than the number of triangles that each edge must be in; cliques: the number of vertices "
        "of a clique; most-similar and negative-samples: the number of pairs; k-shortest-paths: the number of "
        "paths.  [default: 3, 4, 10, and 3]",
    ),
    "length": click.option(
        "--length", type=int, help=f"{_of('length')}: the number of steps of a walk.  [default: 10]"
    ),
    "p": click.option("--p", type=float, help=f"{_of('p')}: divides the chance to go straight back.  [default: 1]"),
    "q": click.option(
        "--q",
        type=float,
        help=f"{_of('q')}: divides the chance to go to a vertex that is no neighbor of the previous vertex.  "
        "[default: 1]",
    ),
    "power": click.option(
        "--power",
        type=float,
        help=f"{_of('power')}: vertices are drawn in proportion to this power of their degree.  [default: 0]",
    ),
    "fanouts": click.option(
        "--fanouts",
        type=NumberList(),
        metavar="A,B,...",
        help=f"{_of('fanouts')}: the number of edges that a vertex draws in each layer; -1 for all.  [default: 10,10]",
    ),
    "replace": click.option(
        "--replace", is_flag=True, default=None, help=f"{_of('replace')}: an edge may be drawn several times."
    ),
    "direction": click.option(
        "--direction",
        type=click.Choice(("auto", "push", "pull")),
        help=f"{_of('direction')}: whether a step follows the edges of its frontier (push), or the other vertices look "
        "for the frontier (pull), or the cheaper way at each step (auto). The results are the same.",
    ),
    "balance": click.option(
        "--balance",
        type=click.Choice(("auto", "thread", "tile", "warp", "block", "merge")),
        help=f"{_of('balance')}: how edges are assigned to threads. Results differ at most by rounding.  "
        "[default: auto]",
    ),
    "driver": click.option("--driver", type=click.Choice(DRIVERS), help=f"{_DRIVER_HELP}  [default: auto]"),
}

driver_option = click.option(
    "--driver", type=click.Choice(DRIVERS), default="auto", show_default=True, help=_DRIVER_HELP
)


def algorithm_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of algorithms to a command, which gets the given options as one argument, ``settings``."""

    @functools.wraps(command)
    def gather(**given: Any) -> Any:
        asked = {name: given.pop(name) for name in _ADD}
        return command(settings={name: value for name, value in asked.items() if value is not None}, **given)

    decorated: Callable[..., Any] = gather
    for add in reversed(_ADD.values()):
        decorated = add(decorated)
    return decorated


def check_taken(settings: Settings, chosen: Sequence[Algorithm]) -> None:
    """Refuse an option that none of the algorithms takes, because it would have no effect."""
    for name in settings:
        if not any(name in algorithm.options for algorithm in chosen):
            flag = "--by-weight" if name == "weighted" else "--" + name.replace("_", "-")
            here = " or ".join(algorithm.name for algorithm in chosen)
            raise click.UsageError(
                f"{flag} is an option of {_of(name)}" + (f", not of {here}" if here else ": name one of them")
            )


def prepare(settings: Settings, chosen: Sequence[Algorithm], graph: Graph) -> Settings:
    """The settings, with the default source if an algorithm starts at a source.

    Raises
    ------
    GraphError
        If an algorithm needs weights that the graph doesn't have.
    """
    from minigr.apps.common.sources import highest_degree

    for algorithm in chosen:
        if algorithm.needs_weights and not graph.weighted:
            raise GraphError(
                f"{algorithm.name} needs edge weights, but the graph was read without weights: use bfs to count hops, "
                "or read a file that has weights, without --no-weights"
            )
    if "source" in settings or not any("source" in algorithm.options for algorithm in chosen):
        return settings
    return {**settings, "source": highest_degree(graph)}


def _complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[Any]:
    """Complete algorithms and graphs. The number of algorithms is only known when the graph is given."""
    from click.shell_completion import CompletionItem

    known = [
        CompletionItem(name, help=algorithm.summary)
        for name, algorithm in ALGORITHMS.items()
        if name.startswith(incomplete)
    ]
    return [*complete_graph(ctx, parameter, incomplete), *known]


algorithms_argument = click.argument(
    "algorithms", nargs=-1, type=click.Choice(list(ALGORITHMS)), metavar="ALGORITHM...", shell_complete=_complete
)
"""One or several algorithms, before the graph."""
