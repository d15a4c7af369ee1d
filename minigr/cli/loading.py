"""The graph argument and the options that change how a graph is read, shared by the commands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import click

from minigr.errors import GraphError

if TYPE_CHECKING:
    from minigr.graphs import Graph

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Reading:
    """Which graph to read and how; None leaves the choice to the file."""

    graph: str
    directed: bool | None
    weights: bool | None
    columns: str | None
    relabel: bool
    format: str | None

    def load(self, device: str | None) -> Graph:
        """The graph, on `device`; `GraphError` if weights are required and it has none."""
        import minigr as mg

        graph = mg.read(
            self.graph,
            format=self.format,
            directed=self.directed,
            weights=self.weights is not False,
            columns=None if self.columns is None else self.columns.split(","),
            relabel=self.relabel,
            device=device,
        )
        if self.weights and not graph.weighted:
            raise GraphError(f"{self.graph} has no edge weights, which --weights requires")
        return graph


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``GRAPH`` and the options of `Reading` to a command, which gets them as one argument, ``reading``."""

    @functools.wraps(command)
    def gather(**given: Any) -> None:
        reading = Reading(**{field.name: given.pop(field.name) for field in fields(Reading)})
        command(reading=reading, **given)

    decorated: Callable[..., None] = gather
    for decorate in (
        click.option(
            "--format", metavar="NAME", help="The file's format, if its ending does not say it: edges, mtx, ..."
        ),
        click.option("--relabel", is_flag=True, help="Take any whole numbers as ids and number the vertices by rank."),
        click.option("--columns", metavar="A,B,...", help="Edge lists: what each column holds, e.g. src,dst,time."),
        click.option(
            "--weights/--no-weights",
            default=None,
            help="Require edge weights, or ignore those of the file.  [default: as in the file]",
        ),
        click.option(
            "--directed/--undirected",
            default=None,
            help="Read each edge as one arc, or as an arc both ways.  [default: as in the file]",
        ),
        click.argument("graph"),
    ):
        decorated = decorate(decorated)
    return decorated


def device_option(command: Command) -> Command:
    """Add ``--device`` to a command."""
    return click.option(
        "--device",
        metavar="NAME",
        help="cpu, cuda or cuda:N.  [default: $MINIGR_DEVICE, else a GPU where there is one]",
    )(command)
