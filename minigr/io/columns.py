"""The contents of a table's columns: sources, targets, weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from minigr.errors import FormatError
from minigr.io.contents import Options

SPELLINGS = {
    "src": ("src", "source", "from", "fromnodeid", "u", "node1", "node_1", "id_1", "tail"),
    "dst": ("dst", "target", "to", "tonodeid", "v", "node2", "node_2", "id_2", "head", "destination", "dest"),
    "weight": ("weight", "w", "wgt", "value"),
    "time": ("time", "timestamp", "unixts", "date"),
}
"""The names that files use for the contents of columns."""
_MEANING = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings}


def column_names(
    found: Sequence[str] | int, options: Options, path: Path | str, line: int | None = None
) -> tuple[str, ...]:
    """For each column ``"src"``, ``"dst"``, ``"weight"``, ``"time"``, or another name for a column to leave out.

    Parameters
    ----------
    found : sequence of str, or int
        The names of the columns in the file, or the number of columns if it has no names.
    options : Options
        ``columns`` overrides the names in the file; ``weights`` and ``times`` state whether weights and times are read.
        A file without names has the order source, target, weight, time. The third of three columns is the time if times
        are read.
    path, line
        The place for error messages.

    Examples
    --------
    >>> column_names(["Source", "Target", "year"], Options(), Path("a.csv"))
    ('src', 'dst', 'column 2')
    """
    count = found if isinstance(found, int) else len(found)
    if count == 1 and line is not None:
        raise FormatError(
            path, "there is one field, but an edge has two ends: separate fields by blanks, tabs or commas", line
        )
    if options.columns is not None:
        given: Sequence[str] = options.columns
        if len(given) != count:
            raise FormatError(path, f"columns= names {len(given)} columns, but there are {count}", line)
    elif isinstance(found, int):
        fewest, usual = (3, "weight, time") if options.times else (2, "weight")
        if not fewest <= count <= fewest + 1:
            raise FormatError(
                path,
                f"expected {fewest} or {fewest + 1} columns (source, target, {usual}), got {count}; "
                'say what they hold, e.g. columns=("src", "dst", "weight", "time")',
                line,
            )
        given = ("src", "dst", "time") if options.times and count == 3 else ("src", "dst", "weight", "time")[:count]
    else:
        given = found
    plain = [_MEANING.get(str(name).strip().strip("\"'").lower(), "") for name in given]
    wanted = {"src", "dst"} | ({"weight"} if options.weights else set()) | ({"time"} if options.times else set())
    for name in wanted if options.columns is not None else ():
        if plain.count(name) > 1:
            raise FormatError(
                path, f"columns= has {plain.count(name)} columns {name!r}: give one column this name", line
            )
    names = tuple(name if name in wanted and name not in plain[:i] else f"column {i}" for i, name in enumerate(plain))
    if not {"src", "dst"} <= set(names):
        raise FormatError(
            path,
            f"no columns for source and target among {', '.join(map(repr, given))[:200]}; name them with columns=",
            line,
        )
    if options.times and "time" not in names:
        raise FormatError(
            path, f"no column for the time among {', '.join(map(repr, given))[:200]}; name it with columns=", line
        )
    return names
