"""The options of the algorithms, shared by the commands that run one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from minigr.cli.algorithms import ALGORITHMS, Algorithm, Options
from minigr.cli.loading import complete_graph, highest_degree
from minigr.errors import GraphError
from minigr.program.control import DRIVERS

if TYPE_CHECKING:
    from minigr.graphs import Graph

_ADD = (
    click.option(
        "--source", type=int, help="Where bfs and sssp start.  [default: the vertex of highest degree, lowest id]"
    ),
    click.option(
        "--damping", type=float, default=0.85, show_default=True, help="PageRank: chance of following an edge."
    ),
    click.option("--tol", type=float, default=1e-6, show_default=True, help="PageRank: change per vertex to stop at."),
    click.option("--max-iter", type=int, default=100, show_default=True, help="PageRank: iterations to stop after."),
    click.option(
        "--order",
        type=click.Choice(("largest_first", "random")),
        default="largest_first",
        show_default=True,
        help="coloring: which vertices come first.",
    ),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        help="coloring, independent-set, label-propagation, random-walks, --samples: of random numbers.",
    ),
    click.option(
        "--samples",
        type=int,
        metavar="K",
        help="betweenness, closeness, harmonic, multi-source-bfs, random-walks: begin at K vertices only, drawn at "
        "random.",
    ),
    click.option(
        "--by-weight",
        is_flag=True,
        help="betweenness, closeness, harmonic: paths are as long as their weights, not as their hops. random-walks: "
        "edges are taken in proportion to their weights.",
    ),
    click.option("--k", type=int, default=3, show_default=True, help="truss: two more than the triangles of an edge."),
    click.option("--length", type=int, default=10, show_default=True, help="random-walks: steps of each."),
)
_NAMES = ("source", "damping", "tol", "max_iter", "order", "seed", "samples", "by_weight", "k", "length", "driver")

driver_option = click.option(
    "--driver",
    type=click.Choice(DRIVERS),
    default="auto",
    show_default=True,
    help="Who runs the loop: persistent kernels (fused), a CUDA graph, the host, or whoever is faster at each step. "
    "The results are the same.",
)


def algorithm_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `Options` to a command, which gets them as one argument, ``settings``."""

    @functools.wraps(command)
    def gather(**given: Any) -> Any:
        settings = Options(**{name: given.pop(name) for name in _NAMES})
        return command(settings=settings, **given)

    decorated: Callable[..., Any] = driver_option(gather)
    for add in reversed(_ADD):
        decorated = add(decorated)
    return decorated


def prepare(settings: Options, chosen: Sequence[Algorithm], graph: Graph) -> Options:
    """The options with the default source filled in where an algorithm starts at one.

    Raises
    ------
    GraphError
        If an algorithm needs weights that the graph doesn't have.
    """
    for algorithm in chosen:
        if algorithm.needs_weights and not graph.weighted:
            raise GraphError(
                f"{algorithm.name} needs edge weights, and the graph was read without any: use bfs to count hops, "
                "or a file that has weights, and no --no-weights"
            )
    if not any(algorithm.from_source for algorithm in chosen):
        return replace(settings, source=None)
    return settings if settings.source is not None else replace(settings, source=highest_degree(graph))


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
