"""``--json`` and ``--csv``: results for programs to read, in a file or on standard output."""

from __future__ import annotations

import csv
import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

Callback = Callable[[click.Context, click.Parameter, "Path | None"], "Path | None"]

STDOUT = Path("-")


@dataclass(frozen=True)
class Results:
    """Where results go beside, or instead of, what is printed for a person; None: nowhere."""

    json: Path | None = None
    csv: Path | None = None

    @property
    def on_stdout(self) -> bool:
        """Whether standard output is taken, so that nothing else may be printed there."""
        return STDOUT in (self.json, self.csv)

    def write(self, document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the document as JSON and the rows as CSV, each where it was asked for."""
        with self.csv_rows(list(dict.fromkeys(name for row in rows for name in row))) as write_row:
            for row in rows:
                write_row(row)
        self.write_json(document)

    def write_json(self, document: Mapping[str, Any]) -> None:
        """The document alone."""
        if self.json is not None:
            text = as_json(document)
            if self.json == STDOUT:
                click.echo(text)
            else:
                self.json.write_text(text + "\n")
                self._tell(self.json)

    @contextmanager
    def csv_rows(self, header: Sequence[str]) -> Iterator[Callable[[Mapping[str, Any]], None]]:
        """A function that writes a row; rows can be read as soon as they are written."""
        if self.csv is None:
            yield lambda row: None
            return
        with click.open_file(str(self.csv), "w", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, header, lineterminator="\n")
            writer.writeheader()

            def write_row(row: Mapping[str, Any]) -> None:
                writer.writerow(row)
                stream.flush()

            yield write_row
        if self.csv != STDOUT:
            self._tell(self.csv)

    def _tell(self, path: Path) -> None:
        click.echo(f"wrote {path}", err=self.on_stdout)


def as_json(document: Mapping[str, Any]) -> str:
    """A document as text; NumPy scalars become numbers, and a NaN or infinity is a defect, not output."""
    return json.dumps(document, indent=2, allow_nan=False, default=lambda scalar: scalar.item())


def _check(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Click callback: refuse, before anything runs, a file that could not be written afterwards.

    The ending is asked for because the value may be left out: what follows the option may be meant as an argument.
    """
    if path is None or path == STDOUT:
        return path
    option = parameter.opts[0]
    ending = option.replace("--", ".")
    if path.suffix != ending:
        raise click.BadParameter(
            f"{path} does not end in {ending}; to print on standard output put {option} last, or write {option} -"
        )
    return check_folder(ctx, parameter, path)


def check_folder(_ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    """Click callback: refuse, before anything runs, a file in a folder that isn't there."""
    if path is not None and not path.parent.is_dir():
        raise click.BadParameter(f"{path.parent} is not a directory: create it first")
    return path


def _option(kind: str, what: str, then: Callback | None) -> Callable[[Command], Command]:
    def check(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
        path = _check(ctx, parameter, path)
        return path if then is None else then(ctx, parameter, path)

    return click.option(
        f"--{kind}",
        f"{kind}_file",
        is_flag=False,
        flag_value="-",
        type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
        callback=check,
        metavar=f"[FILE.{kind}]",
        help=f"Write {what} as {kind.upper()} to this file or, without one, to standard output and nothing else there.",
    )


def json_option(what: str, then: Callback | None = None) -> Callable[[Command], Command]:
    """Add ``--json``, which the command gets as ``json_file``; `then` is a callback of click's, after the checks."""
    return _option("json", what, then)


def csv_option(what: str) -> Callable[[Command], Command]:
    """Add ``--csv``, which the command gets as ``csv_file``."""
    return _option("csv", what, None)


def result_options(rows: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--json`` and ``--csv`` to a command, which gets them as one argument, ``results``.

    `rows` is what the CSV has a row for.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def gather(json_file: Path | None, csv_file: Path | None, **given: Any) -> Any:
            if json_file == csv_file == STDOUT:
                raise click.UsageError("--json and --csv can't both go to standard output: name a file for one of them")
            return command(results=Results(json_file, csv_file), **given)

        return json_option("what is found")(csv_option(f"a row for each {rows}")(gather))

    return add


def flat(document: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A document's figures as one row: names of what is nested are joined by an underscore.

    Examples
    --------
    >>> flat({"a": 1, "b": {"c": [2, 3]}})
    {'a': 1, 'b_c': '2 3'}
    """
    row: dict[str, Any] = {}
    for name, value in document.items():
        if isinstance(value, Mapping):
            row |= flat(value, f"{prefix}{name}_")
        else:
            row[prefix + name] = _joined(value, " ") if isinstance(value, list | tuple) else value
    return row


def _joined(values: Iterable[Any], separator: str) -> str:
    return separator.join(_joined(value, ":") if isinstance(value, list | tuple) else str(value) for value in values)
