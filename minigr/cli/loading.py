"""The graph argument and the options that change how a graph is read, shared by the commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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

    def load(self, device: str | None) -> Graph:
        """The graph, on `device`; `GraphError` if weights are required and it has none."""
        import minigr as mg

        graph = mg.read(self.graph, directed=self.directed, weights=self.weights is not False, device=device)
        if self.weights and not graph.weighted:
            raise GraphError(f"{self.graph} has no edge weights, which --weights requires")
        return graph


def reading_options(command: Command) -> Command:
    """Add ``GRAPH``, ``--directed/--undirected`` and ``--weights/--no-weights`` to a command."""
    for decorate in (
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
        command = decorate(command)
    return command


def device_option(command: Command) -> Command:
    """Add ``--device`` to a command."""
    return click.option(
        "--device",
        metavar="NAME",
        help="cpu, cuda or cuda:N.  [default: $MINIGR_DEVICE, else a GPU where there is one]",
    )(command)
