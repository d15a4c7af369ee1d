"""Programs that the GPUs of several parts run together: what algorithms run over a graph in parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from minigr.apps.bfs import bfs
from minigr.apps.components import connected_components
from minigr.apps.pagerank import pagerank
from minigr.apps.sssp import sssp
from minigr.graphs.partitioned.deal import Rule
from minigr.graphs.partitioned.graph import PartitionedGraph
from minigr.jit.told import listening
from minigr.operators.partitioned.across_setup import Setup, setup_for
from minigr.prepare.examples import graphs
from minigr.prepare.program import Program, of_plan

OVER_PARTS: dict[str, Callable[[Any], Any]] = {
    "bfs": lambda graph: bfs(graph, 0),
    "sssp": lambda graph: sssp(graph, 0),
    "pagerank": pagerank,
    "pagerank by pushes": partial(pagerank, method="push"),
    "connected_components": connected_components,
}
"""Algorithms whose steps have all that travels between parts."""
_PARTS: tuple[tuple[str, Rule, int], ...] = (("path float32", "ranges", 2), ("star int64", "hash", 3))


def parts_programs(name: str) -> list[Program]:
    """The programs of an algorithm, over two kinds of graphs; a step that the host has to run is an error."""
    found: dict[Any, Program] = {}

    def note(what: str, of: Any) -> None:
        if what == "parts":
            setup = setup_for(*of)
            assert isinstance(setup, Setup), f"{name}: {setup}"
            found.setdefault(setup.plans[0].key(), partial(of_plan, setup.plans[0]))

    for graph, deal, count in _PARTS:
        with listening(note):
            OVER_PARTS[name](PartitionedGraph.from_graph(graphs()[graph], devices=["cpu"] * count, deal=deal))
    return list(found.values())
