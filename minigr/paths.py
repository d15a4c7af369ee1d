"""Paths of files and folders, as callers give them."""

from __future__ import annotations

import errno
import os
from pathlib import Path


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
