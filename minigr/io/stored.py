"""Columns as plain arrays, as stored in archives (.npz) and folders (.minigr), without pickles.

A column is stored as one or several arrays, and a JSON record with its name, its kind and the names of the arrays:

- ``array``: numbers, bools, dates or text of one width, which are already a NumPy array: ``values``.
- ``objects``: Python values. ``kinds`` has one byte for each value, the position of its kind in `_KINDS`. The values of
  each kind are an array with the name of the kind, in order. Texts are concatenated as UTF-8, and ``ends`` has the end
  of each text, in characters.
- ``arrow``: an Arrow stream (IPC), as bytes: ``stream``. It needs pyarrow.

The record of a pandas array has its dtype. Strings, dates without a time zone, and integers or bools with missing
values are stored as NumPy arrays. Other pandas arrays, such as categories, are stored as Arrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.errors import FormatError, MissingExtraError
from minigr.graphs.columns import Later

if TYPE_CHECKING:
    from minigr.graphs import Graph
    from minigr.io.contents import Options

Record = dict[str, Any]

_MISSING = ("none", "nan", "na", "nat")
"""Kinds without an array: None, NaN, and pandas' values for missing values and dates."""
_TYPES: dict[str, tuple[type, Any]] = {
    "bool": (bool, np.bool_),
    "int": (int, np.int64),
    "float": (float, np.float64),
    "date": (date, "M8[D]"),
    "datetime": (datetime, "M8[us]"),
    "timedelta": (timedelta, "m8[us]"),
}
_LONGEST = timedelta(microseconds=2**63 - 1)
_KINDS = (*_MISSING, "text", *_TYPES)
_NAME_OF_TYPE = {str: "text", **{kind: name for name, (kind, _) in _TYPES.items()}}
_AS_OBJECTS = re.compile(r"str|string|boolean|Int(8|16|32|64)|UInt(8|16|32)")
"""The dtypes of pandas arrays that are stored as objects, from which they are made again."""
_OF_ARROW = "[pyarrow]"
"""The end of the dtypes of pandas arrays that hold Arrow arrays."""
_REMEDY = "pass an array of Arrow (pyarrow.array) or of texts, or leave the column out"


def stored(graph: Graph, path: Path) -> tuple[dict[str, list[Record]], dict[str, Any]]:
    """The records of a graph's columns, and the arrays by their names in the records.

    Raises
    ------
    FormatError
        If a column has values that can't be stored.
    MissingExtraError
        If a column is stored as Arrow, and pyarrow is not installed.
    """
    records: dict[str, list[Record]] = {}
    arrays: dict[str, Any] = {}
    for what, columns in (("vertex", graph.vertex_columns), ("edge", graph.edge_columns)):
        for number, (name, column) in enumerate(columns.items()):
            try:
                record, parts = _stored(column)
            except (ValueError, TypeError, OverflowError) as error:
                raise FormatError(path, f"the {what} column {name!r} can't be stored: {error}; {_REMEDY}") from error
            except MissingExtraError as error:
                raise MissingExtraError(f"{path}: the {what} column {name!r} needs pyarrow: {error}") from error
            names = {part: f"{what}-{number}-{part}" for part in parts}
            records.setdefault(what, []).append({"name": name, **record, "arrays": names})
            arrays |= {names[part]: array for part, array in parts.items()}
    return records, arrays


def checked(records: Any, path: Path) -> dict[str, list[Record]]:
    """Records, checked to have the form that `stored` makes.

    Raises
    ------
    FormatError
        If they have another form.
    """
    good = isinstance(records, dict) and set(records) <= {"vertex", "edge"}
    if not good or not all(isinstance(of_kind, list) and all(map(_is_record, of_kind)) for of_kind in records.values()):
        raise _damaged(path, "they are not described as minigr describes them")
    return dict(records)


def names_of_arrays(records: dict[str, list[Record]]) -> list[str]:
    """The names of the arrays of all columns."""
    return [name for of_kind in records.values() for record in of_kind for name in record["arrays"].values()]


def columns_of(
    records: dict[str, list[Record]],
    read: Callable[[str], Any],
    path: Path,
    options: Options,
    make: Callable[[Record, dict[str, Any], Path], Any] | None = None,
) -> dict[str, dict[str, Any]]:
    """The requested columns, as ``vertex_columns`` and ``edge_columns``.

    Parameters
    ----------
    records, path
    read : callable
        Returns the array with a given name.
    options : Options
        With ``mmap``, a column is made from its arrays on first use.
    make : callable, optional
        Makes a column from its record and arrays; by default the stored column.
    """
    make = column_of if make is None else make
    kept = options.kept([record["name"] for of_kind in records.values() for record in of_kind], path, unasked=True)
    found: dict[str, dict[str, Any]] = {}
    for what, of_kind in records.items():
        columns = found[f"{what}_columns"] = {}
        for record in of_kind:
            if record["name"] in kept:
                parts = {part: read(name) for part, name in record["arrays"].items()}
                made = partial(make, record, parts, path)
                columns[record["name"]] = Later(made) if options.mmap else made()
    return found


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    texts = [record.get("name"), record.get("kind"), record.get("dtype", "")]
    arrays = record.get("arrays")
    needed = {"array": {"values"}, "objects": {"kinds"}, "arrow": {"stream"}}.get(str(record.get("kind")))
    if not all(isinstance(text, str) for text in texts) or not isinstance(arrays, dict) or needed is None:
        return False
    return needed <= set(arrays) and all(isinstance(name, str) for name in arrays.values())


def _damaged(path: Path, why: str) -> FormatError:
    return FormatError(path, f"its columns can't be read: {why}; write the graph again, or pass keep=False")


# --- a column ---------------------------------------------------------------------------------------------------------


def _stored(column: Any) -> tuple[Record, dict[str, Any]]:
    """The record of a column, without its name, and its arrays by part."""
    import pandas as pd

    if isinstance(column, pd.api.extensions.ExtensionArray):
        dtype = str(column.dtype)
        if isinstance(column.dtype, np.dtype):
            return {"kind": "array", "dtype": dtype}, {"values": np.asarray(column)}
        if _AS_OBJECTS.fullmatch(dtype):
            return {"kind": "objects", "dtype": dtype}, _of_objects(np.asarray(column, object))
        return {"kind": "arrow", "dtype": dtype}, {"stream": _as_stream(column)}
    if type(column).__module__.partition(".")[0] == "pyarrow":
        return {"kind": "arrow"}, {"stream": _as_stream(column)}
    if isinstance(column, np.ndarray) and column.dtype.kind in "biufcmMUS":
        return {"kind": "array"}, {"values": column}
    if isinstance(column, np.ndarray) and column.dtype.kind == "O":
        return {"kind": "objects"}, _of_objects(column)
    raise ValueError(f"it is an array of {getattr(column, 'dtype', type(column).__name__)}")


def column_of(record: Record, parts: dict[str, Any], path: Path) -> Any:
    """The column that `_stored` was given."""
    import pandas as pd

    name, dtype = record["name"], record.get("dtype")
    try:
        if record["kind"] == "arrow":
            return _of_stream(parts["stream"], dtype)
        values = parts["values"] if record["kind"] == "array" else _objects(parts)
        if dtype is None:
            return values
        made = pd.array(values, dtype=dtype)
        return made if str(made.dtype) == dtype else values  # an older pandas uses the name for other texts
    except MissingExtraError as error:
        raise MissingExtraError(f"{path}: the column {name!r} needs pyarrow, or pass keep=False: {error}") from error
    except MemoryError:
        raise
    except Exception as error:  # NumPy, pandas and Arrow raise many kinds of errors for damaged data
        raise _damaged(path, f"{name!r}: {error}") from error


# --- objects ----------------------------------------------------------------------------------------------------------


def _of_objects(column: Any) -> dict[str, Any]:
    """The arrays of a column of objects."""
    values = column.tolist()
    kinds = [_kind_of(value) for value in values]
    held: dict[str, list[Any]] = {}
    for kind, value in zip(kinds, values, strict=True):
        if kind not in _MISSING:
            held.setdefault(kind, []).append(value)
    places = {name: place for place, name in enumerate(_KINDS)}
    parts: dict[str, Any] = {"kinds": np.fromiter(map(places.__getitem__, kinds), np.uint8, len(kinds))}
    texts = held.pop("text", None)
    if texts is not None:
        parts["text"] = np.frombuffer("".join(texts).encode("utf-8", "surrogatepass"), np.uint8)
        parts["ends"] = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    return parts | {kind: np.array(of_kind, _TYPES[kind][1]) for kind, of_kind in held.items()}


def _kind_of(value: Any) -> str:
    """One of `_KINDS`; `ValueError` for a value without a kind."""
    import pandas as pd

    kind = type(value)
    if value is None:
        return "none"
    if value is pd.NA:
        return "na"
    if value is pd.NaT:
        return "nat"
    if kind is float and value != value:
        return "nan"
    exact = {
        int: lambda: -(2**63) <= value < 2**63,
        datetime: lambda: value.tzinfo is None and not value.fold,
        timedelta: lambda: abs(value) <= _LONGEST,  # beyond that, NumPy wraps around
    }
    if kind not in _NAME_OF_TYPE or (kind in exact and not exact[kind]()):
        raise ValueError(f"{repr(value)[:60]}, a {kind.__name__}, has no place in a file")
    return _NAME_OF_TYPE[kind]


def _objects(parts: Mapping[str, Any]) -> Any:
    """The column of objects that is stored in some arrays."""
    import pandas as pd

    kinds = parts["kinds"]
    if kinds.ndim != 1 or kinds.dtype != np.uint8 or (len(kinds) and int(kinds.max()) >= len(_KINDS)):
        raise ValueError("there are values of an unknown kind")
    column = np.empty(len(kinds), object)
    for place, name in enumerate(_KINDS):
        here = kinds == place
        if name in _MISSING:
            column[here] = (None, float("nan"), pd.NA, pd.NaT)[place]
        elif here.any():
            column[here] = _as_objects(_texts(parts) if name == "text" else _values(parts, name), int(here.sum()))
    return column


def _as_objects(values: list[Any], count: int) -> Any:
    if len(values) != count:
        raise ValueError(f"there are {len(values)} values for {count} places")
    return np.fromiter(values, object, count)


def _values(parts: Mapping[str, Any], name: str) -> list[Any]:
    kind, dtype = _TYPES[name]
    if parts[name].dtype != np.dtype(dtype):
        raise ValueError(f"values of {kind.__name__} are {parts[name].dtype}")
    values: list[Any] = parts[name].tolist()
    if not all(type(value) is kind for value in values):  # dates out of Python's range are numbers
        raise ValueError(f"there are values that are no {kind.__name__}")
    return values


def _texts(parts: Mapping[str, Any]) -> list[str]:
    text, ends = parts["text"].tobytes().decode("utf-8", "surrogatepass"), parts["ends"]
    if ends.ndim != 1 or ends.dtype != np.int64 or (np.diff(ends, prepend=0) < 0).any() or ends[-1] != len(text):
        raise ValueError("texts do not end where they should")
    places = ends.tolist()
    return [text[begin:end] for begin, end in zip([0, *places], places, strict=False)]


# --- Arrow ------------------------------------------------------------------------------------------------------------


def _arrow() -> Any:
    try:
        import pyarrow.ipc
    except ImportError as error:
        raise MissingExtraError("install it with pip install 'minigr[parquet]'") from error
    return pyarrow


def _as_stream(column: Any) -> Any:
    """The bytes of a stream with one Arrow or pandas column."""
    import pandas as pd

    arrow = _arrow()
    if isinstance(column, pd.arrays.ArrowExtensionArray):
        table = arrow.table({"column": column.__arrow_array__()})
    elif isinstance(column, pd.api.extensions.ExtensionArray):
        table = arrow.Table.from_pandas(pd.DataFrame({"column": column}), preserve_index=False)
    else:
        table = arrow.table({"column": column})
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return np.frombuffer(sink.getvalue(), np.uint8)


def _of_stream(stream: Any, dtype: str | None) -> Any:
    """The column in a stream: an Arrow column, or a pandas column if it had a `dtype` of pandas."""
    import pandas as pd

    arrow = _arrow()
    table = arrow.ipc.open_stream(arrow.py_buffer(np.ascontiguousarray(stream))).read_all()
    table.validate(full=True)
    if dtype is not None and dtype.endswith(_OF_ARROW):
        return pd.arrays.ArrowExtensionArray(table["column"])
    if dtype is not None:
        return table.to_pandas()["column"].array
    chunks = table["column"]
    return chunks.chunk(0) if chunks.num_chunks == 1 else chunks
