"""Options for the files of pictures."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from minigr.cli.results import check_file
from minigr.errors import FormatError

Command = TypeVar("Command", bound=Callable[..., Any])


def _check(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Click callback: refuse a picture that can't be drawn, before anything runs."""
    from minigr.plot.figures import check_picture

    if path is None:
        return None
    try:
        check_picture(path)
    except FormatError as error:
        raise click.BadParameter(str(error)) from error
    if importlib.util.find_spec("matplotlib") is None:
        raise click.BadParameter("a plot needs matplotlib: pip install 'minigr[plot]'")
    return check_file(ctx, parameter, path)


def picture_option(*names: str, **more: Any) -> Callable[[Command], Command]:
    """Add an option for the file of a picture: .png, .svg or .pdf."""
    kind = click.Path(dir_okay=False, path_type=Path)
    return click.option(*names, type=kind, callback=_check, metavar="FILE", **more)
