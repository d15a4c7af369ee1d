"""The measurements of `minigr bench`: one file, or a comparison of several files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from minigr.bench import document as documents
from minigr.bench.document import MINIGR, Row
from minigr.errors import FormatError
from minigr.paths import as_path
from minigr.plot.figures import OUTSIDE, look, new_figure
from minigr.plot.measured_lines import draw_dynamic, draw_primitives, draw_scaling, draw_steps

Rows = dict[str, Sequence[Row]]
"""The rows of each file, by the name of the file in the legend."""

_UNITS = {"ms": (1, "ms"), "bytes": (2**20, "MiB")}
_PARTS = ("updates", "load")
"""The parts of `minigr bench dynamic` that are drawn as lines."""


def bench(results: Any) -> Any:
    """Draw the measurements of one run of `minigr bench`, or compare several runs.

    Parameters
    ----------
    results : path-like, document, sequence of path-likes, or mapping of names to them
        Files that `minigr bench ... --json` wrote, all with the same command, or the contents of such files. By
        default, the names in the legend are the file names.

    Returns
    -------
    matplotlib.figure.Figure
        For `operators`, the steps of each search. For `primitives`, bytes per second against size. For `dynamic`, rates
        against batch size and load factor. For `scaling`, the gain against the number of threads. For other commands,
        the median of each measurement on a logarithmic axis, with a bar from the least to the greatest sample. Each
        graph has a panel, each call has a line, and each library and file has a color and a marker.

    Raises
    ------
    FormatError
        If a file was not written by `minigr bench`, has nothing to draw, or was written by a different command than
        the first file.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> import minigr as mg
    >>> rows = [{"key": {"graph": "roads", "app": "bfs", "by": by}, "unit": "ms", "samples": [time],
    ...          "median": time, "least": time, "most": time} for by, time in (("minigr", 1.5), ("scipy", 4.0))]
    >>> figure = mg.plot.bench({"bench": "apps", "rows": rows})
    >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    ['minigr', 'scipy']
    """
    contents = {name: _content(found) for name, found in _files(results).items()}
    if not contents:
        raise FormatError("the files", "are none: give at least one that minigr bench wrote with --json")
    kinds = {content.get("bench"): name for name, content in contents.items()}
    if len(kinds) > 1:
        pairs = ", ".join(f"{name} of {kind!r}" for kind, name in kinds.items())
        raise FormatError("the files", f"are of different commands, {pairs}: draw only files of one command together")
    [kind] = kinds
    rows: Rows = {name: content.get("rows", ()) for name, content in contents.items()}
    if not any(rows.values()):
        raise FormatError("the files", f"of minigr bench {kind} have no rows, so there is nothing to draw")
    lines = _LINES.get(str(kind))
    figure = lines(rows) if lines is not None and _has_lines(str(kind), rows) else _dots(rows)
    where = dict.fromkeys(_where(content) for content in contents.values() if "machine" in content)
    figure.suptitle("; ".join([f"minigr bench {kind}", *where]))
    return figure


def _where(content: Mapping[str, Any]) -> str:
    machine = content["machine"]
    return f"{content['device']}, {machine.get('gpu') or machine['processor']}"


def _files(results: Any) -> dict[str, Any]:
    if isinstance(results, Mapping) and "rows" not in results:
        return dict(results)
    if isinstance(results, Mapping | str | os.PathLike):
        return {"": results}
    paths = [_as_file(path) for path in (results if isinstance(results, Iterable) else [results])]
    stems = [path.stem for path in paths]
    return dict(zip(stems if len(set(stems)) == len(stems) else map(str, paths), paths, strict=True))


def _content(found: Any) -> Mapping[str, Any]:
    if not isinstance(found, Mapping):
        return documents.read(_as_file(found))
    documents.check_rows(found, "the document")
    return found


def _as_file(given: Any) -> Path:
    if not isinstance(given, str | os.PathLike):
        what = f"include an object of type {type(given).__name__}"
        raise FormatError("the files", f"{what}: give the names of files, or documents as a mapping of names to them")
    return as_path(given)


_LINES: dict[str, Callable[[Rows], Any]] = {
    "operators": draw_steps,
    "primitives": draw_primitives,
    "dynamic": draw_dynamic,
    "scaling": draw_scaling,
}


def _has_lines(kind: str, rows: Rows) -> bool:
    """Whether rows can be drawn over sizes. Single operators, builds, and ways through edges have no size."""
    keys = [found["key"] for part in rows.values() for found in part]
    if kind == "operators":
        return any("step" in key for key in keys)
    return kind != "dynamic" or any(key["part"] in _PARTS for key in keys)


def _dots(rows: Rows) -> Any:
    """Medians on a horizontal axis, with one line for each call."""
    panels: dict[tuple[str, str], dict[str, list[tuple[str, Row]]]] = {}
    for name, part in rows.items():
        for found in part:
            first, *rest = (str(value) for field, value in found["key"].items() if field != "by")
            series = ", ".join(filter(None, (found["key"].get("by", MINIGR), name)))
            calls = panels.setdefault((first, found.get("unit", "ms")), {})
            calls.setdefault(" ".join(rest) or first, []).append((series, found))
    every = dict.fromkeys(s for calls in panels.values() for points in calls.values() for s, _ in points)
    heights = [0.3 * len(calls) + 0.5 for calls in panels.values()]
    figure = new_figure(8, sum(heights) + 0.8)
    axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for where, ((first, unit), calls) in zip(axes, panels.items(), strict=True):
        for number, series in enumerate(every):
            _series(where, calls, series, number, unit)
        where.set_yticks(range(len(calls)), list(calls))
        where.set(ylim=(len(calls) - 0.4, -0.6), xscale="log", xlabel=_UNITS[unit][1], title=first)
        where.grid(alpha=0.3)
    axes[0].legend(**OUTSIDE)
    return figure


def _series(axes: Any, calls: Mapping[str, list[tuple[str, Row]]], series: str, number: int, unit: str) -> None:
    scale = _UNITS[unit][0]
    points = [(y, found) for y, rows in enumerate(calls.values()) for by, found in rows if by == series]
    median, least, most = ([found[name] / scale for _, found in points] for name in ("median", "least", "most"))
    spread = [
        [m - low for m, low in zip(median, least, strict=True)],
        [h - m for m, h in zip(median, most, strict=True)],
    ]
    axes.errorbar(
        median,
        [y for y, _ in points],
        xerr=spread,
        **look(number),
        markersize=5,
        linestyle="none",
        elinewidth=1,
        label=series,
    )
