"""``--output`` of ``minigr batch``: columns that come a batch at a time, into one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Write = Callable[[Mapping[str, Any]], None]


@contextmanager
def columns_file(path: Path | None) -> Iterator[Write]:
    """A function that takes the next rows, as columns. The file is there when the block ends without an error.

    .csv and .parquet never have more than a batch in memory; .npz has all.
    """
    if path is None:
        yield lambda columns: None
        return
    from minigr.io.replace import replacing

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
    arrays: dict[str, Any] = {name: np.concatenate(columns) for name, columns in parts.items()}
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
            writer.close()  # before the file, whatever happened, as it writes to it


_WRITERS = {".npz": _npz, ".csv": _csv, ".parquet": _parquet}
