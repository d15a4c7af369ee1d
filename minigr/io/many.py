"""Several files as one graph: a folder or a list of edge lists, Parquet tables and the like."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from minigr.errors import FormatError, GraphError
from minigr.graphs.checks import MAX_VERTICES
from minigr.io.contents import Edges, Options, Parts, Rows
from minigr.io.registry import NAMED, file_of, format_of, read_contents
from minigr.io.source import LONG_FILE


@dataclass(frozen=True)
class Files:
    """What is to be read.

    Attributes
    ----------
    name : Path
        What to call it in an error about no file in particular.
    paths : tuple of Path
    several : bool
        Whether there was a folder or a list of files.
    """

    name: Path
    paths: tuple[Path, ...]
    several: bool


def files_of(path: str | os.PathLike | Sequence[str | os.PathLike], format: str | None = None) -> Files:
    """The files that `path` stands for.

    Raises
    ------
    FormatError
        If a folder has none, or has a folder in it.
    GraphError
        If a list is empty, or is no list of paths.
    FileNotFoundError
    """
    if isinstance(path, (str, os.PathLike)):
        file = file_of(path)
        if not file.is_dir() or format == "minigr" or file.suffix.lower() == ".minigr":
            return Files(file, (file,), False)
        held = sorted(each for each in file.iterdir() if not each.name.startswith((".", "_")))
        for each in held:
            if each.is_dir():
                raise FormatError(file, f"holds the folder {each.name!r}: give a list of the files that are the graph")
        if not held:
            raise FormatError(file, "this folder holds no files")
        return Files(file, tuple(held), True)
    paths = list(path) if isinstance(path, Sequence) else []
    if not paths or not all(isinstance(each, (str, os.PathLike)) for each in paths):
        raise GraphError(f"expected the path of a file or a folder, or a list of paths, got {path!r}")
    files = tuple(map(file_of, paths))
    return Files(files[0] if len(files) == 1 else Path(f"{files[0]} and {len(files) - 1} more"), files, len(files) > 1)


def contents_of(files: Files, format: str | None, options: Options) -> Edges | Parts | Rows:
    """What the files hold.

    Raises
    ------
    FormatError
        If one isn't in its format, or several are no edges of one graph; it names the file.
    OSError, OutOfMemoryError
    """
    if not files.several:
        return read_contents(files.name, format, options)
    quiet = replace(options, progress=False)
    for path in files.paths:
        if format_of(path, format) in ("minigr", "graph", *NAMED):
            raise FormatError(path, "holds a whole graph; only lists of edges can be parts of one")
    each = [_edges(path, format, quiet) for path in files.paths]
    first = each[0]
    for path, part in zip(files.paths[1:], each[1:], strict=True):
        for said, other, what in (
            (part.weighted, first.weighted, ("has weights", "has no weights")),
            (part.directed, first.directed, ("says that edges are directed", "does not say that edges are directed")),
            (
                part.num_vertices is not None,
                first.num_vertices is not None,
                ("says how many vertices there are", "does not say how many vertices there are"),
            ),
        ):
            if said != other:
                raise FormatError(
                    path, f"{what[not said]}, unlike {files.paths[0].name}: all files of a graph must be alike in that"
                )
    counts = [part.num_vertices for part in each if part.num_vertices is not None]
    count = max(counts) if counts else None
    own = any(part.cast is not None for part in each)

    def parts() -> Iterator[Edges]:
        with _bar(files, options.progress) as advance:
            for path, part in zip(files.paths, each, strict=True):
                rows = 0
                for edges in part.read():
                    if not options.relabel:
                        _check_ids(path, rows, edges, options.num_vertices if count is None else count)
                    rows += len(edges.src)
                    yield replace(edges, weights=part.cast(edges.weights)) if part.cast and part.weighted else edges
                advance(path)

    return Parts(
        files.paths,
        parts,
        count,
        first.directed,
        first.weighted,
        any(part.real for part in each),
        _as_it_is if own else None,
        options.times,
    )


def _check_ids(path: Path, rows: int, edges: Edges, count: int | None) -> None:
    """Raise `FormatError` if an end is no vertex; `rows` rows of the file come before."""
    limit = MAX_VERTICES if count is None else count
    for name, ids in (("src", edges.src), ("dst", edges.dst)):
        if len(ids) and ids.dtype.kind in "iu" and (int(ids.min()) < 0 or int(ids.max()) >= limit):
            position = int(((ids < 0) | (ids >= limit)).argmax())
            raise FormatError(
                path, f"{name} of edge {rows + position} is {ids[position]}, but ids are between 0 and {limit - 1}"
            )


def _as_it_is(weights: Any) -> Any:
    return weights


def _edges(path: Path, format: str | None, options: Options) -> Parts:
    """The edges of one file of several, read when they are asked for."""
    contents = read_contents(path, format, options)
    if isinstance(contents, Parts):
        return contents
    if isinstance(contents, Rows) or contents.both_ways:
        raise FormatError(path, "holds a whole graph, with all rows; only lists of edges can be parts of one")
    weighted, timed = contents.weights is not None, contents.times is not None

    def parts() -> Iterator[Edges]:
        held = read_contents(path, format, options)
        assert isinstance(held, Edges)  # as it was
        yield held

    return Parts((path,), parts, contents.num_vertices, contents.directed, weighted, cast=_as_it_is, timed=timed)


@contextmanager
def _bar(files: Files, progress: bool | None) -> Iterator[Callable[[Path], None]]:
    """A function to be called when a file was read, which moves a bar on standard error if there is one."""
    sizes = {path: path.stat().st_size for path in files.paths}
    total = sum(sizes.values())
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty() and total >= LONG_FILE
    if not progress:
        yield lambda path: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(escape(f"Reading {len(sizes)} files of {files.name.name}"), total=total)
        yield lambda path: shown.advance(task, sizes[path])
