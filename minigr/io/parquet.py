"""Parquet tables: a row an edge; columns are found by name (src, dst, weight, the usual variants) or by `columns`."""

from __future__ import annotations

from pathlib import Path

from minigr.errors import FormatError, MissingExtraError
from minigr.io.columns import column_names
from minigr.io.contents import Edges, Options


def read(path: Path, options: Options) -> Edges:
    """The edges of a Parquet file. Needs pyarrow, which ``pip install 'minigr[parquet]'`` brings."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet needs pyarrow: pip install 'minigr[parquet]'") from error
    try:
        file = pyarrow.parquet.ParquetFile(path)
        found = file.schema_arrow.names
        names = dict(zip(column_names(found, options, path), found, strict=True))
        wanted = {name: column for name, column in names.items() if not name.startswith("column ")}
        table = file.read(columns=list(wanted.values()))
    except (pyarrow.ArrowInvalid, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise FormatError(path, f"not a readable Parquet file: {error}; is it cut short?") from error
    for column in wanted.values():
        if table[column].null_count:
            raise FormatError(
                path, f"column {column!r} has {table[column].null_count} empty rows; every edge needs a value"
            )
    arrays = {name: table[column].to_numpy() for name, column in wanted.items()}
    return Edges(arrays["src"], arrays["dst"], arrays.get("weight"), times=arrays.get("time"))
