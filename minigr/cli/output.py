"""``--output``: the columns of one or more results as .npz, .csv or .parquet."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from minigr.cli.results import check_file

Write = Callable[[Mapping[str, Any]], None]

SUFFIXES = (".npz", ".csv", ".parquet")


def check_output(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Click callback: refuse a file that can't be written, before anything runs."""
    if path is None:
        return None
    if path.suffix not in SUFFIXES:
        raise click.BadParameter(f"{path} ends in {path.suffix!r}: use one of {', '.join(SUFFIXES)}")
    if path.suffix == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise click.BadParameter(".parquet needs pyarrow: pip install 'minigr[parquet]', or use .npz or .csv")
    return check_file(ctx, parameter, path)


def write_columns(path: Path, columns: Mapping[str, Any], rows: str = "vertex") -> None:
    """Write one row per vertex, or, depending on `rows`, per edge, walk, step or another unit.

    The file is replaced completely or not at all. .csv and .parquet also get the column ``vertex``; in .npz the vertex
    is the position. Edges are identified by their ends.
    """
    if rows == "vertex" and path.suffix != ".npz":
        import numpy as np

        count = len(next(iter(columns.values()), ()))  # for a graph without vertices there may be no column
        columns = {"vertex": np.arange(count, dtype=np.int32), **columns}
    with columns_file(path) as write:
        write(columns)


@contextmanager
def columns_file(path: Path | None) -> Iterator[Write]:
    """A function that writes the next rows, given as columns. The file appears when the block ends without an error.

    With .csv and .parquet, only a batch is in memory at a time; with .npz, everything is.
    """
    if path is None:
        yield lambda columns: None
        return
    from minigr.replace import replacing

    with replacing(path) as handle, _WRITERS[path.suffix](handle) as write:
        yield write


@contextmanager
def _npz(handle: Any) -> Iterator[Write]:
    import numpy as np

    parts: dict[str, list[Any]] = {}

    def write(columns: Mapping[str, Any]) -> None:
        for name, column in columns.items():
            parts.setdefault(name, []).append(column)

    yield write
    arrays: dict[str, Any] = {
        name: columns[0] if len(columns) == 1 else np.concatenate(columns) for name, columns in parts.items()
    }
    np.savez(handle, **arrays)


@contextmanager
def _csv(handle: Any) -> Iterator[Write]:
    import pandas as pd

    begun = False

    def write(columns: Mapping[str, Any]) -> None:
        nonlocal begun
        pd.DataFrame(columns).to_csv(handle, index=False, header=not begun, mode="wb")
        begun = True

    yield write


@contextmanager
def _parquet(handle: Any) -> Iterator[Write]:
    import pyarrow
    import pyarrow.parquet

    writer: Any = None

    def write(columns: Mapping[str, Any]) -> None:
        nonlocal writer
        table = pyarrow.table(dict(columns))
        if writer is None:
            writer = pyarrow.parquet.ParquetWriter(handle, table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()  # before the file is closed, even after an error, because it writes to the file


_WRITERS = {".npz": _npz, ".csv": _csv, ".parquet": _parquet}
