"""The plot of ``minigr bench operators``: speed and share of edges, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from minigr.bench.document import Row


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
