"""Residual networks: an arc the other way for each arc of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.graphs.backend import builder
from minigr.graphs.graph import Graph


@dataclass(frozen=True)
class Network:
    """A residual network before anything flows.

    Attributes
    ----------
    graph : Graph
        With as many arcs from u to v as from v to u.
    reverse : int64[arcs]
        The arc the other way.
    weights : array[arcs]
        How much each lets through.
    origin : int64[arcs] or None
        The arc of the graph that was given, plus 1; 0 for arcs that it doesn't have. None if it has the same arcs.
    """

    graph: Graph
    reverse: Any
    weights: Any
    origin: Any

    def row(self, vertex: int) -> slice:
        """The arcs from a vertex."""
        return slice(int(self.graph.offsets[vertex]), int(self.graph.offsets[vertex + 1]))

    def onto(self, given: Graph, values: Any) -> Any:
        """Values of the arcs, one for each arc of the graph that was given."""
        if self.origin is None:
            return values
        found = given._device.full(given.num_arcs + 1, 0, values.dtype)
        found[self.origin] = values  # those of arcs that it doesn't have come to the first place
        return found[1:]


def network_of(graph: Graph) -> Network:
    """The residual network of a graph; an arc lets 1 through if it has no weights."""
    device, xp = graph._device, graph._device.xp
    weights = graph.weights if graph.weighted else device.full(graph.num_arcs, 1, np.int64)
    if not graph.directed:
        return Network(graph, graph.in_edges(ids=True).edge_ids, weights, None)
    both = _numbered(graph)
    weights = xp.concatenate([device.full(1, 0, weights.dtype), weights])[both.weights]
    return Network(both, both.in_edges(ids=True).edge_ids, weights, both.weights)


def _numbered(graph: Graph) -> Graph:
    """A directed graph with each arc the other way, too; its weights are those of `Network.origin`."""
    xp, count = graph._device.xp, graph.num_arcs
    src = builder(graph._device, graph.arcs).row_of_arcs(graph.offsets, count)
    numbers = graph._device.full(2 * count, 0, np.int64)
    numbers[:count] = xp.arange(1, count + 1, dtype=np.int64)
    ends = xp.concatenate([src, graph.indices]), xp.concatenate([graph.indices, src])
    del src
    return Graph.from_edges(*ends, numbers, num_vertices=graph.num_vertices, directed=True, device=graph._device)
