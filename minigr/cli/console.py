"""Output of the commands for people: tables on stdout, and progress on stderr if it is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import click


def printable(text: str) -> str:
    r"""`text` with escapes for characters that a terminal would obey or can't show, for example in file names.

    These are control characters other than line feed and tab, characters without a shape, and bytes of a name that are
    not UTF-8.

    Examples
    --------
    >>> print(printable("esc\x1b[31mred.txt"), printable("bad\udcff.txt"), printable("größe.txt"))
    esc\x1b[31mred.txt bad\udcff.txt größe.txt
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def say(text: str, err: bool = False) -> None:
    """Print a line on standard output or, with `err`, on standard error."""
    click.echo(printable(text), err=err)


def stderr_is_terminal() -> bool:
    """Whether standard error is a terminal; it may also be closed."""
    from rich.console import Console

    return Console(stderr=True).is_terminal


@contextmanager
def status(message: str) -> Iterator[None]:
    """Show a spinner with `message` on stderr while the block runs, if stderr is a terminal."""
    with progress(message):
        yield


@contextmanager
def progress(message: str) -> Iterator[Callable[[str], None]]:
    """As `status`; yields a function that adds the current activity to the message."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda what: None
        return
    with console.status(Text(printable(message))) as spinner:
        yield lambda what: spinner.update(Text(printable(f"{message}: {what}")))


_markdown: ContextVar[bool] = ContextVar("markdown", default=False)
_WIDEST = 1000  # columns of a line of Markdown, which must not be wrapped
_BORDER = 3  # width of a table column in addition to its words
_FOLDED = 10  # the least width of a column of text
_NARROWEST = 20  # columns of a terminal; a terminal that reports fewer is assumed to be wrong


@contextmanager
def markdown_tables() -> Iterator[None]:
    """Make `print_table` print Markdown within the block."""
    token = _markdown.set(True)
    try:
        yield
    finally:
        _markdown.reset(token)


def print_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows under a header, with numbers to the right and text to the left.

    In a narrow terminal, headers are broken between words and text is folded. If this is not enough, each row is
    printed as a block with a line for each field; numbers are never cut off.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=_WIDEST if _markdown.get() else max(Console().width, _NARROWEST))
    table = Table(box=box.MARKDOWN if _markdown.get() else box.HEAVY_HEAD)
    cells = [[readable(value) for value in row] for row in rows]
    least = 1  # the width of the terminal that the table needs
    for position, name in enumerate(header):
        textual = any(isinstance(row[position], str) for row in rows)
        words = max(map(len, " ".join([name, *(row[position] for row in cells)]).split()), default=0)
        least += _BORDER + (min(words, _FOLDED) if textual else words)
        table.add_column(Text(name), justify="left" if textual else "right", overflow="fold")
        if not textual:
            table.columns[-1].min_width = words
    for row in cells:
        table.add_row(*map(Text, row))
    if least > console.width:
        for row in cells:
            console.print(*(Text(f"{name}: {value}") for name, value in zip(header, row, strict=True)), "", sep="\n")
        return
    if console.measure(table, options=console.options.update(width=_WIDEST)).maximum > console.width:
        for column in table.columns:
            column.width = column.min_width  # columns of numbers; the other columns share the rest
    console.print(table)


def readable(value: Any) -> str:
    """A value in readable form.

    Examples
    --------
    >>> readable(1234567), readable(1234567.8), readable(0.25), readable(True), readable(None)
    ('1,234,567', '1,234,568', '0.25', 'yes', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, str):
        return printable(value)
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if abs(value) >= 1e6 else f"{value:,.5g}"
