"""Estimates of the edges in a file without reading all of it: the number of edges and the largest id.

The head of a file often has these numbers. Otherwise `_PIECES` pieces of a text are read, evenly spread from the first
row to the last; of a Parquet file, as many row groups. A text of up to a megabyte is read completely. The rows between
the pieces are assumed to have the same length, and no larger ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from minigr.archive import Archive, opened
from minigr.errors import EstimateError
from minigr.io import dimacs, edge_list, matrix_market_head, pace, parquet
from minigr.io.contents import Options
from minigr.io.parser import Parser
from minigr.io.source import BLOCK, LONGEST_LINE, open_source
from minigr.io.table import Table, line_by_line
from minigr.replace import is_gzipped

_PIECES = 16
_PIECE = 1 << 16  # bytes of a text
_BATCH = 1 << 16  # rows of a Parquet file


@dataclass(frozen=True)
class Look:
    """The estimate.

    Attributes
    ----------
    edges : int
    largest : int
        The largest id, -1 if there is none. If the file has the number of vertices, the last vertex.
    vertices : int or None
        The number in the file.
    directed : bool or None
        As in the file.
    weight_dtype : dtype or None
        The dtype of the graph's weights, unless another dtype is requested; None without weights.
    ids : dtype
        The dtype in which ids are read.
    reading : int
        Bytes that reading takes in addition to the graph.
    an_edge : int
        Bytes per edge in a part of the file that was read.
    """

    edges: int
    largest: int
    vertices: int | None
    directed: bool | None
    weight_dtype: np.dtype | None
    ids: np.dtype
    reading: int
    an_edge: int


def look_at(path: Path, kind: str, options: Options) -> Look:
    """The estimate for a file.

    Raises
    ------
    EstimateError
        If only reading the file would give it.
    FormatError
        If the parts that were read aren't in the format.
    """
    if kind not in _LOOKS:
        raise _unknown(path)
    found: Look = _LOOKS[kind](path, options)
    return found


def _at_matrix_market(path: Path, options: Options) -> Look:
    with open_source(path, False) as handle:
        told, begin = matrix_market_head.read_head(handle, path), handle.tell()
    if told.layout != "coordinate" or told.symmetry == "skew-symmetric":
        raise _unknown(path)
    weighted = told.field != "pattern" and options.weights
    names = ("src", "dst", *(() if told.field == "pattern" else ("weight" if options.weights else "value",)))
    table = Table(names, lowest=1, highest=told.size)
    dtype = _noted(told.note, np.float64 if told.field == "real" else np.int32) if weighted else None
    reading = _reading(path, table, told.entries, _size_of(path, begin), shifted=True)
    directed = told.symmetry != "symmetric"
    return Look(told.entries, told.size - 1, told.size, directed, dtype, np.dtype(np.int32), reading, _of(table))


def _at_dimacs(path: Path, options: Options) -> Look:
    with open_source(path, False) as handle:
        if pace.begins_here(handle):
            raise _unknown(path)
        head = dimacs.head_of(handle, path)
    table, count, largest = dimacs.table_of(head, options), head.arcs, (head.vertices or 0) - 1
    if count is None:
        count, largest, _ = _rows_of_text(path, table, head.start)
    dtype = np.dtype(np.int32) if options.weights else None
    reading = _reading(path, table, count, _size_of(path, head.start), shifted=True)
    return Look(count, largest, head.vertices, True, dtype, np.dtype(np.int32), reading, _of(table))


def _at_edge_list(path: Path, options: Options) -> Look:
    head = edge_list.head_of(path, options)
    note, table, vertices = head.note, head.table, None if head.note is None else head.note.num_vertices
    count, largest, real = 0, -1, False
    if table is not None and head.begin is not None:
        count, largest, real = _rows_of_text(path, table, head.begin.start)
    else:
        table = Table(("src", "dst"))
    dtype = _noted(note, np.float64 if real else np.int32) if head.weighted else None
    reading = _reading(path, table, count, path.stat().st_size, shifted=False)
    directed = None if note is None else note.directed
    largest = largest if vertices is None else vertices - 1
    return Look(count, largest, vertices, directed, dtype, _ids(table), reading, _of(table))


def _at_parquet(path: Path, options: Options) -> Look:
    wanted, file = parquet.columns_of(path, options)
    meta, schema = file.metadata, file.schema_arrow
    kinds = {name: np.dtype(schema.field(column).type.to_pandas_dtype()) for name, column in wanted.items()}
    an_edge, share = sum(kind.itemsize for kind in kinds.values()), len(wanted) / max(len(schema.names), 1)
    groups = [meta.row_group(group) for group in range(meta.num_row_groups)]
    sizes = [(group.num_rows, int(group.total_byte_size * share)) for group in groups]
    rows, encoded = max(sizes, default=(0, 0))
    reading = min(2, len(sizes)) * rows * an_edge + encoded  # while a group is read, the previous one is in memory
    if kinds["src"] != np.int32 or kinds["dst"] != np.int32:
        reading += min(2, len(sizes)) * 8 * rows
    largest = -1
    for group in np.unique(np.linspace(0, max(len(sizes) - 1, 0), _PIECES).astype(int)) if sizes else ():
        for batch in file.iter_batches(_BATCH, row_groups=[int(group)], columns=[wanted["src"], wanted["dst"]]):
            for ids in batch.columns:
                largest = max(largest, int(ids.to_numpy(zero_copy_only=False).max(initial=-1)))
    dtype = kinds.get("weight")
    return Look(meta.num_rows, largest, None, None, dtype, kinds["src"], reading, an_edge)


def _at_npz(path: Path, options: Options) -> Look:
    """The estimate for one of several files. Each file is read as a whole."""
    with opened(path) as archive:
        if not {"src", "dst"} <= set(archive.files) or {"indptr", "indices"} <= set(archive.files):
            raise EstimateError(f"{path}: there is no estimate of several files if some of them hold rows")
        heads = [archive.head(name) for name in ("src", "dst", "weight")[: 2 + (_has_weights(archive, options))]]
        vertices, directed = archive.scalar("n"), archive.flag("directed")
        largest = largest_id(archive) if vertices is None else vertices - 1
    (count,), ids = heads[0]
    an_edge = sum(dtype.itemsize for _, dtype in heads)
    dtype = heads[2][1] if len(heads) > 2 else None
    reading = 2 * count * (an_edge + (0 if ids == np.int32 else 8))
    return Look(count, largest, vertices, directed, dtype, ids, reading, an_edge)


_LOOKS = {
    "mtx": _at_matrix_market, "gr": _at_dimacs, "edges": _at_edge_list, "parquet": _at_parquet, "npz": _at_npz
}  # fmt: skip


def largest_id(archive: Archive) -> int:
    """The largest id of the edges in an archive, found by reading the edges; -1 if there are none."""
    return max((int(ids.max(initial=-1)) for name in ("src", "dst") for ids in archive.pieces(name)), default=-1)


def _has_weights(archive: Archive, options: Options) -> bool:
    return options.weights and "weight" in archive.files


def _unknown(path: Path) -> EstimateError:
    return EstimateError(
        f"{path}: there is no estimate, because only reading the file tells how large its graph is: make a .minigr "
        "folder of it with mg.convert"
    )


def _noted(note: Any, otherwise: Any) -> np.dtype:
    """The dtype of the weights in the comment of minigr, if there is one; otherwise `otherwise`."""
    return np.dtype(otherwise if note is None or note.weight_dtype is None else note.weight_dtype)


def _ids(table: Table) -> np.dtype:
    return Parser(table).ids


def _of(table: Table) -> int:
    """Bytes per row of the columns that are read."""
    return sum(_ids(table).itemsize if name in ("src", "dst") else 8 for name in table.wanted)


def _size_of(path: Path, begin: int) -> int:
    """The approximate bytes of text from a position; compressed text is assumed to have a third of its size."""
    return 3 * path.stat().st_size if is_gzipped(path) else max(path.stat().st_size - begin, 0)


def _reading(path: Path, table: Table, rows: int, size: int, *, shifted: bool) -> int:
    """Bytes that reading takes: the text as read and as lines, space for columns, and the columns of two parts.

    With `shifted`, ids count from 1 and are therefore copied.
    """
    length = min(BLOCK, size)
    at_once = rows * length // max(size, 1)
    return 2 * length + Parser(table).memory(length) + at_once * (2 * _of(table) + (8 if shifted else 0))


def _rows_of_text(path: Path, table: Table, begin: int) -> tuple[int, int, bool]:
    """The estimated number of rows from a position, their largest id, and whether weights are real."""
    if is_gzipped(path):
        raise _unknown(path)
    seen = rows = 0
    largest, real = -1, False
    for text in _pieces(path, begin):
        part = Parser(table).columns(text)
        columns = line_by_line(text, path, table, 1) if part is None else part[0]
        seen, rows = seen + len(text), rows + len(columns["src"])
        largest = max(largest, *(int(columns[name].max(initial=-1)) for name in ("src", "dst")))
        real |= "weight" in columns and columns["weight"].dtype.kind == "f"
    size = path.stat().st_size - begin
    return (rows if seen >= size else round(rows * size / max(seen, 1))), largest - table.lowest, real


def _pieces(path: Path, begin: int) -> Iterator[bytes]:
    """Whole lines of a text from a position: all lines, or evenly spread pieces."""
    size = path.stat().st_size - begin
    with open_source(path, False) as handle:
        handle.seek(begin)
        if size <= _PIECES * _PIECE:
            yield handle.read()
            return
        for number in range(_PIECES):
            handle.seek(begin + (size - _PIECE) * number // (_PIECES - 1))
            if number:
                handle.readline(LONGEST_LINE)  # the rest of a line
            yield handle.read(_PIECE) + handle.readline(LONGEST_LINE)
