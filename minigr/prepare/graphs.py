"""Small graphs of each kind that programs of algorithms depend on.

Kinds differ in layout, direction, the dtype of the weights, and two facts about degrees: whether vertices have few
edges on average, and whether a vertex has more edges than the threads of a GPU process individually.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from minigr.graphs.batch import GraphBatch
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.graphs.dynamic.graph import DynamicGraph
from minigr.graphs.graph import Graph
from minigr.operators.intersect import WIDE_ROW
from minigr.program.node import SLICE

_MEAN = {"sparse": 1, "dense": 6}  # edges that are drawn for each vertex
# The number of vertices; the number of edges of the hub, half of which may be reversed; and the number of vertices that
# are all neighbors of each other. The blocks of a GPU intersect the rows of these vertices even if each edge is in the
# row of only one end.
_SIZES = {False: (1000, 0, 0), True: (8000, 4 * SLICE, WIDE_ROW + 16)}
_TAIL = 8  # vertices of a path that is attached to the rest


@dataclass(frozen=True)
class Kind:
    """A kind of graph.

    Attributes
    ----------
    layout : {"csr", "slabs", "batch"}
    hub : bool
        Whether there is a hub.
    density : {"sparse", "dense"}
    direction : {"undirected", "both", "out", "in"}
        The direction of the hub's edges.
    in_edges : bool
        Whether in-edges exist or can be built.
    dtype : str
        The dtype of the weights; empty for a graph without weights.
    """

    layout: str
    hub: bool
    density: str
    direction: str
    in_edges: bool
    dtype: str

    @property
    def directed(self) -> bool:
        return self.direction != "undirected"

    def make(self, zeros: bool, acyclic: bool = False) -> Any:
        """A graph of this kind on the CPU. Its weights are greater than 0; with `zeros`, some are 0."""
        if self.layout == "batch":
            made = [_graph(_SIZES[False], self.density, self.direction, self.dtype, zeros) for _ in range(2)]
            return GraphBatch.from_graphs(made, device="cpu")
        graph = _graph(_SIZES[self.hub], self.density, self.direction, self.dtype, zeros, acyclic)
        return graph if self.layout == "csr" else DynamicGraph.from_graph(graph, in_edges=self.in_edges)


def kinds(layout: str) -> Iterator[Kind]:
    """All kinds of graphs of one layout."""
    for hub, density, dtype in product(_SIZES, _MEAN, ("", *WEIGHT_DTYPES)):
        if layout == "batch" and (hub or density != "sparse"):
            continue
        for direction in ("undirected", "both", "out", "in"):
            if not hub and direction in ("out", "in"):
                continue
            for in_edges in (True, False):
                if in_edges or (layout == "slabs" and direction != "undirected"):
                    yield Kind(layout, hub, density, direction, in_edges, dtype)


def _graph(
    size: tuple[int, int, int], density: str, direction: str, dtype: str, zeros: bool, acyclic: bool = False
) -> Graph:
    src, dst = _edges(*size, _MEAN[density])
    if acyclic:  # along an order of the vertices, in which the hub is first, last or in the middle
        place = np.arange(size[0])
        place = {"both": np.where(place % 2, -place, place), "out": place, "in": -place}[direction]
        turned = place[src] > place[dst]
        src, dst = np.where(turned, dst, src), np.where(turned, src, dst)
    elif direction != "undirected":
        of_hub = src == 0
        turned = {"both": np.arange(len(src)) % 2 == 0, "out": ~of_hub & (dst % 2 == 0), "in": of_hub | (dst % 2 == 0)}
        src, dst = np.where(turned[direction], dst, src), np.where(turned[direction], src, dst)
        end = size[0] - np.arange(3, 0, -1)  # of the tail, which becomes a cycle, a strong component
        others = np.minimum(src, dst) < end[0]
        src, dst = np.concatenate([src[others], end]), np.concatenate([dst[others], np.roll(end, -1)])
    weights = (np.arange(len(src)) % 3 + (not zeros)).astype(dtype) if dtype else None
    return Graph.from_edges(src, dst, weights, num_vertices=size[0], directed=direction != "undirected", device="cpu")


@cache
def _edges(vertices: int, greatest: int, alike: int, mean: int) -> tuple[Any, Any]:
    """Random edges, the edges of the hub (vertex 0) and those among its first neighbors, and a path at the end."""
    random = np.random.default_rng(0)
    src, dst = random.integers(1, vertices - _TAIL, (2, mean * vertices))
    tail = np.arange(vertices - _TAIL - 1, vertices)
    one, other = np.triu_indices(alike, 1)
    src = np.concatenate([src, np.zeros(max(greatest, 1), np.int64), one, tail[:-1]])
    dst = np.concatenate([dst, np.arange(1, max(greatest, 1) + 1), other, tail[1:]])
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    found = np.unique(low[low != high] * vertices + high[low != high])
    return found // vertices, found % vertices
