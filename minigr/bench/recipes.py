"""Random dynamic graphs, and batches of edges like their own: uniform and R-MAT."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minigr import DynamicGraph
from minigr.device import Device
from minigr.generate.finish import kernels
from minigr.generate.keys import stream_key
from minigr.generate.random_graphs import quadrants
from minigr.graphs.backend import scope

UNIFORM, RMAT = "uniform", "rmat"
KINDS = (UNIFORM, RMAT)
_GRAPH500 = quadrants(0.57, 0.19, 0.19)
_LABELS = stream_key(0, 1)
_DENSER = 4  # doublings


@dataclass(frozen=True)
class Recipe:
    """A random graph of ``2**scale`` vertices for which ``edge_factor * 2**scale`` edges are drawn.

    Edges are drawn with repeats and self-loops, so that the graph has fewer. They are the same on every device.

    Attributes
    ----------
    kind : str
        Of `KINDS`. R-MAT has the chances of Graph500.
    scale, edge_factor : int
    directed : bool
    in_edges : bool
        Whether a directed graph keeps its in-edges.
    """

    kind: str
    scale: int
    edge_factor: int
    directed: bool = True
    in_edges: bool = False

    @property
    def name(self) -> str:
        """What the graph is called in rows.

        Examples
        --------
        >>> Recipe("rmat", 20, 16).name, Recipe("uniform", 16, 8, directed=False).name
        ('rmat-20-16', 'uniform-16-8-undirected')
        """
        ending = ("-in-edges" if self.in_edges else "") if self.directed else "-undirected"
        return f"{self.kind}-{self.scale}-{self.edge_factor}{ending}"

    @property
    def num_vertices(self) -> int:
        return 1 << self.scale

    @property
    def num_drawn(self) -> int:
        """How many edges are drawn for the graph."""
        return self.edge_factor << self.scale

    def denser(self) -> Recipe:
        """As many edges between a sixteenth of the vertices, so that most of these have more than one slab."""
        less = min(_DENSER, self.scale)
        return replace(self, scale=self.scale - less, edge_factor=self.edge_factor << less)

    def edges(self, device: Device, count: int | None = None, number: int = 0) -> tuple[Any, Any]:
        """int32 ends of `count` edges on the device, by default those of the graph, which is batch number 0.

        They are those of `generate.uniform` or `generate.rmat` with the number as the seed, but R-MAT's labels are
        shuffled alike in all, so that hubs stay hubs.

        Examples
        --------
        >>> from minigr.device import CPU
        >>> recipe = Recipe("uniform", 4, 2)
        >>> len(recipe.edges(CPU)[0]), len(recipe.edges(CPU, 5, number=1)[0])
        (32, 5)
        """
        count = self.num_drawn if count is None else count
        with scope(device):
            if self.kind == UNIFORM:
                return kernels(device).uniform_edges(self.num_vertices, count, stream_key(number, 2))
            return kernels(device).rmat_edges(self.scale, count, _GRAPH500, stream_key(number, 0), _LABELS)

    def vertices(self, device: Device, count: int, number: int) -> Any:
        """int32: `count` vertices on the device, drawn evenly; another set for each number."""
        with scope(device):
            return kernels(device).uniform_edges(self.num_vertices, count, stream_key(number, 3))[0]

    def weights(self, device: Device, dtype: Any) -> Any:
        """A weight for each edge that is drawn, whole numbers below 1000."""
        with scope(device):
            return (device.xp.arange(self.num_drawn, dtype=np.int32) % 1000).astype(dtype)

    def built(self, device: Device, edges: tuple[Any, Any], weights: Any = None) -> DynamicGraph:
        """The graph of these edges, built in one go."""
        options: dict[str, Any] = {"directed": self.directed, "in_edges": self.in_edges, "device": device}
        return DynamicGraph.from_edges(*edges, weights, num_vertices=self.num_vertices, **options)

    def empty(self, device: Device) -> DynamicGraph:
        """The graph without its edges, and without a hint how many there will be."""
        return DynamicGraph(self.num_vertices, directed=self.directed, in_edges=self.in_edges, device=device)
