"""The command line: ``minigr run``, ``minigr info``, ``minigr generate``, ``minigr bench``.

The modules of this package import click and the standard library only; NumPy, Numba, pandas and rich are imported by
the commands that need them, so that ``minigr --help`` answers at once.

Exit codes: 0 for success, 1 when the input or the machine can't serve the request (one line on stderr; ``--debug``
shows the traceback), 2 for a command line that click refuses.
"""

from __future__ import annotations

from typing import Any

import click

import minigr
from minigr.cli.bench import bench
from minigr.cli.generate import generate
from minigr.cli.info import info
from minigr.cli.run import run
from minigr.errors import (
    CapacityError,
    DeviceError,
    FormatError,
    FunctorError,
    GraphError,
    MeasurementError,
    ProblemError,
)

EXPECTED_ERRORS = (
    GraphError,
    FormatError,
    FunctorError,
    ProblemError,
    CapacityError,
    DeviceError,
    MeasurementError,
    MemoryError,  # minigr's own, NumPy's and CuPy's
    OSError,
)
"""What a user can cause and mend: reported as one line. Anything else is a defect and keeps its traceback."""


class _ReportingGroup(click.Group):
    """A group that turns expected errors into one line on stderr and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of our output went away: click ends quietly
        except EXPECTED_ERRORS as error:
            if ctx.params["debug"]:
                raise
            raise click.ClickException(str(error)) from error


@click.group(cls=_ReportingGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(minigr.__version__, prog_name="minigr")
@click.option("--debug", is_flag=True, help="Show the traceback of an error (give it before the command).")
def main(debug: bool) -> None:
    """Graph programs on CPU and GPU.

    A GRAPH is a file (.mtx, .gr, .graph, .txt, .el, .csv, .npz, .parquet; text also gzipped) or the name of a graph
    that comes with minigr: roads, wordnet.
    """


main.add_command(run)
main.add_command(info)
main.add_command(generate)
main.add_command(bench)
