"""Opening a file for reading: plain or gzipped, with a progress bar on the long ones; and its lines."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from minigr.errors import FormatError
from minigr.io.sizes import require_room
from minigr.replace import is_gzipped

LONG_FILE = 50_000_000
"""From this size, in bytes on disk, a file is worth a progress bar."""
BLOCK = 1 << 21
"""Bytes read at a time, so that the text of a long file is never all in memory."""
LONGEST_LINE = 1 << 16
"""In bytes: enough for any row and any header, and a bound for a file that has no lines. Comments may be longer."""

_LARGEST_GZIP_RATIO = 1032
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MEMORY_PER_BYTE = 16  # of a line of many numbers


@dataclass(frozen=True)
class Span:
    """Some bytes of a file, from `first` up to, not including, `end`: the rows that begin there."""

    first: int
    end: int


@dataclass(frozen=True)
class Portion:
    """A file, or those of its rows that begin in a span."""

    path: Path
    span: Span | None = None

    @property
    def size(self) -> int:
        """In bytes."""
        return self.path.stat().st_size if self.span is None else self.span.end - self.span.first

    def fault(self, what: str) -> FormatError:
        """The error about an edge whose number `what` tells, counted from where the portion begins."""
        begins = f" (edges are counted from byte {self.span.first:,} on)" if self.span and self.span.first else ""
        return FormatError(self.path, what + begins)


def largest_content(path: Path) -> int:
    """An upper bound of the number of bytes that reading `path` can give."""
    return path.stat().st_size * (_LARGEST_GZIP_RATIO if is_gzipped(path) else 1)


class Unchanged:
    """Tells files that were changed since it was made: by their places, sizes and times."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)
        self._states = [self._of(path) for path in self._paths]

    @staticmethod
    def _of(path: Path) -> tuple[int, int, int]:
        stat = path.stat()
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    def check(self) -> None:
        """Raise `FormatError` with the name of one that was."""
        for path, state in zip(self._paths, self._states, strict=True):
            if self._of(path) != state:
                raise FormatError(path, "the file changed while it was read; read it again")


@contextmanager
def open_source(path: Path, progress: bool | None = None, span: Span | None = None) -> Iterator[BinaryIO]:
    """`path` opened for reading bytes, decompressed if its name ends in ``.gz``; a byte order mark is skipped.

    Parameters
    ----------
    path : Path
    progress : bool, optional
        Whether to show a bar on standard error. None: for a long file, if standard error is a terminal.
    span : Span, optional
        What of it will be read, for the bar.

    Raises
    ------
    FormatError
        If compressed data is damaged or cut short, where it is read.
    """
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty() and path.stat().st_size >= LONG_FILE
    with _open(path, progress, None if span is None else span.end) as raw:
        if not is_gzipped(path):
            yield _after_mark(raw)
            return
        try:
            with gzip.GzipFile(fileobj=raw) as content:
                yield _after_mark(cast(BinaryIO, content))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(path, f"the gzip data is damaged or cut short: {error}") from error


@contextmanager
def _open(path: Path, progress: bool, end: int | None) -> Iterator[BinaryIO]:
    if not progress:
        with path.open("rb") as raw:
            yield raw
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import open as open_with_bar

    console = Console(stderr=True)
    what = escape(f"Reading {path.name}")
    with open_with_bar(path, "rb", total=end, description=what, console=console, transient=True) as raw:
        yield raw


def _after_mark(handle: BinaryIO) -> BinaryIO:
    if handle.read(len(_BYTE_ORDER_MARK)) != _BYTE_ORDER_MARK:
        handle.seek(0)
    return handle


def next_line(handle: BinaryIO, path: Path, number: int, comment: bytes = b"") -> bytes:
    """Line `number` of a file, or what there is of it in `LONGEST_LINE` bytes if it begins with a `comment` character.

    Raises
    ------
    FormatError
        If it is longer and no comment.
    """
    raw = handle.readline(LONGEST_LINE)
    if _is_cut(raw):
        if raw.lstrip()[:1] not in tuple(comment[i : i + 1] for i in range(len(comment))):
            raise too_long(path, number)
        while _is_cut(handle.readline(LONGEST_LINE)):
            pass
    return raw


def go_to_line(handle: BinaryIO, place: int) -> None:
    """Go to the first line that begins at byte `place` or later."""
    handle.seek(max(place - 1, 0))
    while place and _is_cut(handle.readline(LONGEST_LINE)):
        pass


def lines_before(path: Path, place: int) -> int:
    """How many lines of a file begin before byte `place`."""
    lines = 0
    with path.open("rb") as handle:
        while place > 1 and (block := handle.read(min(BLOCK, place - 1))):
            lines, place = lines + block.count(b"\n"), place - len(block)
    return lines + 1


@dataclass
class Line:
    """The number of the line that a reader has come to, from 1; who takes the lines counts them."""

    number: int


def blocks(
    handle: BinaryIO, path: Path, line: Line, comment: bytes = b"", *, long_lines: bool = False, end: int | None = None
) -> Iterator[bytes]:
    """The rest of a file, whole lines at a time.

    Parameters
    ----------
    handle : binary file
    path : Path
    line : Line
        The first line that was not yet given, when the next lines are asked for; what errors name is counted from it.
    comment : bytes
        Characters that begin a comment, which may be longer than `LONGEST_LINE`.
    long_lines : bool
        Whether rows may be longer, too, as far as there is memory.
    end : int, optional
        The byte from which on lines are left out, those that begin there or later.

    Raises
    ------
    FormatError
        If a line is longer than it may be.
    OutOfMemoryError
        If a long line would not fit.
    """
    while block := handle.read(BLOCK if end is None else max(0, min(BLOCK, end - handle.tell()))):
        pieces = [block]
        while long_lines and not pieces[-1].endswith(b"\n") and (piece := handle.readline(BLOCK)):
            pieces.append(piece)
            require_room(path, _MEMORY_PER_BYTE * BLOCK * len(pieces), "a line of it")
        if not long_lines and not block.endswith(b"\n"):
            pieces.append(handle.readline(LONGEST_LINE))
            if _is_cut(pieces[-1]):
                begun = block[block.rfind(b"\n") + 1 :] + pieces[-1]
                if not any(character in begun for character in comment):
                    raise too_long(path, line.number + block.count(b"\n"))
                while _is_cut(piece := handle.readline(LONGEST_LINE)):
                    pass
                pieces.append(b"\n")
        yield b"".join(pieces)


def too_long(path: Path, line: int) -> FormatError:
    """What is raised for a line without an end."""
    return FormatError(path, f"the line is longer than {LONGEST_LINE:,} bytes; is this a text file?", line)


def _is_cut(raw: bytes) -> bool:
    return len(raw) == LONGEST_LINE and not raw.endswith(b"\n")
