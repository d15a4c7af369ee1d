"""Functions that the scripts for pages with measurements share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PEERS = "2026-11-20-h200-peers.json"


@cache
def document(name: str) -> dict[str, Any]:
    """The content of a file of results."""
    return json.loads((RESULTS / name).read_text())


def found(name: str, field: str = "median", **key: Any) -> Any:
    """A field of the row of `name` with this key, None if there is no such row."""
    rows = [row for row in document(name)["rows"] if row["key"] == key]
    assert len(rows) <= 1, (name, key)
    return rows[0].get(field) if rows else None


def short(value: float | None) -> str:
    """A number with three digits; a dash for None."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table of Markdown."""
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def size_of(graph: Mapping[str, Any]) -> str:
    """A graph's name, vertices and arcs."""
    return f"{graph['name']} ({graph['vertices'] / 1e6:.3g}M / {graph['arcs'] / 1e6:.3g}M)"


def machine(name: str) -> str:
    """The machine of a file in a few words."""
    facts = document(name)["machine"]
    words = [facts.get("gpu"), facts["processor"], f"{facts['cores']} cores", f"Python {facts['python']}"]
    if "driver" in facts:
        words.append(f"driver {facts['driver']}")
    return ", ".join(word for word in words if word)


def link(name: str, up: str = "..") -> str:
    """A link to one of the files, from a page that is `up` from the root."""
    return f"[`{name}`]({up}/benchmarks/results/{name})"


def source(name: str, command: str, up: str = "..") -> str:
    """A line about the source of a table: its file, command and machine."""
    return f"*{link(name, up)}: `{command}`; {machine(name)}.*"
