"""The shares of files for several processes that read them together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from minigr.errors import FormatError
from minigr.graphs.partitioned.exchange import Exchange
from minigr.io.many import Files, Portion
from minigr.io.registry import format_of
from minigr.io.source import Span
from minigr.replace import is_gzipped

DIVISIBLE = ("edges", "parquet")
"""The formats that several processes read in shares of rows, unless the file is compressed."""


def portions_of(files: Files, format: str | None, process: int, processes: int) -> list[Portion]:
    """The portions for one process. The files are taken as one sequence of bytes, and all processes get equal shares.

    A file that can't be divided is read by the process in whose share it begins.
    """
    if processes == 1:
        return [Portion(path) for path in files.paths]
    sizes = [path.stat().st_size for path in files.paths]
    first, end = (sum(sizes) * number // processes for number in (process, process + 1))
    found, begin = [], 0
    for path, size in zip(files.paths, sizes, strict=True):
        if _is_divisible(path, format) and size:
            span = Span(max(first - begin, 0), min(end - begin, size))
            if span.first < span.end:
                found.append(Portion(path, span))
        elif first <= begin < end or (begin == end and process == processes - 1):
            found.append(Portion(path))
        begin += size
    return found


def check_same(files: Files, exchange: Exchange) -> None:
    """Raise `FormatError` unless all processes see the same files."""
    own = [(path.name, path.stat().st_size) for path in files.paths]
    seen = exchange.of_processes(own)
    for process, each in enumerate(seen):
        if each != seen[0]:
            what = f"process {process} sees {_told(each, seen[0])}, and process 0 {_told(seen[0], each)}"
            raise FormatError(files.name, f"{what}: give all of them the same files")


def _told(files: Sequence[tuple[str, int]], others: Sequence[tuple[str, int]]) -> str:
    """The first of `files` that is not among `others`."""
    there = set(others)
    return next((f"{name} of {size:,} bytes" for name, size in files if (name, size) not in there), "no such file")


def _is_divisible(path: Path, format: str | None) -> bool:
    return format_of(path, format) in DIVISIBLE and not is_gzipped(path)
