"""The graph argument and the options that change how a graph is read, shared by the commands."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from minigr.errors import GraphError

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.graphs.partitioned import PartitionedGraph
    from minigr.labels import Labels

Loaded = TypeVar("Loaded", bound="Graph | PartitionedGraph")
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Reading:
    """The graph to read, and the options of reading; None lets the file decide."""

    graph: str
    directed: bool | None
    weights: bool | None
    columns: str | None
    relabel: bool
    format: str | None
    mmap: bool
    attribute: str | None = None

    @property
    def short_name(self) -> str:
        """The name of the graph in rows: the name of its file without folder and extension."""
        return Path(self.graph).name.removesuffix(".gz").rpartition(".")[0] or self.graph

    def load(
        self, device: str | None, arcs: Literal["device", "host"] = "device", keep: bool | list[str] | None = False
    ) -> Graph:
        """Read the graph to `device`, with the columns in `keep`; algorithms don't use columns.

        Raises
        ------
        GraphError
            If weights are required and the graph has none.
        """
        import minigr as mg

        return self._checked(mg.read(**self.arguments() | {"keep": keep}, device=device, arcs=arcs))

    def load_in_parts(self, devices: list[str]) -> PartitionedGraph:
        """Read the graph with a part on each of these devices. No device ever has the whole graph."""
        import minigr as mg

        return self._checked(mg.read(**self.arguments(), devices=devices))

    def load_named(self, label: str | None, keep: bool | list[str]) -> tuple[Graph, Labels]:
        """Read the graph of a file with names to the CPU, and the names of its vertices, or an attribute as names."""
        import minigr as mg

        given = {name: self.arguments()[name] for name in ("path", "format", "directed", "weights", "relabel")}
        graph, labels = mg.read_named(**given, label=label, attributes=keep, device="cpu")
        return self._checked(graph), labels

    def _checked(self, graph: Loaded) -> Loaded:
        if self.weights and not graph.weighted:
            raise GraphError(f"{self.graph} has no edge weights, which --weights requires")
        return graph

    def arguments(self) -> dict[str, Any]:
        """The arguments of `minigr.read` except the device, in types that JSON has."""
        return {
            "path": self.graph,
            "format": self.format,
            "directed": self.directed,
            "weights": self.attribute or self.weights is not False,
            "columns": None if self.columns is None else self.columns.split(","),
            "relabel": self.relabel,
            "mmap": self.mmap,
            "keep": False,
        }


_OPTIONS = [field.name for field in fields(Reading) if field.name != "graph"]


def complete_graph(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[Any]:
    """The completions for a GRAPH: files, and the graphs that come with minigr."""
    from click.shell_completion import CompletionItem

    from minigr.io.shipped import shipped_names

    named = [CompletionItem(name) for name in shipped_names() if name.startswith(incomplete)]
    return [CompletionItem(incomplete, type="file"), *named]


def is_graph(word: str) -> bool:
    """Whether the word is an existing file, or the name of a graph that comes with minigr."""
    from minigr.io.shipped import shipped_names

    return Path(word).exists() or word in shipped_names()


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``GRAPH`` and the options of `Reading` to a command, which gets them as one argument, ``reading``."""

    @functools.wraps(command)
    def gather(**given: Any) -> None:
        options = {name: given.pop(name) for name in _OPTIONS}
        command(reading=_reading(given.pop("graph"), options), **given)

    return _add_options(gather, click.argument("graph", shell_complete=complete_graph))


def readings_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add one or several ``GRAPH`` arguments, read with the same options; the command gets ``readings``."""
    return _readings(command, click.argument("graph", nargs=-1, required=True, shell_complete=complete_graph))


def graph_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add optional graphs, each given by ``--graph``, with the options of `Reading`."""
    given = click.option(
        "--graph",
        multiple=True,
        metavar="GRAPH",
        shell_complete=complete_graph,
        help="The graph to measure on, a file or a graph that comes with minigr; may be given several times.  "
        "[default: synthetic graphs]",
    )
    return _readings(command, given)


def words_options(metavar: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add any number of ``words``, and ``reading``: how the words that are graphs are read, without weights."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def gather(**given: Any) -> None:
            options = {name: given.pop(name, False) for name in _OPTIONS}
            command(words=given.pop("graph"), reading=Reading("", **options), **given)

        words = click.argument("graph", nargs=-1, metavar=metavar, shell_complete=complete_graph)
        return _add_options(gather, words, weights=False)

    return add


def _reading(graph: str, options: dict[str, Any]) -> Reading:
    if options["attribute"] is not None and options["weights"] is False:
        raise click.UsageError(
            "--attribute says which weights to read, and --no-weights to read none: give one of them"
        )
    return Reading(graph, **options)


def check_names_differ(names: Sequence[str], files: Sequence[str]) -> None:
    """Refuse two files with the same name in results, where they could not be told apart.

    Raises
    ------
    click.UsageError
    """
    known: dict[str, str] = {}
    for name, file in zip(names, files, strict=True):
        if name in known:
            raise click.UsageError(
                f"{known[name]} and {file} both have the name {name} in the results: rename one, or leave it out"
            )
        known[name] = file


def _readings(command: Callable[..., None], argument: Callable[..., Any]) -> Callable[..., None]:
    @functools.wraps(command)
    def gather(**given: Any) -> None:
        graphs = given.pop("graph")
        options = {name: given.pop(name) for name in _OPTIONS}
        readings = [_reading(graph, options) for graph in graphs]
        check_names_differ([reading.short_name for reading in readings], graphs)
        command(readings=readings, **given)

    return _add_options(gather, argument)


def _add_options(
    command: Callable[..., None], argument: Callable[..., Any], weights: bool = True
) -> Callable[..., None]:
    decorated: Callable[..., None] = command
    options = [
        click.option("--mmap", is_flag=True, help="Map a .minigr folder, on the CPU, instead of reading it."),
        click.option(
            "--format", metavar="NAME", help="The file's format, if its ending doesn't name it: edges, mtx, ..."
        ),
        click.option("--relabel", is_flag=True, help="Take any whole numbers as ids and number the vertices by rank."),
        click.option("--columns", metavar="A,B,...", help="Edge lists: the content of each column, e.g. src,dst,time."),
        *(_weights_options if weights else []),
        click.option(
            "--directed/--undirected",
            default=None,
            help="Read each edge as one arc, or as an arc both ways.  [default: as in the file]",
        ),
        argument,
    ]
    for decorate in options:
        decorated = decorate(decorated)
    return decorated


_weights_options = [
    click.option("--attribute", metavar="NAME", help="GraphML, GML: the edge attribute that is the weight."),
    click.option(
        "--weights/--no-weights",
        default=None,
        help="Require edge weights, or ignore the weights of the file.  [default: as in the file]",
    ),
]


def device_option(command: Command) -> Command:
    """Add ``--device`` to a command."""
    return click.option(
        "--device",
        metavar="NAME",
        help="cpu, cuda or cuda:N.  [default: $MINIGR_DEVICE, else a GPU if there is one]",
    )(command)


def keep_option(what: str) -> Callable[[Command], Command]:
    """Add ``--keep``, the argument `keep` of `minigr.read`; `what` names in the help the columns kept by default."""

    def as_asked(_context: click.Context, _parameter: click.Parameter, given: str | None) -> bool | list[str] | None:
        words = {"all": True, "none": False}
        return None if given is None else words[given] if given in words else given.split(",")

    return click.option(
        "--keep",
        metavar="A,B,...",
        callback=as_asked,
        help=f"The further columns or attributes to keep: all, none, or these names.  [default: {what}]",
    )


def devices_option(what: str) -> Callable[[Command], Command]:
    """Add ``--devices``; `what` begins its help text. `names_of_devices` returns the names."""
    return click.option(
        "--devices",
        metavar="NAME,NAME,...",
        help=f"{what}, one on each of these devices: cpu,cpu, or 0,1 for two GPUs. See the guide 'Graphs in parts'.",
    )


def names_of_devices(devices: str) -> list[str]:
    """The names of devices in ``--devices``.

    Examples
    --------
    >>> names_of_devices("0,cuda:1"), names_of_devices("cpu,cpu")
    (['cuda:0', 'cuda:1'], ['cpu', 'cpu'])
    """
    return [f"cuda:{name}" if name.isdecimal() else name for name in devices.split(",")]


def load_with_source(
    reading: Reading, device: str | None, source: int | None, tell: Callable[[str], None]
) -> tuple[Graph, int]:
    """The graph on the device, and the vertex where searches start."""
    from minigr.apps.common.checks import check_source
    from minigr.apps.common.sources import highest_degree

    tell("reading")
    graph = reading.load(device)
    return graph, highest_degree(graph) if source is None else check_source(graph, source)
