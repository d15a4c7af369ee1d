"""Timed edges: streams, as `minigr.stream` takes them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import FormatError, GraphError
from minigr.graphs import checks
from minigr.io.contents import Options, Parts, Rows, vertices_of
from minigr.io.registry import as_asked, read_contents
from minigr.memory import out_of_memory
from minigr.paths import as_path


@dataclass(frozen=True)
class TimedEdges:
    """Edges in the order of time, in host memory.

    Attributes
    ----------
    src, dst : int32[m]
    time : int64[m] or float64[m]
        The time of each edge, in nondecreasing order.
    weights : array[m] or None
    num_vertices : int
        The number that `read_timed` was given, the number in the file, or one more than the largest id.
    """

    src: Any
    dst: Any
    time: Any
    weights: Any
    num_vertices: int

    def __len__(self) -> int:
        return len(self.src)


@out_of_memory
def read_timed(
    path: str | os.PathLike,
    *,
    format: str | None = None,
    weights: bool = True,
    columns: Sequence[str] | None = None,
    relabel: bool = False,
    num_vertices: int | None = None,
    progress: bool | None = None,
) -> TimedEdges:
    """Read the edges in a file and the time of each edge.

    Parameters
    ----------
    path : path-like
        An edge list, an .npz archive, or a Parquet table. An edge list may be gzipped. It has three columns (source,
        target and time) or four columns (source, target, weight and time). An archive has the arrays ``src``, ``dst``,
        ``time`` and optionally ``weight``.
    format : {'edges', 'npz', 'parquet'}, optional
        By default, the format of the extension, as in `read`.
    weights : bool
        Whether to read the weights in the file.
    columns : sequence of str, optional
        The contents of each column: ``"src"``, ``"dst"``, ``"weight"``, ``"time"``, or any other name for a column to
        leave out. By default, the column names in the file, if any.
    relabel : bool
        If True, ids may be any whole numbers from 0, and the vertices are numbered by rank.
    num_vertices : int, optional
        The number of vertices, as in `read`.
    progress : bool, optional
        Whether to show a progress bar. By default, for long files if standard error is a terminal.

    Returns
    -------
    TimedEdges
        The edges, sorted by time. Edges with equal times keep the order of the file.

    Raises
    ------
    FormatError
        If the file is not in its format, has no times, or has a time that is infinite or NaN.
    OSError, OutOfMemoryError

    Notes
    -----
    O(m log m).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "mail.txt").write_text("0 1 30\\n1 2 10\\n")
    ...     edges = read_timed(pathlib.Path(folder, "mail.txt"))
    >>> edges.src, edges.time, edges.num_vertices
    (array([1, 0], dtype=int32), array([10, 30]), 3)
    """
    file = as_path(path)
    count = as_asked(num_vertices, relabel)
    options = Options.of(columns, weights, relabel=relabel, progress=progress, times=True, num_vertices=count)
    contents = read_contents(file, format, options)
    contents = contents.whole() if isinstance(contents, Parts) else contents
    if isinstance(contents, Rows) or contents.times is None:
        raise FormatError(file, "has no times: give an edge list, an .npz with src, dst and time, or a Parquet table")
    try:
        src, dst, count = vertices_of(contents, file, options)
        time = _times(contents.times)
        for name, column in (("dst", dst), ("time", time)):
            if len(column) != len(src):
                raise GraphError(f"{name} has length {len(column)}, but src has length {len(src)}")
        held = None if contents.weights is None else checks.as_weights(CPU, contents.weights, len(src))
    except GraphError as error:
        raise FormatError(file, str(error)) from error
    order = np.argsort(time, kind="stable")
    return TimedEdges(src[order], dst[order], time[order], None if held is None else held[order], count)


def _times(array: Any) -> Any:
    """Times as int64 or float64, so that differences between them are exact; all times are finite."""
    time = checks.as_vector(CPU, array, "time")
    if time.dtype.kind == "f":
        time = time.astype(np.float64, copy=False)
        wrong = ~np.isfinite(time)
        if wrong.any():
            first = int(wrong.argmax())
            what = "NaN" if np.isnan(time[first]) else "infinite"
            raise GraphError(f"time[{first}] is {what}: every edge needs a time that is a finite number")
        return time
    if time.size and time.max() > np.iinfo(np.int64).max:
        raise GraphError(f"time[{int(time.argmax())}] is {time.max()}, which is too large for int64")
    return time.astype(np.int64, copy=False)
