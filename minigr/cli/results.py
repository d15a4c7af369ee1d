"""``--json`` and ``--csv``: results for programs, in a file or on standard output."""

from __future__ import annotations

import csv
import functools
import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from minigr.cli.console import say

Command = TypeVar("Command", bound=Callable[..., Any])

Callback = Callable[[click.Context, click.Parameter, "Path | None"], "Path | None"]

STDOUT = Path("-")


@dataclass(frozen=True)
class Results:
    """The files for results, in addition to or instead of printed output; None: no file."""

    json: Path | None = None
    csv: Path | None = None

    @property
    def on_stdout(self) -> bool:
        """Whether results go to standard output, so that nothing else may be printed there."""
        return STDOUT in (self.json, self.csv)

    def write(self, document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the document as JSON and the rows as CSV, to the requested files."""
        with self.csv_rows(list(dict.fromkeys(name for row in rows for name in row))) as write_row:
            for row in rows:
                write_row(row)
        self.write_json(document)

    def write_json(self, document: Mapping[str, Any]) -> None:
        """Write only the document."""
        if self.json is not None:
            with _text_stream(self.json) as stream:
                stream.write(as_json(document) + "\n")
            if self.json != STDOUT:
                self._tell(self.json)

    @contextmanager
    def csv_rows(self, header: Sequence[str]) -> Iterator[Callable[[Mapping[str, Any]], None]]:
        """Yield a function that writes a row. On standard output or in a pipe, a row can be read at once.

        A file has the rows when the block ends without an error.
        """
        if self.csv is None:
            yield lambda row: None
            return
        with _text_stream(self.csv) as stream:
            writer = csv.DictWriter(stream, header, lineterminator="\n")
            writer.writeheader()

            def write_row(row: Mapping[str, Any]) -> None:
                writer.writerow(row)
                stream.flush()

            yield write_row
        if self.csv != STDOUT:
            self._tell(self.csv)

    def _tell(self, path: Path) -> None:
        say(f"wrote {path}", err=self.on_stdout)


@contextmanager
def _text_stream(path: Path) -> Iterator[TextIO]:
    """Standard output, or a file that replaces the file at `path` when the block ends without an error."""
    if path == STDOUT:
        yield sys.stdout
        sys.stdout.flush()  # so that errors come here
        return
    from minigr.replace import replacing

    with replacing(path) as handle:
        stream = TextIOWrapper(handle, "utf-8", "backslashreplace", newline="")
        yield stream
        stream.detach()  # does not close the file


def as_json(document: Mapping[str, Any]) -> str:
    """A document as text. NumPy scalars become numbers; infinities and NaN, which JSON lacks, become null.

    Examples
    --------
    >>> as_json({"distance": [1.5, float("inf")]}).split()
    ['{', '"distance":', '[', '1.5,', 'null', ']', '}']
    """
    return json.dumps(_plain(document), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(held) for held in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _check(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Click callback: refuse a file that can't be written, before anything runs.

    The extension is checked because the value is optional: the next word may be meant as an argument.
    """
    if path is None or path == STDOUT:
        return path
    option = parameter.opts[0]
    ending = option.replace("--", ".")
    if path.suffix != ending:
        raise click.BadParameter(
            f"{path} does not end in {ending}; to print on standard output put {option} last, or write {option} -"
        )
    return check_file(ctx, parameter, path)


def check_file(_ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    """Click callback: refuse a file that can't be written, before anything runs."""
    from minigr.replace import check_writable

    if path is not None:
        try:
            check_writable(path)
        except OSError as error:
            raise click.BadParameter(f"{path}: {error.strerror}") from error
    return path


def check_ending(out: Path, endings: Collection[str]) -> None:
    """Refuse an OUT whose ending names no format, because no other option names its format; ``.gz`` may follow."""
    ending = Path(out.name.removesuffix(".gz")).suffix
    if ending.lower() not in endings:
        raise click.UsageError(f"OUT {out} ends in {ending!r}: use one of {', '.join(endings)}")


def keep_apart(inputs: Iterable[Path | str], outputs: Mapping[str, Path | None]) -> None:
    """Refuse results that would replace inputs or each other, before anything is read.

    Parameters
    ----------
    inputs : iterable of path-like
        Files and folders. They may also be names of graphs that come with minigr.
    outputs : mapping of str to Path or None
        The files by their names in the help of the command.

    Raises
    ------
    click.UsageError
    """
    read = [Path(path) for path in inputs]
    taken = [(path, "the file to be read: the results would replace it") for path in read if not path.is_dir()]
    folders = [path for path in read if path.is_dir()]
    for name, path in outputs.items():
        if path is None or path == STDOUT:
            continue
        for other, what in taken:
            if _same(path, other):
                raise click.UsageError(f"{name} {path} is {what}; give another name")
        for folder in folders:
            if path.resolve().is_relative_to(folder.resolve()):
                what = f"the results would replace or join the files to be read in the folder {folder}"
                raise click.UsageError(f"{name} {path}: {what}; give a name outside of it")
        taken.append((path, f"also the file of {name}"))


def _same(one: Path, other: Path) -> bool:
    """Whether two names refer to one file, which need not exist. Devices and pipes have no contents to lose."""
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)
    return one.resolve() == other.resolve()


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
        help=f"Write {what} as {kind.upper()} to this file or, without a file, to standard output, "
        "and nothing else there.",
    )


def json_option(what: str, then: Callback | None = None) -> Callable[[Command], Command]:
    """Add ``--json``, which the command gets as ``json_file``; `then` is a click callback after the checks."""
    return _option("json", what, then)


def csv_option(what: str) -> Callable[[Command], Command]:
    """Add ``--csv``, which the command gets as ``csv_file``."""
    return _option("csv", what, None)


def result_options(rows: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--json`` and ``--csv`` to a command, which gets them as one argument, ``results``.

    `rows` describes what the CSV has rows for.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def gather(json_file: Path | None, csv_file: Path | None, **given: Any) -> Any:
            if json_file == csv_file == STDOUT:
                raise click.UsageError("--json and --csv can't both go to standard output: name a file for one of them")
            return command(results=Results(json_file, csv_file), **given)

        return json_option("the results")(csv_option(f"a row for each {rows}")(gather))

    return add


def flat(document: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The figures of a document as one row; names of nested figures are joined by underscores.

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
