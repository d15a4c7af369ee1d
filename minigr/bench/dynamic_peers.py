"""Graphs of other libraries that take batches of edges, to compare with `minigr.DynamicGraph`."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any, ClassVar

from minigr.bench.recipes import Source
from minigr.device import CPU, Device
from minigr.errors import GraphError


class Networkx:
    """NetworkX's graph of the same vertices. It begins without edges, so that its dictionaries are small."""

    package = "networkx"
    calls: ClassVar[dict[str, str]] = {
        "insert": "add_edges_from, of a list of pairs",
        "query": "has_edge, for each pair of a list",
        "delete": "remove_edges_from, of a list of pairs",
    }
    most_edges = 1 << 16
    """The most edges of a batch. Larger batches would take most of the bench's time."""
    most_vertices = 1 << 20
    """The most vertices. A larger graph would take gigabytes."""

    def __init__(self, recipe: Source) -> None:
        import networkx as nx

        self._graph = nx.DiGraph() if recipe.directed else nx.Graph()
        self._graph.add_nodes_from(range(recipe.num_vertices))
        self._pairs: list[tuple[int, int]] = []

    def take(self, src: Any, dst: Any) -> None:
        """Set the batch for the next calls."""
        self._pairs = list(zip(*(CPU.asarray(ids).tolist() for ids in (src, dst)), strict=True))

    def insert(self) -> None:
        self._graph.add_edges_from(self._pairs)

    def query(self) -> list[bool]:
        has_edge = self._graph.has_edge
        return [has_edge(u, v) for u, v in self._pairs]

    def delete(self) -> None:
        self._graph.remove_edges_from(self._pairs)


PEERS = {"networkx": Networkx}
"""All peers by name."""


def choose(
    names: Sequence[str] | None, recipe: Source, batches: Sequence[int], device: Device
) -> tuple[dict[str, Any], dict[str, str]]:
    """The peers to time with a graph, and for each other peer, by name, why it is left out.

    Parameters
    ----------
    names : sequence of str or None
        Names of `PEERS`. None: all of them, if the device is a CPU.
    recipe : Source
    batches : sequence of int
        Edges of the batches. A peer gets only batches with at most its `most_edges`; without any it is left out.
    device : Device

    Raises
    ------
    GraphError
        If a peer is named and the device is not a CPU.

    Examples
    --------
    >>> from minigr.bench.recipes import Recipe
    >>> choose(["networkx"], Recipe("rmat", 30, 1), [1 << 16], CPU)
    ({}, {'networkx': 'left out above 1,048,576 vertices'})
    """
    if device.is_cuda:
        if names:
            raise GraphError(f"{', '.join(names)}: runs on cpu, not on {device}: leave it out of --peers")
        return {}, {}
    chosen, absent = {}, {}
    for name in PEERS if names is None else names:
        peer = PEERS[name]
        if importlib.util.find_spec(peer.package) is None:
            absent[name] = f"not installed (pip install {peer.package})"
        elif recipe.num_vertices > peer.most_vertices:
            absent[name] = f"left out above {peer.most_vertices:,} vertices"
        elif min(batches) > peer.most_edges:
            absent[name] = f"left out of batches above {peer.most_edges:,} edges"
        else:
            chosen[name] = peer
    return chosen, absent
