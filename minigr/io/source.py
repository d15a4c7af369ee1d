"""Opens files for reading: plain or gzipped, with a progress bar for long files; and reads lines."""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from minigr.errors import FormatError
from minigr.io.sizes import require_room
from minigr.paths import refuse_pipe
from minigr.replace import is_gzipped

LONG_FILE = 50_000_000
"""The size in bytes on disk from which a file gets a progress bar."""
BLOCK = 1 << 21
"""Bytes per read, so that the text of a long file is never all in memory."""
LONGEST_LINE = 1 << 16
"""In bytes: enough for any row and any header, and a limit for a file without lines. Comments may be longer."""

_LARGEST_GZIP_RATIO = 1032
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NO_TEXT = {
    rb"\x1f\x8b": "gzip data: decompress it, or give it a name that ends in .gz",
    rb"BZh[1-9]1AY&SY": "bzip2 data: decompress it",
    rb"\xfd7zXZ\x00": "xz data: decompress it",
    rb"\x28\xb5\x2f\xfd": "zstd data: decompress it",
    rb"PK\x03\x04": "a zip archive: unpack it, or give an archive of NumPy a name that ends in .npz",
}
"""How files begin that are often taken for text, and what they hold."""
_UTF_16 = {rb"\xff\xfe|\xfe\xff": "text in UTF-16: save it as UTF-8"}
_MEMORY_PER_BYTE = 16  # for a line of many numbers


@dataclass(frozen=True)
class Span:
    """A range of bytes of a file, from `first` to before `end`. It stands for the rows that begin there."""

    first: int
    end: int


@dataclass(frozen=True)
class Portion:
    """A file, or the rows of a file that begin in a span."""

    path: Path
    span: Span | None = None

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self.path.stat().st_size if self.span is None else self.span.end - self.span.first

    def fault(self, what: str) -> FormatError:
        """The error about an edge. `what` has the number of the edge, counted from the start of the portion."""
        begins = f" (edges are counted from byte {self.span.first:,} on)" if self.span and self.span.first else ""
        return FormatError(self.path, what + begins)


def largest_content(path: Path) -> int:
    """An upper bound of the number of bytes that reading `path` returns."""
    return path.stat().st_size * (_LARGEST_GZIP_RATIO if is_gzipped(path) else 1)


class Unchanged:
    """Detects files that changed after it was made, by their inodes, sizes and times."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)
        self._states = [self._of(path) for path in self._paths]

    @staticmethod
    def _of(path: Path) -> tuple[int, int, int]:
        stat = path.stat()
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    def check(self) -> None:
        """Raise `FormatError` with the name of a changed file, if there is one."""
        for path, state in zip(self._paths, self._states, strict=True):
            if self._of(path) != state:
                raise FormatError(path, "the file changed while it was read; read it again")


@contextmanager
def open_source(
    path: Path, progress: bool | None = None, span: Span | None = None, *, utf_16: bool = False
) -> Iterator[BinaryIO]:
    """Open `path` to read bytes, decompressed if its name ends in ``.gz``; a byte order mark is skipped.

    Parameters
    ----------
    path : Path
    progress : bool, optional
        Whether to show a bar on standard error. None: for a long file, if standard error is a terminal.
    span : Span, optional
        The part of the file that will be read, for the progress bar.
    utf_16 : bool
        Whether the reader takes text in UTF-16.

    Raises
    ------
    FormatError
        If the file begins as a file that is no text. If compressed data is damaged or cut short; the
        error comes when the data is read.
    """
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty() and path.stat().st_size >= LONG_FILE
    with _open(path, progress, None if span is None else span.end) as raw:
        refuse_pipe(raw, path)
        no_text = _NO_TEXT | ({} if utf_16 else _UTF_16)
        if not is_gzipped(path):
            yield _after_mark(raw, path, no_text)
            return
        try:
            with gzip.GzipFile(fileobj=raw) as content:
                yield _after_mark(cast(BinaryIO, content), path, no_text)
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


def _after_mark(handle: BinaryIO, path: Path, no_text: dict[bytes, str]) -> BinaryIO:
    start = handle.read(16)
    for begins, what in no_text.items():
        if re.match(begins, start):
            raise FormatError(path, f"holds {what}")
    handle.seek(len(_BYTE_ORDER_MARK) if start.startswith(_BYTE_ORDER_MARK) else 0)
    return handle


def next_line(handle: BinaryIO, path: Path, number: int, comment: bytes = b"") -> bytes:
    """Line `number` of a file. A comment that begins with a character in `comment` is cut at `LONGEST_LINE` bytes.

    Raises
    ------
    FormatError
        If the line is longer and not a comment.
    """
    raw = handle.readline(LONGEST_LINE)
    if _is_cut(raw):
        if raw.lstrip()[:1] not in tuple(comment[i : i + 1] for i in range(len(comment))):
            raise too_long(path, number)
        while _is_cut(handle.readline(LONGEST_LINE)):
            pass
    return raw


def go_to_line(handle: BinaryIO, place: int) -> None:
    """Move to the first line that begins at byte `place` or later."""
    handle.seek(max(place - 1, 0))
    while place and _is_cut(handle.readline(LONGEST_LINE)):
        pass


def lines_before(path: Path, place: int) -> int:
    """The number of lines of a file that begin before byte `place`."""
    lines = 0
    with path.open("rb") as handle:
        while place > 1 and (block := handle.read(min(BLOCK, place - 1))):
            lines, place = lines + block.count(b"\n"), place - len(block)
    return lines + 1


@dataclass
class Line:
    """The number of a reader's current line, from 1. The code that consumes the lines counts them."""

    number: int


def blocks(
    handle: BinaryIO, path: Path, line: Line, comment: bytes = b"", *, long_lines: bool = False, end: int | None = None
) -> Iterator[bytes]:
    """The rest of a file in blocks of whole lines.

    Parameters
    ----------
    handle : binary file
    path : Path
    line : Line
        The first line that is not yet consumed when the next block is requested. Line numbers in errors are based on
        it.
    comment : bytes
        Characters that begin a comment. A comment may be longer than `LONGEST_LINE`.
    long_lines : bool
        Whether rows may also be longer, as far as the memory allows.
    end : int, optional
        The byte where the range ends; lines that begin there or later are left out.

    Raises
    ------
    FormatError
        If a line is longer than allowed.
    OutOfMemoryError
        If a long line does not fit into the memory.
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
    """The error for a line without an end."""
    return FormatError(path, f"the line is longer than {LONGEST_LINE:,} bytes; is this a text file?", line)


def _is_cut(raw: bytes) -> bool:
    return len(raw) == LONGEST_LINE and not raw.endswith(b"\n")
