"""The measurements of a traced run, iteration by iteration."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.checks import require
from minigr.plot.figures import COLORS, GRAY, literal, named, new_figure
from minigr.program.trace import Trace

PANELS = {
    "frontier": "frontier, items",
    "edges": "edges looked at",
    "milliseconds": "time, ms",
}
"""The values of each row of a trace that are drawn, and the labels of their axes."""
OF_PARTS = {"sent": "sent, bytes", "exchange_milliseconds": "exchanges, ms"}
"""The additional values that are drawn if a graph was in parts."""
DIRECTIONS = {"push": "o", "pull": "v"}
_MARKED = 200
"""The number of iterations up to which each iteration has a marker."""
_WIDE = 100
"""The ratio of the greatest to the least value from which an axis is logarithmic."""


def trace(traces: Any) -> Any:
    """Draw the frontier, the edges and the time of each iteration of a traced run, or of several.

    Parameters
    ----------
    traces : result, trace, or mapping of names to these
        The result of an app that was called with ``trace=True``, or the ``trace`` of the result. Several traces share
        the axes.

    Returns
    -------
    matplotlib.figure.Figure
        A figure with three panels, and two more panels if a graph was in parts: the bytes that parts sent each other,
        and the time of the exchanges. Markers distinguish pushes from pulls. If a run has more than 200 iterations,
        only pulls have markers.

    Raises
    ------
    ProblemError
        If there is no trace, if an object has no trace, or if a trace has no iterations.
    MissingExtraError
        If matplotlib is not installed.

    Notes
    -----
    O(iterations). Times are host times of iterations that are launched one by one. They are longer than in a run
    without tracing.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.bfs(mg.generate.path(4, device="cpu"), 0, trace=True)
    >>> figure = mg.plot.trace(result)
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['frontier, items', 'edges looked at', 'time, ms']
    """
    rows = {name: _rows(name, given) for name, given in named(traces).items()}
    require(len(rows) > 0, "trace: there is none: give at least one result")
    in_parts = any(row.exchange_milliseconds > 0 for found in rows.values() for row in found)
    drawn = PANELS | OF_PARTS if in_parts else PANELS
    figure = new_figure(7.2, 2.4 * len(drawn))
    panels = figure.subplots(len(drawn), 1, sharex=True)
    marked = max(map(len, rows.values())) <= _MARKED
    for axes, (field, label) in zip(panels, drawn.items(), strict=True):
        for number, (name, found) in enumerate(rows.items()):
            _draw(axes, found, field, name, COLORS[number % len(COLORS)], marked)
        values = np.concatenate([[getattr(row, field) for row in found] for found in rows.values()])
        positive = values[values > 0]
        wide = len(positive) and positive.max() >= _WIDE * positive.min()
        axes.set(ylabel=label, **({"yscale": "log"} if wide else {"ylim": (0, None)}))
        axes.grid(alpha=0.3)
    panels[-1].set_xlabel("iteration")
    used = [direction for direction in DIRECTIONS if any(r.direction == direction for f in rows.values() for r in f)]
    for direction in used:  # only for the legend
        panels[0].plot([], [], color=GRAY, marker=DIRECTIONS[direction], linestyle="none", label=direction)
    panels[0].legend(fontsize="small")
    return figure


def _rows(name: str, given: Any) -> list[Any]:
    found = getattr(given, "trace", given)
    what = f"{name}: " if name else ""
    require(found is not None, f"trace: {what}there is none: call the app with trace=True")
    require(
        isinstance(found, Trace),
        f"trace: {what}expected a result, a trace or a mapping of names to these, got {type(found).__name__}",
    )
    require(len(found) > 0, f"trace: {what}the run ended before its first iteration, so there is nothing to draw")
    return list(found)


def _draw(axes: Any, rows: list[Any], field: str, name: str, color: str, marked: bool) -> None:
    """A thin line through all iterations, and markers by direction."""
    values = [getattr(row, field) for row in rows]
    axes.plot([row.iteration for row in rows], values, color=color, linewidth=0.8, label=literal(name) or "_")
    for direction, marker in DIRECTIONS.items():
        chosen = [row for row in rows if row.direction == direction and (marked or direction == "pull")]
        x, y = [row.iteration for row in chosen], [getattr(row, field) for row in chosen]
        axes.plot(x, y, color=color, marker=marker, markersize=4, linestyle="none", label="_")
