"""Estimates of the memory of algorithms: ``minigr run --estimate`` and ``minigr info --memory``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minigr.cli.algorithms import ALGORITHMS, Algorithm, Settings
from minigr.cli.console import print_table
from minigr.cli.settings import prepare
from minigr.errors import GraphError

Row = dict[str, Any]


def estimates_of(chosen: Iterable[Algorithm], graph: Any, settings: Settings) -> list[Row]:
    """A row for each algorithm: the peak bytes on the host and on the GPU, in addition to the graph."""
    from minigr import memory

    rows = []
    for algorithm in chosen:
        taken = memory.estimate(algorithm.call, graph, settings)
        rows.append({"algorithm": algorithm.name, "host_bytes": taken.host, "device_bytes": taken.device})
    return rows


def estimates_of_all(graph: Any) -> list[Row]:
    """As `estimates_of`, for all algorithms that accept the graph, with their defaults."""
    rows = []
    for algorithm in ALGORITHMS.values():
        try:
            rows += estimates_of([algorithm], graph, prepare({}, [algorithm], graph))
        except GraphError:  # its message says what the algorithm needs
            continue
    return rows


def print_estimates(rows: list[Row]) -> None:
    """Print the estimates as a table."""
    print_table(("algorithm", "bytes on the host", "bytes on the GPU"), [list(row.values()) for row in rows])
