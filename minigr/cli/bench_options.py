"""The common options of the commands of ``minigr bench``, and the common output of rows."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from minigr.cli import results
from minigr.cli.console import say
from minigr.cli.help import examples as command_lines
from minigr.cli.loading import device_option
from minigr.cli.pictures import picture_option
from minigr.errors import GraphError

if TYPE_CHECKING:
    from minigr.device import Device

Command = TypeVar("Command", bound=Callable[..., Any])

_STDOUT = "minigr.stdout"  # key of the stream for JSON on standard output, in click's context


def common_options(default_repeat: int = 10) -> Callable[[Command], Command]:
    """Add ``--json``, ``--repeat`` and ``--device``."""

    def add(command: Command) -> Command:
        return json_option(repeat_option(default_repeat)(device_option(command)))

    return add


def repeat_option(default: int = 10) -> Callable[[Command], Command]:
    """Add ``--repeat``."""
    return click.option(
        "--repeat",
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        metavar="N",
        help="Samples of each call; a verdict on noise needs at least 5.",
    )


def json_option(command: Command) -> Command:
    """Add ``--json``, whose file `write` writes. With ``-``, all other output goes to standard error."""
    return results.json_option("every sample, the machine and the versions", _begin)(command)


def _begin(ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    if path == results.STDOUT:
        ctx.meta[_STDOUT] = sys.stdout
        ctx.with_resource(redirect_stdout(sys.stderr))
    return path


def source_option(command: Command) -> Command:
    """Add ``--source``."""
    return click.option(
        "--source", type=int, help="The vertex at which searches start.  [default: the vertex of highest degree]"
    )(command)


def limit_option(command: Command) -> Command:
    """Add ``--limit``."""
    return click.option(
        "--limit",
        type=float,
        default=60,
        show_default=True,
        metavar="S",
        callback=_check_limit,
        help="Seconds for all samples of one call.",
    )(command)


def _check_limit(_ctx: click.Context, _parameter: click.Parameter, seconds: float) -> float:
    if not 0 < seconds < math.inf:
        raise click.BadParameter(f"{seconds} is not a number of seconds above 0")
    return seconds


def plot_option(what: str) -> Callable[[Command], Command]:
    """Add ``--plot``, which draws `what`."""
    return picture_option("--plot", help=f"Draw {what}.")


def exponent_options(least: int, low: str, high: str) -> Callable[[Command], Command]:
    """Add ``--from``, ``--to`` and ``--step`` for sizes that are powers of two; see `exponents`.

    `least` is the least allowed exponent; `low` and `high` are the help texts of the bounds, with their defaults.
    """

    def add(command: Command) -> Command:
        bounds = click.IntRange(least, 34)
        for decorate in (
            click.option(
                "--step",
                type=click.IntRange(min=1),
                default=2,
                show_default=True,
                help="The step from one E to the next.",
            ),
            click.option("--to", "high", type=bounds, metavar="E", help=high),
            click.option("--from", "low", type=bounds, metavar="E", help=low),
        ):
            command = decorate(command)
        return command

    return add


def exponents(low: int | None, high: int | None, step: int, default: range) -> range:
    """The range of exponents from the options, with defaults for options that are not given."""
    first, last = default.start if low is None else low, default.stop - 1 if high is None else high
    if first > last:
        raise click.BadParameter(f"--from {first} is above --to {last}")
    return range(first, last + 1, step)


def examples(*lines: str) -> str:
    """An epilog with these lines as examples; each line follows ``minigr bench``."""
    return command_lines(*(f"bench {line}" for line in lines))


def resolve(device: str | None) -> Device:
    """The device with this name, or the default device."""
    from minigr import device as devices

    return devices.resolve(device)


def split(names: str | None, known: Iterable[str], what: str) -> list[str] | None:
    """The different names in a comma-separated list; None for None. All must be in `known`; errors name `what`."""
    found = None if names is None else list(dict.fromkeys(name.strip() for name in names.split(",")))
    check_names(found or [], known, what)
    return found


def whole_numbers(text: str, what: str) -> list[int]:
    """The numbers, at least 1, in a comma-separated list; errors name the parameter `what`."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if not word.isdecimal() or int(word) < 1:
            raise click.BadParameter(f"{word!r} is not a whole number of at least 1", param_hint=what)
    return list(dict.fromkeys(map(int, words)))


def check_names(names: Iterable[str], known: Iterable[str], what: str) -> None:
    """Refuse names that are not in `known`."""
    for name in names:
        if name not in known:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(known)}", param_hint=what)


def draw(picture: Path | None, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """Draw the rows of a benchmark into the file of ``--plot``, if it is given."""
    if picture is None:
        return
    from minigr import plot

    plot.save(plot.bench({"bench": name, "rows": rows}), picture)
    say(f"wrote {picture}")


def left_out_lines(graph: str, reasons: Mapping[str, str]) -> list[str]:
    """A line for each reason why something was not measured on a graph, from the reasons by name.

    Examples
    --------
    >>> left_out_lines("roads", {"bfs": "too slow", "sssp": "needs edge weights", "hits": "too slow"})
    ['roads: left out bfs, hits: too slow', 'roads: left out sssp: needs edge weights']
    """
    names: dict[str, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why, []).append(name)
    return [f"{graph}: left out {', '.join(those)}: {why}" for why, those in names.items()]


def require_rows(rows: Sequence[Any], left_out: Sequence[str]) -> None:
    """Refuse a run that measured nothing; `left_out` are the lines that say why."""
    if not rows:
        raise GraphError(f"nothing can be measured: {'; '.join(left_out)}")


@contextmanager
def reported(rows: Sequence[dict[str, Any]], report: Callable[[], object]) -> Iterator[None]:
    """Call `report` after the block if there are rows, even after an error or Ctrl-C, so that they are kept."""
    try:
        yield
    finally:
        if rows:
            report()


def write(
    file: Path | None,
    name: str,
    device: Device,
    settings: Mapping[str, Any],
    graphs: Sequence[Mapping[str, Any]],
    rows: Sequence[dict[str, Any]],
    peers: Mapping[str, Any] | None = None,
) -> None:
    """Write the document to the file of ``--json``, if it is given."""
    if file is None:
        return
    from minigr.bench import document

    write_document(file, document.document(name, device, settings, graphs, rows, peers=peers or {}))


def write_document(file: Path, content: Mapping[str, Any]) -> None:
    """Write a document to the file of ``--json``."""
    from minigr.bench import document

    if file == results.STDOUT:
        click.echo(document.as_text(content), file=click.get_current_context().meta[_STDOUT], nl=False)
        return
    document.write(file, content)
    say(f"wrote {file}")
