"""Residual networks, which have a reverse arc for each arc of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.graphs.backend import builder
from minigr.graphs.graph import Graph


@dataclass(frozen=True)
class Network:
    """A residual network without a flow.

    Attributes
    ----------
    graph : Graph
        A graph with as many arcs from u to v as from v to u.
    reverse : int64[arcs]
        The reverse arc of each arc.
    weights : array[arcs]
        The capacity of each arc.
    origin : int64[arcs] or None
        The arc of the given graph, plus 1; 0 for arcs that the given graph does not have. None if both graphs have the
        same arcs.
    """

    graph: Graph
    reverse: Any
    weights: Any
    origin: Any

    def row(self, vertex: int) -> slice:
        """The arcs from a vertex."""
        return slice(int(self.graph.offsets[vertex]), int(self.graph.offsets[vertex + 1]))

    def onto(self, given: Graph, values: Any) -> Any:
        """Select values of the arcs of the given graph, in its order, from values of the arcs of the network."""
        if self.origin is None:
            return values
        found = given._device.full(given.num_arcs + 1, 0, values.dtype)
        found[self.origin] = values  # values of arcs that `given` does not have go to element 0
        return found[1:]


def network_of(graph: Graph) -> Network:
    """The residual network of a graph; without weights, the capacity of each arc is 1."""
    device, xp = graph._device, graph._device.xp
    weights = graph.weights if graph.weighted else device.full(graph.num_arcs, 1, np.int64)
    if not graph.directed:
        return Network(graph, graph.in_edges(ids=True).edge_ids, weights, None)
    both = _numbered(graph)
    weights = xp.concatenate([device.full(1, 0, weights.dtype), weights])[both.weights]
    return Network(both, both.in_edges(ids=True).edge_ids, weights, both.weights)


def _numbered(graph: Graph) -> Graph:
    """A directed graph with each arc and its reverse; the weights are the values of `Network.origin`."""
    xp, count = graph._device.xp, graph.num_arcs
    src = builder(graph._device, graph.arcs).row_of_arcs(graph.offsets, count)
    numbers = graph._device.full(2 * count, 0, np.int64)
    numbers[:count] = xp.arange(1, count + 1, dtype=np.int64)
    ends = xp.concatenate([src, graph.indices]), xp.concatenate([graph.indices, src])
    del src
    return Graph.from_edges(*ends, numbers, num_vertices=graph.num_vertices, directed=True, device=graph._device)
