"""Line plots of the benchmarks that measure over sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minigr.bench.document import MINIGR, Row
from minigr.plot.figures import COLORS, LINES, MARKERS, OUTSIDE, look, new_figure

Rows = Mapping[str, Sequence[Row]]


def draw_steps(rows: Rows) -> Any:
    """Draw the steps of the searches of `minigr bench operators`.

    The upper panel has million edges per second in each step. The lower panel has the share of the graph's arcs that
    the step looked at. There is a line for each graph, search and file.
    """
    lines: dict[str, list[Row]] = {}
    for name, part in rows.items():
        for found in part:
            key = found["key"]
            if "step" in key:
                search = ", ".join(key[part] for part in ("app", "direction") if part in key)
                lines.setdefault(_joined(f"{search} on {key['graph']}", name), []).append(found)
    figure = new_figure(10, 6)
    speed, share = figure.subplots(2, 1, sharex=True)
    longest = max(map(len, lines.values()))
    for number, (label, steps) in enumerate(lines.items()):
        x = [found["key"]["step"] for found in steps]
        style: dict[str, Any] = {**look(number), "markersize": 3}
        if longest > 60:
            style = {"color": style["color"], "linewidth": 0.6}
        speed.plot(x, [found["mteps"] for found in steps], label=label, **style)
        share.plot(x, [100 * found["share"] for found in steps], label=label, **style)
    speed.set(ylabel="million edges a second", yscale="log", title="Speed of each step")
    share.set(xlabel="step", ylabel="edges looked at, % of all", title="Work of each step")
    return _finished(figure)


def draw_primitives(rows: Rows) -> Any:
    """Draw the gigabytes per second of `minigr bench primitives` over sizes.

    There is a panel for each primitive, and a line for each library and file.
    """
    lines: dict[str, dict[str, list[Row]]] = {}
    for name, part in rows.items():
        for found in part:
            by_label = lines.setdefault(found["key"]["primitive"], {})
            by_label.setdefault(_joined(found["key"]["by"], name), []).append(found)
    figure = new_figure(9, 2.6 * len(lines))
    for axes, (primitive, by_label) in zip(_panels(figure, len(lines)), lines.items(), strict=True):
        for number, (label, points) in enumerate(by_label.items()):
            x = [found["key"]["items"] for found in points]
            style: dict[str, Any] = {**look(number), "markersize": 4}
            axes.plot(x, [found["gb_per_s"] for found in points], label=label, **style)
        axes.set_xscale("log", base=2)
        axes.set(ylabel="GB/s", yscale="log", title=primitive)
    figure.axes[-1].set_xlabel("items")
    return _finished(figure)


def draw_scaling(rows: Rows) -> Any:
    """Draw the gain of calls in `minigr bench scaling` over the number of threads.

    There is a panel for each graph, a line for each call and file, and a thin line for the maximum possible gain.
    """
    panels: dict[str, dict[str, list[Row]]] = {}
    for name, part in rows.items():
        for found in part:
            by_label = panels.setdefault(found["key"]["graph"], {})
            by_label.setdefault(_joined(found["key"]["call"], name), []).append(found)
    figure = new_figure(9, 4 * len(panels))
    for axes, (graph, by_label) in zip(_panels(figure, len(panels)), panels.items(), strict=True):
        for number, (label, points) in enumerate(by_label.items()):
            x = [found["key"]["threads"] for found in points]
            style: dict[str, Any] = {**look(number), "markersize": 4}
            axes.plot(x, [found["speedup"] for found in points], label=label, **style)
            axes.plot(x, [each / x[0] for each in x], color="0.7", linewidth=0.6, zorder=0)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.set(ylabel="times as fast", title=graph)
    figure.axes[-1].set_xlabel("threads")
    return _finished(figure)


def draw_dynamic(rows: Rows) -> Any:
    """Draw the rates of `minigr bench dynamic`.

    Rates are drawn over the batch size, if there are rows for updates. Rates and memory, with chains, are drawn over
    the load factor, if there are such rows. Each operation has a color, each graph a line style, and each file a
    marker. Lines of other libraries are thin.
    """
    panels = []
    for part, drawings in (("updates", (_updates,)), ("load", (_load_rates, _load_memory))):
        chosen = {name: [f for f in found if _is_drawn(f["key"], part)] for name, found in rows.items()}
        panels += [(chosen, draw) for draw in drawings if any(chosen.values())]
    figure = new_figure(11, 3.6 * len(panels))
    for axes, (chosen, draw) in zip(_panels(figure, len(panels)), panels, strict=True):
        draw(axes, chosen)
    return _finished(figure)


def _is_drawn(key: Mapping[str, Any], part: str) -> bool:
    """Whether a row is of a part, and has a position on its axis. Graphs without hashing have no position."""
    return key["part"] == part and not isinstance(key.get("load_factor"), str)


def _updates(axes: Any, rows: Rows) -> None:
    _lines(axes, rows, "batch", "medges_per_s")
    axes.set_xscale("log", base=2)
    axes.set(xlabel="edges of a batch", ylabel="million edges a second", yscale="log", title="Updates")


def _load_rates(axes: Any, rows: Rows) -> None:
    timed = {name: [found for found in part if "medges_per_s" in found] for name, part in rows.items()}
    _lines(axes, timed, "load_factor", "medges_per_s")
    axes.set(xlabel="load factor", ylabel="million edges a second", ylim=(0, None), title="Rates over the load factor")


def _load_memory(axes: Any, rows: Rows) -> None:
    memory = {name: [f for f in part if f["key"]["measure"] == "memory"] for name, part in rows.items()}
    for what, color in (("utilization", COLORS[0]), ("mean_chain", COLORS[1])):
        _lines(axes, memory, "load_factor", what, what.replace("_", " "), color)
    label = "keys over lanes; slabs of a chain"
    axes.set(xlabel="load factor", ylabel=label, ylim=(0, None), title="Memory and chains over the load factor")


def _lines(axes: Any, rows: Rows, x: str, y: str, label: str = "", color: str = "") -> None:
    """Draw a line for each file, graph, operation and library."""
    lines: dict[tuple[str, str, str, str], list[Row]] = {}
    for name, part in rows.items():
        for found in part:
            key = found["key"]
            measure = " ".join([key["measure"], *([key["weights"]] if "weights" in key else [])])
            lines.setdefault((key["graph"], measure, name, key["by"]), []).append(found)
    graphs, measures, names = (list(dict.fromkeys(line[at] for line in lines)) for at in range(3))
    for (graph, measure, name, by), points in lines.items():
        axes.plot(
            [each["key"][x] for each in points],
            [each[y] for each in points],
            color=color or _of(COLORS, measures.index(measure)),
            linestyle=_of(LINES, graphs.index(graph)),
            linewidth=1.5 if by == MINIGR else 0.6,
            marker=_of(MARKERS, names.index(name)),
            markersize=3,
            label=_joined(" ".join([label or measure, graph, *([] if by == MINIGR else [by])]), name),
        )


def _panels(figure: Any, count: int) -> Any:
    return figure.subplots(count, 1, squeeze=False)[:, 0]


def _finished(figure: Any) -> Any:
    for axes in figure.axes:
        axes.grid(alpha=0.3)
        axes.legend(**OUTSIDE)
    return figure


def _joined(label: str, name: str) -> str:
    return f"{label}, {name}" if name else label


def _of(styles: Sequence[str], number: int) -> str:
    return styles[number % len(styles)]
