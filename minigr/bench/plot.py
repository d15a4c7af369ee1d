"""The plots of ``minigr bench operators`` and ``minigr bench dynamic``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minigr.bench.document import MINIGR, Row


def plot_steps(rows: Sequence[Row], path: Path) -> None:
    """Write a picture of the rows of `minigr.bench.operators.measure_steps`; its ending names the format.

    Above, million edges a second in each step; below, the share of the graph's arcs that the step looked at. A line for
    each graph and search.
    """
    from matplotlib.figure import Figure

    lines: dict[str, list[Row]] = {}
    for found in rows:
        lines.setdefault(f"{found['key']['app']} on {found['key']['graph']}", []).append(found)
    figure = Figure(figsize=(9, 6), layout="constrained")
    speed, share = figure.subplots(2, 1, sharex=True)
    longest = max(map(len, lines.values()))
    for label, steps in lines.items():
        numbers = [found["key"]["step"] for found in steps]
        style = {"marker": "o", "markersize": 3} if longest <= 60 else {"linewidth": 0.6}
        speed.plot(numbers, [found["mteps"] for found in steps], label=label, **style)
        share.plot(numbers, [100 * found["share"] for found in steps], label=label, **style)
    speed.set(ylabel="million edges a second", yscale="log", title="Speed of each step")
    share.set(xlabel="step", ylabel="edges looked at, % of all", title="Work of each step")
    for axes in (speed, share):
        axes.grid(alpha=0.3)
    speed.legend()
    figure.savefig(path, dpi=120)


def plot_dynamic(rows: Sequence[Row], path: Path) -> None:
    """Write a picture of the rows of `minigr.bench.dynamic.measure_dynamic`; its ending names the format.

    Rates over the size of a batch, if updates are among the rows; rates, and memory with chains, over the load factor,
    if that is. A color for each thing done, a style of line for each graph; peers in thin lines.
    """
    from matplotlib.figure import Figure

    updates = [found for found in rows if found["key"]["part"] == "updates"]
    load = [found for found in rows if found["key"]["part"] == "load"]
    panels = [(updates, _updates)] * bool(updates) + [(load, _load_rates), (load, _load_memory)] * bool(load)
    figure = Figure(figsize=(9, 3.6 * len(panels)), layout="constrained")
    for axes, (chosen, draw) in zip(figure.subplots(len(panels), 1, squeeze=False)[:, 0], panels, strict=True):
        draw(axes, chosen)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="x-small", ncols=2)
    figure.savefig(path, dpi=120)


def _updates(axes: Any, rows: Sequence[Row]) -> None:
    _lines(axes, rows, "batch", "medges_per_s")
    axes.set_xscale("log", base=2)
    axes.set(xlabel="edges of a batch", ylabel="million edges a second", yscale="log", title="Updates")


def _load_rates(axes: Any, rows: Sequence[Row]) -> None:
    _lines(axes, [found for found in rows if "medges_per_s" in found], "load_factor", "medges_per_s")
    axes.set(xlabel="load factor", ylabel="million edges a second", ylim=(0, None), title="Rates over the load factor")


def _load_memory(axes: Any, rows: Sequence[Row]) -> None:
    memory = [found for found in rows if found["key"]["measure"] == "memory"]
    for what, color in (("utilization", "C0"), ("mean_chain", "C1")):
        _lines(axes, memory, "load_factor", what, what.replace("_", " "), color)
    label = "keys over lanes; slabs of a chain"
    axes.set(xlabel="load factor", ylabel=label, ylim=(0, None), title="Memory and chains over the load factor")


def _lines(axes: Any, rows: Sequence[Row], x: str, y: str, label: str = "", color: str = "") -> None:
    """A line for each graph, thing done and library."""
    lines: dict[tuple[str, str, str], list[Row]] = {}
    for found in rows:
        key = found["key"]
        lines.setdefault((key["graph"], key["measure"], key["by"]), []).append(found)
    graphs, measures = (list(dict.fromkeys(line[at] for line in lines)) for at in (0, 1))
    for (graph, measure, by), points in lines.items():
        axes.plot(
            [each["key"][x] for each in points],
            [each[y] for each in points],
            color=color or f"C{measures.index(measure)}",
            linestyle=("-", "--", ":", "-.")[graphs.index(graph) % 4],
            linewidth=1.5 if by == MINIGR else 0.6,
            marker="o",
            markersize=3,
            label=" ".join([label or measure, graph, *([] if by == MINIGR else [by])]),
        )
