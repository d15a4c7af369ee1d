"""Paths of files and folders, as callers give them; and pipes among files."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO

from minigr.errors import FormatError


def as_path(given: str | os.PathLike) -> Path:
    """A path that a caller gave. The empty text is refused, because `Path` takes it for the current folder.

    Raises
    ------
    FileNotFoundError

    Examples
    --------
    >>> as_path("")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] the path is empty; give the name of a file: ''
    """
    if not os.fspath(given):
        raise FileNotFoundError(errno.ENOENT, "the path is empty; give the name of a file", given)
    return Path(given)


def refuse_pipe(handle: BinaryIO, path: Path) -> None:
    """Raise `FormatError` if an open file can't seek, because no reader takes a file in one pass from start to end."""
    if not handle.seekable():
        what = "is a pipe, which can't go back to data that was read: write the data to a file first"
        raise FormatError(path, what)
