"""``--output``: the columns of one or more results as .npz, .csv or .parquet."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

SUFFIXES = (".npz", ".csv", ".parquet")


def check_output(_ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    """Click callback: refuse, before anything runs, a file that could not be written afterwards."""
    if path is None:
        return None
    if path.suffix not in SUFFIXES:
        raise click.BadParameter(f"{path} ends in {path.suffix!r}: use one of {', '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise click.BadParameter(f"{path.parent} is not a directory: create it first")
    if path.suffix == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise click.BadParameter(".parquet needs pyarrow: pip install 'minigr[parquet]', or use .npz or .csv")
    return path


def write_columns(path: Path, columns: Mapping[str, Any], rows: str = "vertex") -> None:
    """Write one row per vertex or, where `rows` is ``"edge"`` or ``"walk"``, per edge or walk.

    .csv and .parquet also get the column ``vertex``, which in .npz is the position; edges are known by their ends.
    """
    if path.suffix == ".npz":
        import numpy as np

        np.savez(path, **columns)
        return

    import pandas as pd

    frame = pd.DataFrame(columns)
    if rows == "vertex":
        frame.insert(0, "vertex", frame.index.astype("int32"))
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path, index=False)
