"""The tables of ``minigr bench operators``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minigr.cli.bench_rows import TIMES, grouped, key_columns, print_rows, short
from minigr.cli.console import print_table, readable, say

if TYPE_CHECKING:
    from minigr.bench.document import Row

MOST_STEPS = 20
"""The number of steps of a search that are shown; the JSON has all steps."""


def show_operators(rows: Sequence[Row]) -> None:
    """Show steps of searches, operators alone, and whole searches, if there are rows for them."""
    show_steps([found for found in rows if "step" in found["key"]])
    show_single_operators([found for found in rows if "operator" in found["key"]])
    show_searches([found for found in rows if "search" in found["key"]])


def show_steps(rows: Sequence[Row]) -> None:
    """Show the busiest steps of each search, and the sum of all steps."""
    keyed: dict[str, list[Row]] = {}
    for each in rows:
        direction = each["key"].get("direction")
        search = each["key"]["app"] + (f", {direction}," if direction else "")
        keyed.setdefault(f"{search} on {each['key']['graph']}", []).append(each)
    for search, steps in keyed.items():
        busiest = sorted(steps, key=lambda step: -step["edges"])[:MOST_STEPS]
        left_out = f", the {MOST_STEPS} with most edges" if len(busiest) < len(steps) else ""
        say(f"{search}: {len(steps):,} steps{left_out}")
        lines = [
            [
                str(step["key"]["step"]),
                step["direction"],
                step["frontier"],
                step["edges"],
                f"{step['share']:.2%}",
                short(step["median"]),
                short(step["mteps"]),
            ]
            for step in sorted(busiest, key=lambda step: step["key"]["step"])
        ]
        edges, milliseconds = sum(step["edges"] for step in steps), sum(step["median"] for step in steps)
        share, speed = sum(step["share"] for step in steps), edges / max(milliseconds, 1e-6) / 1e3
        lines.append(["all", "", None, edges, f"{share:.2%}", short(milliseconds), short(speed)])
        print_table(["step", "direction", "frontier", "edges", "of all", "ms", "MTEPS"], lines)


def show_single_operators(rows: Sequence[Row]) -> None:
    """Show each operator over the whole graph."""
    for graph, found in grouped(rows, "graph").items():
        say(f"each operator alone on {graph}")
        keys = key_columns(found, "operator", "input", "balance", "duplicates")
        print_rows(found, {**keys, **TIMES, "speed": _speed})


def _speed(found: Row) -> str:
    return f"{readable(short(found['per_s'] / 1e9))} G {found['counted']}/s"


def show_searches(rows: Sequence[Row]) -> None:
    """Show whole searches, which are run in several ways."""
    for graph, found in grouped(rows, "graph").items():
        say(f"whole searches on {graph}: medians of {len(found[0]['samples'])}")
        print_rows(found, {**key_columns(found, "search", "direction", "balance", "duplicates"), **TIMES})
