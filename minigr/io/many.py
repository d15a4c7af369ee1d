"""Several files as one graph: a folder or a list of edge lists, Parquet tables or other lists of edges."""

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
from minigr.io.source import LONG_FILE, Portion

_LABELS = 2**63  # upper limit of ids that are replaced by ranks


@dataclass(frozen=True)
class Files:
    """The files to read.

    Attributes
    ----------
    name : Path
        The name for errors that concern no particular file.
    paths : tuple of Path
    several : bool
        Whether the path was a folder or a list of files.
    """

    name: Path
    paths: tuple[Path, ...]
    several: bool


def files_of(path: str | os.PathLike | Sequence[str | os.PathLike], format: str | None = None) -> Files:
    """The files that `path` represents.

    Raises
    ------
    FormatError
        If a folder has no files, or contains a folder.
    GraphError
        If a list is empty, or is not a list of paths.
    FileNotFoundError
    """
    if isinstance(path, (str, os.PathLike)):
        file = file_of(path)
        if not file.is_dir() or format == "minigr" or file.suffix.lower() == ".minigr":
            return Files(file, (file,), False)
        held = sorted(each for each in file.iterdir() if not each.name.startswith((".", "_")))
        for each in held:
            if each.is_dir():
                raise FormatError(file, f"holds the folder {each.name!r}: give a list of the graph's files")
        if not held:
            raise FormatError(file, "this folder holds no files")
        return Files(file, tuple(held), True)
    paths = list(path) if isinstance(path, Sequence) else []
    if not paths or not all(isinstance(each, (str, os.PathLike)) for each in paths):
        raise GraphError(f"expected the path of a file or a folder, or a list of paths, got {path!r}")
    files = tuple(map(file_of, paths))
    return Files(files[0] if len(files) == 1 else Path(f"{files[0]} and {len(files) - 1} more"), files, len(files) > 1)


def contents_of(files: Files, format: str | None, options: Options) -> Edges | Parts | Rows:
    """The contents of the files.

    Raises
    ------
    FormatError
        If a file isn't in its format, or the files are not edges of one graph. The message names the file.
    OSError, OutOfMemoryError
    """
    if not files.several:
        return read_contents(files.name, format, options)
    quiet = replace(options, progress=False)
    parts = [edges_of(path, format, quiet) for path in files.paths]
    said = [Said.by(path, part) for path, part in zip(files.paths, parts, strict=True)]
    return as_one(files.name, [Portion(path) for path in files.paths], parts, said, options)


@dataclass(frozen=True)
class Said:
    """The facts about the edges in a file, without the edges."""

    path: Path
    weighted: bool
    directed: bool | None
    num_vertices: int | None
    real: bool
    own_dtype: bool
    kept: tuple[str, ...]

    @classmethod
    def by(cls, path: Path, part: Parts) -> Said:
        """The facts that the reader of a file found."""
        return cls(path, part.weighted, part.directed, part.num_vertices, part.real, part.cast is not None, part.kept)


def as_one(
    name: Path, portions: Sequence[Portion], parts: Sequence[Parts], said: Sequence[Said], options: Options
) -> Parts:
    """The edges of several files as those of one file; `said` also has the facts of other processes' files.

    Ids are checked, and a progress bar is shown as ``options.progress`` specifies.

    Raises
    ------
    FormatError
        If the files don't fit together. The message names the file that differs from the first one.
    """
    _check_alike(said)
    counts = [each.num_vertices for each in said if each.num_vertices is not None]
    count = max(counts) if counts else None
    own_dtypes = any(each.own_dtype for each in said)
    limit = options.num_vertices if count is None else count
    limit = _LABELS if options.relabel else MAX_VERTICES if limit is None else limit

    def read() -> Iterator[Edges]:
        with _bar(name, portions, options.progress) as advance:
            for portion, part in zip(portions, parts, strict=True):
                rows = 0
                for edges in part.read():
                    _check_ids(portion, rows, edges, limit)
                    weights = part.cast(edges.weights) if part.cast and part.weighted else edges.weights
                    yield replace(edges, weights=weights, place=(portion, rows))
                    rows += len(edges.src)
                advance(portion)

    return Parts(
        tuple(portion.path for portion in portions),
        read,
        count,
        said[0].directed,
        said[0].weighted,
        any(each.real for each in said) and not own_dtypes,
        _as_it_is if own_dtypes else None,
        options.times,
        said[0].kept,
    )


def _check_alike(said: Sequence[Said]) -> None:
    """Raise `FormatError` if a file differs from the first one in a fact."""
    first = said[0]
    for each in said[1:]:
        for own, other, what in (
            (each.weighted, first.weighted, ("has weights", "has no weights")),
            (each.directed, first.directed, ("says that edges are directed", "does not say that edges are directed")),
            (
                each.num_vertices is not None,
                first.num_vertices is not None,
                ("says how many vertices there are", "does not say how many vertices there are"),
            ),
        ):
            if own != other:
                raise FormatError(
                    each.path, f"{what[not own]}, unlike {first.path.name}: all files of a graph must agree"
                )

        if set(each.kept) != set(first.kept):
            here, there = (", ".join(map(repr, one.kept)) or "no further columns" for one in (each, first))
            unlike = f"has {here}, unlike {first.path.name}, which has {there}"
            raise FormatError(each.path, f"{unlike}: give keep= only names that all files have")


def _check_ids(portion: Portion, rows: int, edges: Edges, limit: int) -> None:
    """Raise `FormatError` if an end is not an id below the limit; `rows` is the number of earlier rows."""
    for name, ids in (("src", edges.src), ("dst", edges.dst)):
        if ids.dtype.kind not in "iu":
            raise FormatError(portion.path, f"{name} holds {ids.dtype} values, but vertex ids are integers; cast them")
        if len(ids) and (int(ids.min()) < 0 or int(ids.max()) >= limit):
            position = int(((ids < 0) | (ids >= limit)).argmax())
            which = f"{name} of edge {rows + position}"
            raise portion.fault(f"{which} is {ids[position]}, but ids are between 0 and {limit - 1}")


def _as_it_is(weights: Any) -> Any:
    return weights


def edges_of(path: Path, format: str | None, options: Options) -> Parts:
    """The edges of one of several files, read on request.

    Raises
    ------
    FormatError
        If the file isn't in its format, or holds a whole graph.
    OSError, OutOfMemoryError
    """
    if format_of(path, format) in ("minigr", "graph", *NAMED):
        raise FormatError(path, "holds a whole graph; only lists of edges can be parts of one")
    contents = read_contents(path, format, options)
    if isinstance(contents, Parts):
        return contents
    if isinstance(contents, Rows) or contents.both_ways:
        raise FormatError(path, "holds a whole graph, with all rows; only lists of edges can be parts of one")
    weighted, timed = contents.weights is not None, contents.times is not None

    def parts() -> Iterator[Edges]:
        held = read_contents(path, format, options)
        assert isinstance(held, Edges)  # as in the first read
        yield held

    return Parts((path,), parts, contents.num_vertices, contents.directed, weighted, cast=_as_it_is, timed=timed)


@contextmanager
def _bar(name: Path, portions: Sequence[Portion], progress: bool | None) -> Iterator[Callable[[Portion], None]]:
    """A function to call after a portion is read. It advances the progress bar, if there is one."""
    total = sum(portion.size for portion in portions)
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty() and total >= LONG_FILE
    if not progress:
        yield lambda portion: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(escape(f"Reading {len(portions)} files of {name.name}"), total=total)
        yield lambda portion: shown.advance(task, portion.size)
