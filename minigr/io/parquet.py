"""Parquet tables: one row per edge; columns are found by name (src, dst, weight and variants) or by `columns`.

The metadata of the table have the facts that the columns can't store, in the form of the comment in text files.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigr.errors import FormatError, MissingExtraError, OutOfMemoryError
from minigr.graphs.convert import edge_arrays
from minigr.io.columns import column_names
from minigr.io.contents import Edges, Options, Parts
from minigr.io.note import note_of, parse_note
from minigr.io.sizes import require_room
from minigr.io.source import Span
from minigr.paths import refuse_pipe
from minigr.replace import replacing

if TYPE_CHECKING:
    from minigr.graphs import Graph

_NOTE = b"minigr"
_ROWS_PER_GROUP = 1 << 20


def read(path: Path, options: Options) -> Parts:
    """The edges of a Parquet file. Needs pyarrow, which ``pip install 'minigr[parquet]'`` installs."""
    wanted, footer = columns_of(path, options)
    kept = _kept(path, footer, list(wanted.values()), options)

    def parts() -> Iterator[Edges]:
        file = open_parquet(path)
        groups = range(file.metadata.num_row_groups)
        for group in groups if options.span is None else _groups_in(options.span, file, path):
            table = read_columns(path, file, [*wanted.values(), *kept], [group])
            for column in wanted.values():
                if table[column].null_count:
                    count = read_columns(path, file, [column], groups)[column].null_count
                    raise FormatError(path, f"column {column!r} has {count} empty rows; every edge needs a value")
            with damage_told(path):
                arrays = {name: table[column].to_numpy() for name, column in wanted.items()}
            columns = {name: table[name] for name in kept}
            yield Edges(
                arrays["src"], arrays["dst"], arrays.get("weight"), times=arrays.get("time"), edge_columns=columns
            )

    said = (footer.schema_arrow.metadata or {}).get(_NOTE)
    note = None if said is None else parse_note(said, path, None)
    kind = footer.schema_arrow.field(wanted["weight"]).type if "weight" in wanted else None
    cast: Callable[[Any], Any] = partial(_as_in_file, kind)
    if note is not None and note.weight_dtype and options.columns is None:
        cast = partial(note.cast, path=path)  # without rows, weights would have no dtype
    count, directed = (None, None) if note is None else (note.num_vertices, note.directed)
    weighted, timed = "weight" in wanted, "time" in wanted
    return Parts((path,), parts, count, directed, weighted, cast=cast, timed=timed, kept=kept)


def _as_in_file(kind: Any, weights: Any) -> Any:
    """Weights as they were read. Without rows, they have no dtype of their own, and get that of the column."""
    return weights if len(weights) else weights.astype(kind.to_pandas_dtype())


def write(graph: Graph, path: Path) -> None:
    """Write one row for each edge, with the columns of edges. Needs pyarrow."""
    pa = arrow()
    _check_names(graph, path)
    src, dst, weights = edge_arrays(graph)
    arrays = {"src": src, "dst": dst} | ({} if weights is None else {"weight": weights})
    for name, column in graph.edge_columns.items():
        try:
            arrays[name] = column if isinstance(column, pa.ChunkedArray) else pa.array(column, from_pandas=True)
            pa.parquet.write_metadata(pa.schema([(name, arrays[name].type)]), io.BytesIO())  # raises if it has no place
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            what = f"the column {name!r} can't be a column of Parquet ({error})"
            raise FormatError(path, f"{what}: give it values of one type that Parquet has, or leave it out") from error
    table = pa.table(arrays).replace_schema_metadata({_NOTE: f"# {note_of(graph)}".encode()})
    with replacing(path) as handle:
        pa.parquet.write_table(table, handle, row_group_size=_ROWS_PER_GROUP)


def arrow() -> Any:
    """The module pyarrow, with which tables are written; `MissingExtraError` if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("writing Parquet needs pyarrow: pip install 'minigr[parquet]'") from error
    return pyarrow


def _check_names(graph: Graph, path: Path) -> None:
    """Refuse names of columns that would be read as ends or weights of edges."""
    names = ["src", "dst", *(["weight"] if graph.weighted else []), *graph.edge_columns]
    own = len(names) - len(graph.edge_columns)
    for name, meaning in list(zip(names, column_names(names, Options(), path), strict=True))[own:]:
        if not meaning.startswith("column ") or names.count(name) > 1:
            raise FormatError(
                path,
                f"the graph has a column {name!r}, which has another meaning in this format: "
                "give the column another name",
            )


def _kept(path: Path, file: Any, wanted: list[str], options: Options) -> tuple[str, ...]:
    """The names of the further columns that are kept."""
    kept = options.kept([name for name in file.schema_arrow.names if name not in wanted], path, unasked=False)
    for name in kept:
        check_column(path, file, name, "any")
    return tuple(kept)


def _groups_in(span: Span, file: Any, path: Path) -> list[int]:
    """The row groups that begin in a span, if all rows are assumed to have the same length."""
    with damage_told(path):
        rows = [file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups)]
    size, total, before, found = path.stat().st_size, max(sum(rows), 1), 0, []
    for group, count in enumerate(rows):
        if span.first <= size * before // total < span.end:
            found.append(group)
        before += count
    return found


def columns_of(path: Path, options: Options) -> tuple[dict[str, str], Any]:
    """The name of each wanted column, by its content, and the file with its footer read."""
    file = open_parquet(path)
    found = file.schema_arrow.names
    names = dict(zip(column_names(found, options, path), found, strict=True))
    wanted = {name: column for name, column in names.items() if not name.startswith("column ")}
    for name, column in wanted.items():
        check_column(path, file, column, "ids" if name in ("src", "dst") else "numbers")
    return wanted, file


def open_parquet(path: Path) -> Any:
    """A `pyarrow.parquet.ParquetFile` with its footer read."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet needs pyarrow: pip install 'minigr[parquet]'") from error
    with path.open("rb") as handle:  # raises the system's own error
        refuse_pipe(handle, path)
    with damage_told(path):
        file = pyarrow.parquet.ParquetFile(path)
        _ = file.schema_arrow  # built on first access from names that may be damaged
    return file


def check_column(path: Path, file: Any, name: str, holds: str, *, lists: bool = False) -> None:
    """Raise `FormatError` unless exactly one column has this name and it holds ``"ids"``, ``"numbers"`` or ``"any"``.

    With `lists`, the column must hold lists of these.
    """
    from pyarrow import types

    schema = file.schema_arrow
    if schema.names.count(name) > 1:
        raise FormatError(path, f"there are {schema.names.count(name)} columns {name!r}; give each a name of its own")
    kind = schema.field(name).type
    if lists and not (types.is_list(kind) or types.is_large_list(kind)):
        raise FormatError(
            path, f"column {name!r} holds {kind} values, but a file with a row for each graph needs lists"
        )
    kind = kind.value_type if lists else kind
    if holds == "ids" and not types.is_integer(kind):
        raise FormatError(path, f"column {name!r} holds {kind} values, but vertex ids are integers; cast them")
    if holds == "numbers" and not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise FormatError(path, f"column {name!r} holds {kind} values, but it must hold numbers; cast them")


def read_columns(path: Path, file: Any, names: Sequence[str], groups: Sequence[int]) -> Any:
    """Some columns of some row groups as an Arrow table, if they fit into memory according to the metadata."""
    with damage_told(path):
        # The columns are not asked: pyarrow's `RowGroupMetaData.column` ends the process for some damaged files.
        parts = [file.metadata.row_group(group) for group in groups]
        needed = sum(max(8 * part.num_rows * len(names), part.total_byte_size) for part in parts)
    require_room(path, 2 * needed, "its columns")
    with damage_told(path):
        table = file.read_row_groups(groups, columns=names)
        table.validate(full=True)
    return table


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """A context for calls of pyarrow only. The many kinds of errors for damaged data become a `FormatError`."""
    try:
        yield
    except MemoryError as error:
        raise OutOfMemoryError(f"{path}: {error}; is the file damaged?") from error
    except Exception as error:
        raise FormatError(path, f"not a readable Parquet file: {error}; is it cut short?") from error
