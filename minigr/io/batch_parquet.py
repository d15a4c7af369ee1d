"""Parquet tables with one row per graph and lists of edges; large tables are read one row group at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.device import CPU
from minigr.errors import FormatError
from minigr.graphs.checks import MAX_VERTICES
from minigr.graphs.convert import edge_arrays
from minigr.io.batches import Contents, refuse_sparse_batch
from minigr.io.parquet import arrow, check_column, damage_told, open_parquet, read_columns
from minigr.io.sizes import ALWAYS_ALLOWED, PER_EDGE
from minigr.replace import replacing

if TYPE_CHECKING:
    from minigr.graphs.batch import GraphBatch

_DIRECTED = b"minigr.directed"
_HOLD = {
    "src": "ids",
    "dst": "ids",
    "weight": "numbers",
    "num_vertices": "ids",
    "graph_label": "any",
    "vertex_label": "any",
}
"""The contents of each column that is read."""
_GRAPHS_PER_GROUP = 1 << 14
_MOST_IN_LISTS = 2**31 - 1  # items of all lists of a column, because Arrow numbers them by int32


def read(path: Path, directed: bool | None, weights: bool) -> Contents:
    """The batch in a Parquet file."""
    file, way = _open(path, directed)
    table = read_columns(path, file, _columns(path, file, weights), list(range(file.metadata.num_row_groups)))
    return _contents(path, table, way, 0)


@dataclass(frozen=True)
class Group:
    """Some rows of a file. The first of them is row `first` of the file."""

    path: Path
    table: Any
    directed: bool
    first: int

    def contents(self) -> Contents:
        """The graphs in these rows."""
        return _contents(self.path, self.table, self.directed, self.first)

    def rows(self) -> Iterator[Group]:
        """Each row as a group of its own."""
        for i in range(self.table.num_rows):
            yield Group(self.path, self.table.slice(i, 1), self.directed, self.first + i)


def read_groups(path: Path, directed: bool | None, weights: bool) -> Iterator[Group]:
    """The rows of a Parquet file, one row group at a time."""
    file, way = _open(path, directed)
    columns, first = _columns(path, file, weights), 0
    for number in range(file.metadata.num_row_groups):
        group = Group(path, read_columns(path, file, columns, [number]), way, first)
        yield group
        first += group.table.num_rows


def write(batch: GraphBatch, path: Path) -> None:
    """Write a row for each graph. Needs pyarrow."""
    pa = arrow()
    src, dst, weights = edge_arrays(batch.graph)
    starts = batch.host_offsets
    first = np.searchsorted(src, starts)  # rows are in order, so edges are, too
    shift = np.repeat(starts[:-1], np.diff(first)).astype(np.int32)
    lists = pa.ListArray
    if len(src) > _MOST_IN_LISTS:
        lists = pa.LargeListArray
    else:
        first = first.astype(np.int32)
    columns: dict[str, Any] = {
        "num_vertices": batch.sizes,
        "src": lists.from_arrays(first, src - shift),
        "dst": lists.from_arrays(first, dst - shift),
    }
    if weights is not None:
        columns["weight"] = lists.from_arrays(first, weights)
    if batch.graph_labels is not None:
        columns["graph_label"] = _labels(path, "graph_label", batch.graph_labels)
    if batch.vertex_labels is not None:
        labels = _labels(path, "vertex_label", batch.vertex_labels)
        columns["vertex_label"] = pa.ListArray.from_arrays(starts.astype(np.int32), labels)
    table = pa.table(columns).replace_schema_metadata({_DIRECTED: str(int(batch.directed)).encode()})
    with replacing(path) as handle:
        pa.parquet.write_table(table, handle, row_group_size=_GRAPHS_PER_GROUP)


def _labels(path: Path, name: str, labels: Any) -> Any:
    """Labels as an Arrow array; `FormatError` if Arrow can't hold them."""
    import pyarrow as pa

    try:
        return pa.array(CPU.asarray(labels))
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        what = f"{name} can't be a column of Arrow ({error})"
        raise FormatError(path, f"{what}: give labels of one dimension and one type, or write .npz") from error


def _open(path: Path, directed: bool | None) -> tuple[Any, bool]:
    """The open file, and whether its graphs are directed."""
    file = open_parquet(path)
    said = (file.schema_arrow.metadata or {}).get(_DIRECTED)
    if said not in (None, b"0", b"1"):
        raise FormatError(path, f"the metadata {_DIRECTED.decode()} should be 0 or 1, but is {said[:20]!r}")
    if said is not None and directed is not None and (said == b"1") != directed:
        raise FormatError(path, f"the file says directed={said == b'1'}, but directed={directed} was asked for")
    return file, bool(directed) if said is None else said == b"1"


def _columns(path: Path, file: Any, weights: bool) -> list[str]:
    """The names of the columns to read. The types of columns that hold numbers are checked."""
    names = file.schema_arrow.names
    missing = {"src", "dst"} - set(names)
    if missing:
        raise FormatError(
            path,
            f"there is no column {min(missing)!r} among {', '.join(names)[:200]}; "
            "a batch has a row for each graph, with lists src and dst",
        )
    read = [name for name in _HOLD if name in names and (weights or name != "weight")]
    for name in read:
        check_column(path, file, name, _HOLD[name], lists=name not in ("num_vertices", "graph_label"))
    return read


def _contents(path: Path, table: Any, directed: bool, first: int) -> Contents:
    """The graphs in the rows of a table, whose first row is row `first` of the file."""
    src, lengths = _lists(path, table, "src", first)
    dst = _fitting(path, table, "dst", lengths, first)
    held = set(table.column_names)
    values = _fitting(path, table, "weight", lengths, first) if "weight" in held else None
    sizes = _sizes(path, table, src, dst, lengths, first)
    for name, ids in (("src", src), ("dst", dst)):
        bad = (ids < 0) | (ids >= np.repeat(sizes, lengths))
        if bad.any():
            row = int(np.searchsorted(np.cumsum(lengths), bad.argmax(), side="right"))
            raise FormatError(
                path, f"row {first + row}: {name} holds {ids[bad.argmax()]}, but the graph has {sizes[row]} vertices"
            )
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    refuse_sparse_batch(path, offsets, len(src))
    shift = np.repeat(offsets[:-1], lengths)
    return Contents(
        src.astype(np.int64) + shift,
        dst.astype(np.int64) + shift,
        values,
        offsets,
        directed=directed,
        graph_labels=_as_array(path, table["graph_label"]) if "graph_label" in held else None,
        vertex_labels=_fitting(path, table, "vertex_label", sizes, first, True) if "vertex_label" in held else None,
    )


def _as_array(path: Path, column: Any) -> Any:
    with damage_told(path):
        return column.to_numpy(zero_copy_only=False)


def _lists(path: Path, table: Any, name: str, first: int, some_missing: bool = False) -> tuple[Any, Any]:
    """All values of a column of lists, and the length of each list. `some_missing`: values may be missing."""
    import pyarrow.compute as pc

    with damage_told(path):
        column = table[name].combine_chunks()
    if column.null_count:
        row = column.is_null().index(True).as_py()
        raise FormatError(
            path, f"row {first + row}: {name} is empty; every graph needs a list, which may have no items"
        )
    with damage_told(path):
        values, lengths = column.flatten(), pc.list_value_length(column)
    if values.null_count and not some_missing:
        raise FormatError(path, f"column {name!r} has {values.null_count} empty items; each must be a number")
    return _as_array(path, values), _as_array(path, lengths).astype(np.int64)


def _fitting(path: Path, table: Any, name: str, expected: Any, first: int, some_missing: bool = False) -> Any:
    """The values of a column of lists, which must have the expected lengths."""
    values, lengths = _lists(path, table, name, first, some_missing)
    wrong = lengths != expected
    if wrong.any():
        row = int(wrong.argmax())
        raise FormatError(path, f"row {first + row}: {name} has {lengths[row]} items, but it needs {expected[row]}")
    return values


def _sizes(path: Path, table: Any, src: Any, dst: Any, lengths: Any, first: int) -> Any:
    """The number of vertices of each graph, int64, checked to be possible."""
    if "num_vertices" in table.column_names:
        column = table["num_vertices"].combine_chunks()
        if column.null_count:
            row = column.is_null().index(True).as_py()
            raise FormatError(path, f"row {first + row}: num_vertices is empty; give a number, or leave the column out")
        sizes = _as_array(path, column)
    else:
        sizes = np.zeros(len(lengths), np.int64)
        some = lengths > 0
        if some.any():
            starts = (np.cumsum(lengths) - lengths)[some]
            largest = np.maximum(np.maximum.reduceat(src, starts), np.maximum.reduceat(dst, starts))
            sizes[some] = 1 + np.clip(largest, 0, MAX_VERTICES).astype(np.int64)
    bad = (sizes < 0) | (sizes > np.maximum(ALWAYS_ALLOWED, PER_EDGE * lengths))
    if bad.any():
        row = int(bad.argmax())
        what = f"{sizes[row]} vertices, but {lengths[row]} edges ({PER_EDGE} for each edge are allowed, or 2^24 in all)"
        raise FormatError(path, f"row {first + row}: {what}: number the vertices from 0 without gaps")
    return sizes.astype(np.int64)
