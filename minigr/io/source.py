"""Opening a file for reading: plain or gzipped, with a progress bar on the long ones."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

LONG_FILE = 50_000_000
"""From this size, in bytes on disk, a file is worth a progress bar."""

_LARGEST_GZIP_RATIO = 1032


def is_gzipped(path: Path) -> bool:
    """Whether the name says so."""
    return path.suffix == ".gz"


def largest_content(path: Path) -> int:
    """An upper bound of the number of bytes that reading `path` can give."""
    return path.stat().st_size * (_LARGEST_GZIP_RATIO if is_gzipped(path) else 1)


@contextmanager
def open_source(path: Path, progress: bool | None = None) -> Iterator[BinaryIO]:
    """`path` opened for reading bytes, decompressed if its name ends in ``.gz``.

    Parameters
    ----------
    path : Path
    progress : bool, optional
        Whether to show a bar on standard error. None: for a long file, if standard error is a terminal.
    """
    if progress is None:
        progress = sys.stderr.isatty() and path.stat().st_size >= LONG_FILE
    with _open(path, progress) as raw:
        if is_gzipped(path):
            with gzip.GzipFile(fileobj=raw) as content:
                yield cast(BinaryIO, content)
        else:
            yield raw


@contextmanager
def _open(path: Path, progress: bool) -> Iterator[BinaryIO]:
    if not progress:
        with path.open("rb") as raw:
            yield raw
        return
    from rich.console import Console
    from rich.progress import open as open_with_bar

    console = Console(stderr=True)
    with open_with_bar(path, "rb", description=f"Reading {path.name}", console=console, transient=True) as raw:
        yield raw
