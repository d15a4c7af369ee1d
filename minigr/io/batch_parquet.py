"""Parquet tables with a row for each graph, whose edges are lists; large ones are read a group of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.device import CPU
from minigr.errors import FormatError, MissingExtraError
from minigr.graphs.convert import edge_arrays
from minigr.io.batches import Contents
from minigr.io.replace import replacing

if TYPE_CHECKING:
    from minigr.graphs.batch import GraphBatch

_DIRECTED = b"minigr.directed"
_GRAPHS_PER_GROUP = 1 << 14


def read(path: Path, directed: bool | None, weights: bool) -> Contents:
    """The batch in a Parquet file."""
    file, way = _open(path, directed)
    return _contents(path, _table(path, file.read), way, weights, 0)


@dataclass(frozen=True)
class Group:
    """Some rows of a file, of which the first is number `first`."""

    path: Path
    table: Any
    directed: bool
    weights: bool
    first: int

    def contents(self) -> Contents:
        """The graphs in these rows."""
        return _contents(self.path, self.table, self.directed, self.weights, self.first)

    def rows(self) -> Iterator[Group]:
        """Each row by itself."""
        for i in range(self.table.num_rows):
            yield Group(self.path, self.table.slice(i, 1), self.directed, self.weights, self.first + i)


def read_groups(path: Path, directed: bool | None, weights: bool) -> Iterator[Group]:
    """The rows of a Parquet file, as many at a time as its writer put together."""
    file, way = _open(path, directed)
    first = 0
    for number in range(file.num_row_groups):
        group = Group(path, _table(path, file.read_row_group, number), way, weights, first)
        yield group
        first += group.table.num_rows


def write(batch: GraphBatch, path: Path) -> None:
    """Write a row for each graph."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    src, dst, weights = edge_arrays(batch.graph)
    starts = batch.host_offsets
    first = np.searchsorted(src, starts).astype(np.int32)  # rows are in order, and so are the edges
    shift = np.repeat(starts[:-1], np.diff(first)).astype(np.int32)
    columns: dict[str, Any] = {
        "num_vertices": batch.sizes,
        "src": pa.ListArray.from_arrays(first, src - shift),
        "dst": pa.ListArray.from_arrays(first, dst - shift),
    }
    if weights is not None:
        columns["weight"] = pa.ListArray.from_arrays(first, weights)
    if batch.graph_labels is not None:
        columns["graph_label"] = batch.graph_labels
    if batch.vertex_labels is not None:
        columns["vertex_label"] = pa.ListArray.from_arrays(starts.astype(np.int32), CPU.asarray(batch.vertex_labels))
    table = pa.table(columns).replace_schema_metadata({_DIRECTED: str(int(batch.directed)).encode()})
    with replacing(path) as handle:
        pq.write_table(table, handle, row_group_size=_GRAPHS_PER_GROUP)


def _open(path: Path, directed: bool | None) -> tuple[Any, bool]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet needs pyarrow: pip install 'minigr[parquet]'") from error
    try:
        file = pyarrow.parquet.ParquetFile(path)
    except (pyarrow.ArrowInvalid, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise FormatError(path, f"not a readable Parquet file: {error}; is it cut short?") from error
    said = (file.schema_arrow.metadata or {}).get(_DIRECTED)
    if said is not None and directed is not None and bool(int(said)) != directed:
        raise FormatError(path, f"it says directed={bool(int(said))}, but directed={directed} was asked for")
    return file, bool(directed if said is None else int(said))


def _table(path: Path, read: Any, *which: int) -> Any:
    import pyarrow

    try:
        return read(*which)
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise FormatError(path, f"not a readable Parquet file: {error}; is it cut short?") from error


def _contents(path: Path, table: Any, directed: bool, weights: bool, first: int) -> Contents:
    """The graphs in the rows of a table, of which the first is row `first` of the file."""
    missing = {"src", "dst"} - set(table.column_names)
    if missing:
        raise FormatError(
            path,
            f"there is no column {min(missing)!r} among {', '.join(table.column_names)[:200]}; "
            "a batch has a row for each graph, with lists src and dst",
        )
    src, lengths = _lists(path, table, "src", first)
    dst = _fitting(path, table, "dst", lengths, first)
    held = set(table.column_names)
    values = _fitting(path, table, "weight", lengths, first) if weights and "weight" in held else None
    sizes = _sizes(path, table, src, dst, lengths, first)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    for name, ids in (("src", src), ("dst", dst)):
        if ids.dtype.kind not in "iu":
            raise FormatError(path, f"column {name!r} holds {ids.dtype} values, but vertex ids are integers")
        bad = (ids < 0) | (ids >= np.repeat(sizes, lengths))
        if bad.any():
            row = int(np.searchsorted(np.cumsum(lengths), bad.argmax(), side="right"))
            raise FormatError(
                path, f"row {first + row}: {name} holds {ids[bad.argmax()]}, but the graph has {sizes[row]} vertices"
            )
    shift = np.repeat(offsets[:-1], lengths)
    return Contents(
        src + shift,
        dst + shift,
        values,
        offsets,
        directed=directed,
        graph_labels=table["graph_label"].to_numpy() if "graph_label" in held else None,
        vertex_labels=_fitting(path, table, "vertex_label", sizes, first) if "vertex_label" in held else None,
    )


def _lists(path: Path, table: Any, name: str, first: int) -> tuple[Any, Any]:
    """All values of a column of lists, and the length of each."""
    import pyarrow.compute as pc
    from pyarrow import types

    column = table[name].combine_chunks()
    if not (types.is_list(column.type) or types.is_large_list(column.type)):
        raise FormatError(path, f"column {name!r} holds {column.type} values, but a row a graph needs lists")
    if column.null_count:
        row = column.is_null().index(True).as_py()
        raise FormatError(
            path, f"row {first + row}: {name} is empty; every graph needs a list, which may have no items"
        )
    values = column.flatten()
    if values.null_count:
        raise FormatError(path, f"column {name!r} has {values.null_count} empty items; each must be a number")
    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False).astype(np.int64)
    return values.to_numpy(zero_copy_only=False), lengths


def _fitting(path: Path, table: Any, name: str, expected: Any, first: int) -> Any:
    """The values of a column of lists that must have these lengths."""
    values, lengths = _lists(path, table, name, first)
    wrong = lengths != expected
    if wrong.any():
        row = int(wrong.argmax())
        raise FormatError(path, f"row {first + row}: {name} has {lengths[row]} items, but it needs {expected[row]}")
    return values


def _sizes(path: Path, table: Any, src: Any, dst: Any, lengths: Any, first: int) -> Any:
    if "num_vertices" in table.column_names:
        column = table["num_vertices"].combine_chunks()
        sizes = column.to_numpy(zero_copy_only=False)
        if column.null_count or sizes.dtype.kind not in "iu" or (sizes < 0).any():
            raise FormatError(path, "column 'num_vertices' must hold a whole number of at least 0 in every row")
        return sizes.astype(np.int64)
    sizes = np.zeros(len(lengths), np.int64)
    some = lengths > 0
    if some.any():
        starts = (np.cumsum(lengths) - lengths)[some]
        sizes[some] = 1 + np.maximum(np.maximum.reduceat(src, starts), np.maximum.reduceat(dst, starts))
    return sizes
