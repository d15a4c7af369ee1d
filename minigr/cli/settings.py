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
    """The algorithms that take an option, for its help."""
    return ", ".join(name for name, algorithm in ALGORITHMS.items() if option in algorithm.options)


_DRIVER_HELP = (
    "What runs the loop: persistent kernels (fused), a CUDA graph (graph), the host, or the fastest of them at each "
    "step (auto). The results are the same."
)
# By the names of the apps' options. They are None where they are not given, so that each app has its own defaults.
_ADD = {
    "source": click.option(
        "--source",
        type=int,
        help=f"{_of('source')}: where to start.  [default: the vertex of highest degree, lowest id]",
    ),
    "target": click.option("--target", type=int, help=f"{_of('target')}: where to go.  [default: the last vertex]"),
    "start": click.option("--start", type=float, help=f"{_of('start')}: when it begins.  [default: before all edges]"),
    "duration": click.option(
        "--duration", type=float, help=f"{_of('duration')}: how long each edge takes.  [default: 0]"
    ),
    "sink": click.option(
        "--sink",
        type=int,
        help=f"{_of('sink')}: where to end.  [default: the vertex of highest degree, lowest id, except for the source]",
    ),
    "damping": click.option(
        "--damping", type=float, help=f"{_of('damping')}: chance of following an edge.  [default: 0.85]"
    ),
    "alpha": click.option(
        "--alpha",
        type=float,
        help=f"{_of('alpha')}: how much less each further edge of a walk counts.  [default: 0.9 / greatest degree]",
    ),
    "epsilon": click.option(
        "--epsilon",
        type=float,
        help=f"{_of('epsilon')}: the error allowed, of a rank for each edge.  [default: 1e-6 for ranks, 0.05]",
    ),
    "confidence": click.option(
        "--confidence",
        type=float,
        help=f"{_of('confidence')}: the chance that no error is greater.  [default: 0.9]",
    ),
    "tol": click.option(
        "--tol",
        type=float,
        help=f"{_of('tol')}: the change to stop at.  [default: 1e-6 a vertex, for hits 1e-8 in all, for louvain 1e-7]",
    ),
    "max_iter": click.option(
        "--max-iter",
        type=int,
        help=f"{_of('max_iter')}: iterations to stop after.  "
        "[default: 100, for katz and labels 1000, for louvain and leiden 100000]",
    ),
    "resolution": click.option(
        "--resolution",
        type=float,
        help=f"{_of('resolution')}: greater ones find more and smaller communities.  [default: 1]",
    ),
    "order": click.option(
        "--order",
        type=click.Choice(("largest_first", "random")),
        help=f"{_of('order')}: which vertices come first.  [default: largest_first]",
    ),
    "seed": click.option("--seed", type=int, help=f"{_of('seed')}: of random numbers.  [default: 0]"),
    "samples": click.option(
        "--samples", type=int, metavar="K", help=f"{_of('samples')}: begin at K vertices only, drawn at random."
    ),
    "weighted": click.option(
        "--by-weight",
        "weighted",
        is_flag=True,
        default=None,
        help=f"{_of('weighted')}: paths are as long as their weights, not as their hops; walks and "
        "samples take edges in proportion to their weights; of the neighbors that vertices share weights are compared; "
        "degrees are sums of weights.",
    ),
    "measure": click.option(
        "--measure",
        type=click.Choice(get_args(Measure)),
        help=f"{_of('measure')}: what is made of the neighbors that vertices share.  [default: jaccard]",
    ),
    "k": click.option(
        "--k",
        type=int,
        help="truss: two more than the triangles of an edge; cliques: their vertices; most-similar and "
        "negative-samples: how many pairs; k-shortest-paths: how many paths.  [default: 3, 4, 10, and 3]",
    ),
    "length": click.option("--length", type=int, help=f"{_of('length')}: steps of each.  [default: 10]"),
    "p": click.option(
        "--p", type=float, help=f"{_of('p')}: what the chance to go straight back is divided by.  [default: 1]"
    ),
    "q": click.option(
        "--q",
        type=float,
        help=f"{_of('q')}: what the chance to go to no neighbor of the vertex before is divided by.  [default: 1]",
    ),
    "power": click.option(
        "--power",
        type=float,
        help=f"{_of('power')}: vertices are drawn in proportion to their degree to this power.  [default: 0]",
    ),
    "fanouts": click.option(
        "--fanouts",
        type=NumberList(),
        metavar="A,B,...",
        help=f"{_of('fanouts')}: how many edges a vertex draws in each layer; -1 for all.  [default: 10,10]",
    ),
    "replace": click.option(
        "--replace", is_flag=True, default=None, help=f"{_of('replace')}: an edge may be drawn several times."
    ),
    "direction": click.option(
        "--direction",
        type=click.Choice(("auto", "push", "pull")),
        help=f"{_of('direction')}: whether a step goes along the edges of its frontier, or other vertices look for it. "
        "The results are the same.",
    ),
    "balance": click.option(
        "--balance",
        type=click.Choice(("auto", "thread", "tile", "warp", "block", "merge")),
        help=f"{_of('balance')}: how edges are dealt out. Results differ by rounding at most.  [default: auto]",
    ),
    "driver": click.option("--driver", type=click.Choice(DRIVERS), help=f"{_DRIVER_HELP}  [default: auto]"),
}

driver_option = click.option(
    "--driver", type=click.Choice(DRIVERS), default="auto", show_default=True, help=_DRIVER_HELP
)


def algorithm_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of algorithms to a command, which gets those that are given as one argument, ``settings``."""

    @functools.wraps(command)
    def gather(**given: Any) -> Any:
        asked = {name: given.pop(name) for name in _ADD}
        return command(settings={name: value for name, value in asked.items() if value is not None}, **given)

    decorated: Callable[..., Any] = gather
    for add in reversed(_ADD.values()):
        decorated = add(decorated)
    return decorated


def check_taken(settings: Settings, chosen: Sequence[Algorithm]) -> None:
    """Refuse an option that none of the algorithms takes, which would be without effect."""
    for name in settings:
        if not any(name in algorithm.options for algorithm in chosen):
            flag = "--by-weight" if name == "weighted" else "--" + name.replace("_", "-")
            here = " or ".join(algorithm.name for algorithm in chosen)
            raise click.UsageError(
                f"{flag} is an option of {_of(name)}" + (f", not of {here}" if here else ": name one of them")
            )


def prepare(settings: Settings, chosen: Sequence[Algorithm], graph: Graph) -> Settings:
    """The settings with the default source filled in where an algorithm starts at one.

    Raises
    ------
    GraphError
        If an algorithm needs weights that the graph doesn't have.
    """
    from minigr.apps.common.sources import highest_degree

    for algorithm in chosen:
        if algorithm.needs_weights and not graph.weighted:
            raise GraphError(
                f"{algorithm.name} needs edge weights, and the graph was read without any: use bfs to count hops, "
                "or a file that has weights, and no --no-weights"
            )
    if "source" in settings or not any("source" in algorithm.options for algorithm in chosen):
        return settings
    return {**settings, "source": highest_degree(graph)}


def _complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[Any]:
    """Algorithms, and graphs: how many algorithms are meant is known when the graph is."""
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
"""One algorithm or several, before the graph."""
