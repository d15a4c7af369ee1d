"""Writing edges as lines of text."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

_CHUNK = 1 << 20


def write_rows(handle: BinaryIO, columns: dict[str, Any], separator: str, header: bool = False) -> None:
    """Write arrays of one length as columns of text. Reals get as many digits as needed to read them back."""
    import pandas as pd

    length = len(next(iter(columns.values())))
    for begin in range(0, max(length, 1), _CHUNK):
        chunk = {name: _exact(column[begin : begin + _CHUNK]) for name, column in columns.items()}
        frame = pd.DataFrame(chunk)
        text = frame.to_csv(sep=separator, index=False, header=header and begin == 0, lineterminator="\n")
        handle.write(text.encode())


def _exact(column: Any) -> Any:
    # float32 is written as the float64 of the same value, so that reading through float64 does not round
    return column.astype(np.float64) if column.dtype == np.float32 else column
