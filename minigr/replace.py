"""Files that are written completely or not at all. Every file that minigr writes goes through `replacing`."""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

_DESCRIPTORS = re.compile(r"/dev/fd|/proc/\d+(/task/\d+)?/fd")
"""Folders whose entries stand for open files of a process."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors for a file that has no more room."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file to write. When the block ends, the written content replaces `path` as a whole.

    If the block raises, if the disk is full or if the process is killed, `path` keeps its old content or stays absent.
    Until the block ends, the new content is in a file ``.minigr-*.part`` beside `path`. This file is removed except
    after a kill. The new content is on the disk before it gets the name, so a crash of the system leaves either the old
    or the new content.

    - An existing file keeps its mode and, if the process may set the owner, its owner. A file without write permission
      is refused, as by ``open(path, "w")``. A new file gets the mode that ``open`` gives it.
    - A symbolic link stays, and the file that it points to is replaced.
    - A device, a pipe, or a name of an open file such as ``/dev/stdout`` is written directly. It can't be replaced, so
      the data that was written before an error has already arrived there.
    - Several writers may write the same path at the same time. The content of the writer that ends last stays.

    Parameters
    ----------
    path : Path
        The content is compressed if this name ends in ``.gz``.

    Yields
    ------
    binary file
        Open for writing. If `path` is a pipe, the file may be unable to seek.

    Raises
    ------
    OSError
        As by ``open(path, "w")``, before the block begins. At the end of the block if the disk is full.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "a.txt")) as handle:
    ...         _ = handle.write(b"0 1\\n")
    ...     print(Path(folder, "a.txt").read_text().strip(), os.listdir(folder))
    0 1 ['a.txt']
    """
    old = check_writable(path)
    if old is not None and (not stat.S_ISREG(old.st_mode) or _names_descriptor(path)):
        with (
            _full_disk_named(path, "not everything was written"),
            io.BufferedWriter(_Flow(path, "wb")) as flow,
            _content(path, flow) as content,
        ):
            yield content
        return
    target = Path(os.path.realpath(path))
    part = target.with_name(f".minigr-{secrets.token_hex(8)}.part")
    mode = 0o666 if old is None else stat.S_IMODE(old.st_mode)
    try:
        with (
            _full_disk_named(path, "what was there before is unchanged"),
            open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode & 0o666)) as raw,
        ):
            if old is not None:
                _take_over(raw.fileno(), old)
            with _content(path, raw) as content:
                yield content
            raw.flush()
            os.fsync(raw.fileno())
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def _full_disk_named(path: Path, state: str) -> Iterator[None]:
    """Add the name of the file and its state to the error of a full disk, which has only a number."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL and error.filename is None:
            raise OSError(error.errno, f"{error.strerror}; {state}", str(path)) from error
        raise


def is_gzipped(path: Path) -> bool:
    """Whether the name of a file marks it as gzip-compressed."""
    return path.suffix == ".gz"


def check_writable(path: Path) -> os.stat_result | None:
    """Raise the error that `replacing` would raise before it writes. Call this function before a long computation.

    Parameters
    ----------
    path : Path

    Returns
    -------
    os.stat_result or None
        The status of the existing file, with symbolic links followed.

    Raises
    ------
    FileNotFoundError, NotADirectoryError
        If the folder does not exist.
    IsADirectoryError
        If `path` is a folder.
    PermissionError
        If the file may not be written to, or if the process may not create a file in its folder.
    """
    try:
        old = path.stat()
    except FileNotFoundError:
        old = None
    if old is not None and stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, "this is a folder; give the name of a file in it", str(path))
    if old is not None and not stat.S_ISREG(old.st_mode):
        return old  # opening a pipe may wait for its reader
    if old is not None:
        os.close(os.open(path, os.O_WRONLY))
        if _names_descriptor(path):
            return old
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder}; create it first", str(path))
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        raise PermissionError(
            errno.EACCES, f"the folder {folder} can't be written to, but the new file is made there first", str(path)
        )
    return old


class _Flow(io.FileIO):
    """A file without seeks. Devices such as ``/dev/null`` accept seeks, and then writers of archives go wrong."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: Any) -> int:
        raise io.UnsupportedOperation("a device or a pipe doesn't keep what is written to it")

    tell = seek


@contextmanager
def _content(path: Path, raw: BinaryIO) -> Iterator[BinaryIO]:
    """A file whose content is written into `raw`, compressed if the name of `path` says so."""
    if not is_gzipped(path):
        yield raw
        return
    with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=6, mtime=0) as content:
        yield cast(BinaryIO, content)


def _take_over(descriptor: int, old: os.stat_result) -> None:
    """Give a new file the owner and the mode of the file that it replaces."""
    if sys.platform == "win32":  # a mode only says whether a file is writable there, and this file is
        return
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):  # only root may change the owner; for other users the file is their own
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _names_descriptor(path: Path) -> bool:
    """Whether a path leads to an open file of a process, as ``/dev/stdout`` does."""
    while path.is_symlink():
        if _DESCRIPTORS.fullmatch(os.path.realpath(path.parent)):
            return True
        path = path.parent / os.readlink(path)
    return False
