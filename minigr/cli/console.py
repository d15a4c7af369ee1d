"""What the commands print: tables and JSON on stdout, progress on stderr where that is a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import click


@contextmanager
def status(message: str) -> Iterator[None]:
    """A spinner with `message` on stderr while the block runs; nothing where stderr is not a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(message):
        yield


@contextmanager
def progress(message: str) -> Iterator[Callable[[str], None]]:
    """As `status`; yields a function that adds to the message what is being done now."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda what: None
        return
    with console.status(message) as spinner:
        yield lambda what: spinner.update(escape(f"{message}: {what}"))


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document; NumPy scalars become numbers, and a NaN or infinity is a defect, not output."""
    click.echo(json.dumps(document, indent=2, allow_nan=False, default=lambda scalar: scalar.item()))


_markdown: ContextVar[bool] = ContextVar("markdown", default=False)
_WIDEST = 1000  # columns of a line of Markdown, which must not be wrapped


@contextmanager
def markdown_tables() -> Iterator[None]:
    """Within the block `print_table` prints Markdown."""
    token = _markdown.set(True)
    try:
        yield
    finally:
        _markdown.reset(token)


def print_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows under a header: numbers to the right, text to the left."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    markdown = _markdown.get()
    table = Table(box=box.MARKDOWN if markdown else box.HEAVY_HEAD)
    for position, name in enumerate(header):
        textual = any(isinstance(row[position], str) for row in rows)
        table.add_column(Text(name), justify="left" if textual else "right")
    for row in rows:
        table.add_row(*(Text(readable(value)) for value in row))
    Console(width=_WIDEST if markdown else None).print(table)


def readable(value: Any) -> str:
    """A value as a person reads it.

    Examples
    --------
    >>> readable(1234567), readable(1234567.8), readable(0.25), readable(True), readable(None)
    ('1,234,567', '1,234,568', '0.25', 'yes', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if abs(value) >= 1e6 else f"{value:,.5g}"
