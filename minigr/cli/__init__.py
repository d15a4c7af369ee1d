"""The command line, ``minigr``: a module for each command.

The modules of this package import only click and the standard library. Commands import NumPy, Numba, pandas and rich
when they need them, so ``minigr --help`` answers at once.

Exit codes: 0 for success, 1 if the input or the machine can't serve the request (one line on stderr; ``--debug`` shows
the traceback), 2 for a command line that click refuses, 130 after an interruption by the user.
"""

from __future__ import annotations

import functools
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

import minigr
from minigr.cli.batch import batch
from minigr.cli.bench import bench
from minigr.cli.completion import completion
from minigr.cli.console import printable
from minigr.cli.convert import convert
from minigr.cli.generate import generate
from minigr.cli.help import examples
from minigr.cli.in_options import in_options
from minigr.cli.info import info
from minigr.cli.plot import plot
from minigr.cli.prepare import prepare
from minigr.cli.run import run
from minigr.cli.stream import stream
from minigr.errors import (
    CapacityError,
    DeviceError,
    FormatError,
    FunctorError,
    GraphError,
    MeasurementError,
    MissingExtraError,
    OutOfMemoryError,
    ProblemError,
    SettingError,
)

EXPECTED_ERRORS = (
    GraphError,
    FormatError,
    FunctorError,
    ProblemError,
    CapacityError,
    DeviceError,
    MeasurementError,
    MissingExtraError,
    SettingError,
    MemoryError,  # of minigr, NumPy and CuPy
    OSError,
)
"""Errors that a user can cause and correct, reported in one line. Others are defects and keep their traceback."""

INTERRUPTED = 130
"""The exit code after Ctrl-C, as in shells: 128 plus the number of the signal."""


class _ReportingGroup(click.Group):
    """A group that turns expected errors into one line on stderr and exit code 1."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> click.Context:
        with _errors_in_one_line("--debug" in args):
            _open_for_any_text()
            return super().make_context(info_name, args, *rest, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _errors_in_one_line(ctx.params["debug"]):
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)


@contextmanager
def _errors_in_one_line(debug: bool, command: click.Command | None = None) -> Iterator[None]:
    """Raise expected errors as errors of click, with the options of `command` instead of parameters of Python."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of the output is gone, and click ends quietly
    except click.ClickException as error:
        vars(error)["message"] = printable(error.message)  # click declares the message final, but only shows it
        raise
    except EXPECTED_ERRORS as error:
        if debug:
            raise
        raise click.ClickException(printable(_in_words(error, command))) from error


def _in_words(error: BaseException, command: click.Command | None) -> str:
    if isinstance(error, MemoryError) and not isinstance(error, OutOfMemoryError):
        return f"out of memory: {error}".removesuffix(": ")  # Python's own error has no message
    return in_options(error, command)


def _open_for_any_text() -> None:
    """Make the standard streams write characters that their encoding lacks as escapes.

    If standard error is closed, messages are dropped.

    Raises
    ------
    click.ClickException
        If standard output is closed, because the results of a command would be lost silently.
    """
    if sys.stdout is None:
        raise click.ClickException("standard output is closed: send it to a file or, if it isn't wanted, to /dev/null")
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.FileIO(os.devnull, "w"))  # otherwise click prints errors on stdout
    for standard in (sys.stdout, sys.stderr):
        if isinstance(standard, io.TextIOWrapper):
            standard.reconfigure(errors="backslashreplace")


@click.group(
    cls=_ReportingGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "run bfs sssp roads",
        "info GRAPH.mtx",
        "generate rmat 18 kron.npz",
        "stream CollegeMsg.txt.gz --answers triangles",
        "plot degrees wordnet -o degrees.svg",
    ),
)
@click.version_option(minigr.__version__, prog_name="minigr")
@click.option("--debug", is_flag=True, help="Show the traceback of an error (put --debug before the command).")
def main(debug: bool) -> None:
    """Graph programs on CPU and GPU.

    A GRAPH is a file (.mtx, .gr, .graph, .graphml, .gml, .txt, .el, .csv, .npz, .parquet; text also gzipped), a folder
    (.minigr) or the name of a graph that comes with minigr: roads, wordnet.
    """


def _with_errors_in_one_line(command: click.Command) -> click.Command:
    """The command, whose errors name its own options; or a group with such commands."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            _with_errors_in_one_line(each)
    else:
        call = command.callback
        assert call is not None

        @functools.wraps(call)
        def in_one_line(**given: Any) -> Any:
            with _errors_in_one_line(click.get_current_context().find_root().params["debug"], command):
                return call(**given)

        command.callback = in_one_line
    return command


for command in (run, info, convert, generate, stream, batch, plot, bench, prepare, completion):
    main.add_command(_with_errors_in_one_line(command))
