"""`convert`: from a file of edges to a folder that can be mapped. The graph need not fit into memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from minigr import memory
from minigr.device import CPU
from minigr.errors import FormatError, GraphError
from minigr.graphs.checks import as_vertex_count, as_whole
from minigr.io import folder
from minigr.io.build import Building, Unusual
from minigr.io.contents import Options, Parts, as_weight_dtype, graph_of
from minigr.io.many import contents_of, files_of
from minigr.io.registry import as_kept, format_of
from minigr.memory import out_of_memory
from minigr.paths import as_path

_BY_DEFAULT = 1 << 30  # bytes, if the system doesn't report the free memory
_AT_LEAST = 1 << 16


@out_of_memory
def convert(
    path: str | os.PathLike | Sequence[str | os.PathLike],
    target: str | os.PathLike,
    *,
    at_once: int | None = None,
    format: str | None = None,
    directed: bool | None = None,
    weights: bool | str = True,
    weight_dtype: Any = None,
    columns: Sequence[str] | None = None,
    num_vertices: int | None = None,
    progress: bool | None = None,
    keep: bool | Sequence[str] | None = None,
) -> None:
    """Convert a file to a .minigr folder; the graph may be larger than the memory.

    An edge list, a Matrix Market or DIMACS file or a Parquet table is read in parts: once to count the edges of each
    vertex, and again for each share of the rows that fits into memory. Only 8 bytes per vertex are held in addition.
    The contents of a file in another format must fit into memory.

    Parameters
    ----------
    path : path-like, or sequence of these
        As for `read`.
    target : path-like
        The folder; its name ends in .minigr.
    at_once : int, optional
        Bytes of neighbors and weights to hold at a time. By default, half of the free memory.
    format, directed, weights, weight_dtype, columns, num_vertices, progress, keep
        As for `read`; `format` is the format of the file. If further columns are kept, the file must fit into memory.

    Raises
    ------
    FormatError, OutOfMemoryError, GraphError
        As for `read`. FormatError also if `target` is not a .minigr folder.
    OSError
        If the disk has too little space. After any of these errors, the folder is unchanged.

    Notes
    -----
    O(n + m) for each share. The folder holds the same graph that `read` returns for the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import minigr as mg
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = pathlib.Path(place, "edges.txt").write_text("0 1\\n1 2\\n")
    ...     mg.convert(pathlib.Path(place, "edges.txt"), pathlib.Path(place, "edges.minigr"))
    ...     mg.read(pathlib.Path(place, "edges.minigr"), mmap=True)
    Graph(3 vertices, 2 edges, undirected, unweighted, cpu)
    """
    files, into = files_of(path, format), as_path(target)
    if format_of(into, None) != "minigr":
        raise FormatError(into, "convert makes folders that can be mapped: give a name that ends in .minigr")
    if at_once is not None and as_whole(at_once, "at_once") < _AT_LEAST:
        raise GraphError(f"at_once must be at least {_AT_LEAST:,} bytes, got {at_once}")
    weight_dtype = as_weight_dtype(weight_dtype)
    count = None if num_vertices is None else as_vertex_count(num_vertices)
    options = Options.of(
        columns, weights, progress=progress, num_vertices=count, keep=as_kept(keep), attributes=bool(keep)
    )
    contents, file = contents_of(files, format, options), files.name
    if isinstance(contents, Parts):
        turned = contents.directed is not None and directed is not None and directed != contents.directed
        if not (
            contents.kept or (turned and contents.directed)
        ):  # edges can be made from arcs only in the order of rows
            with suppress(Unusual):
                building = Building(contents, file, options, directed, weight_dtype)
                _write(building, into, building.directed or turned, at_once or _room())
                return
        contents = contents.whole()
    graph = graph_of(contents, file, options=options, directed=directed, weight_dtype=weight_dtype, device=CPU)
    folder.write(graph, into)


def _room() -> int:
    free = memory.free(CPU)
    return _BY_DEFAULT if free is None else max(free // 2, _AT_LEAST)


def _write(building: Building, path: Path, directed: bool, at_once: int) -> None:
    """Write the rows, as many at a time as fit into `at_once` bytes."""
    n, dtype = building.num_vertices, building.weight_dtype
    needed = 8 * (n + 1) + building.arcs * building.bytes_per_arc
    with folder.writing(path, needed, directed) as writer:
        writer.begin("offsets", np.int64, n + 1)
        writer.begin("indices", np.int32, building.arcs)
        if dtype is not None:
            writer.begin("weights", dtype, building.arcs)
        for rows in _shares(building, max(at_once // building.bytes_per_arc, 1)):
            building.rows.allocate(dtype, rows)
            building.put_all()
            _, indices, weights = building.rows.finish()
            writer.append("indices", indices)
            if weights is not None:
                writer.append("weights", weights)
        writer.append("offsets", building.rows.starts)


def _shares(building: Building, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of at most `most` arcs, or of one row. The rows before a range must be put when the range is requested."""
    n, low = building.num_vertices, 0
    while low < n:
        starts = building.rows.starts
        end = int(starts[low + 1]) + most  # row v begins at starts[v + 1]
        high = n if building.arcs <= end else max(int(np.searchsorted(starts[low + 1 :], end, "right")) + low - 1, low)
        high = max(high, low + 1)
        yield low, high
        low = high
