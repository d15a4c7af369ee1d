"""The graphs of the benches of dynamic graphs, and batches of edges for them: uniform, R-MAT, or of a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from minigr import DynamicGraph, Graph
from minigr.device import Device
from minigr.generate.finish import kernels
from minigr.generate.keys import stream_key
from minigr.generate.random_graphs import quadrants
from minigr.graphs.backend import builder, scope

UNIFORM, RMAT = "uniform", "rmat"
KINDS = (UNIFORM, RMAT)
_GRAPH500 = quadrants(0.57, 0.19, 0.19)
_LABELS = stream_key(0, 1)
_DENSER = 4  # doublings


class Source(ABC):
    """Where the edges of a dynamic graph are from, and batches of edges.

    Attributes
    ----------
    name : str
        What the graph is called in rows.
    num_vertices : int
    num_drawn : int
        How many edges are given to the graph, repeats and self-loops among them.
    directed : bool
    in_edges : bool
        Whether a directed graph keeps its in-edges.
    """

    directed: bool
    in_edges: bool

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def num_vertices(self) -> int: ...

    @property
    @abstractmethod
    def num_drawn(self) -> int: ...

    @abstractmethod
    def edges(self, device: Device, count: int | None = None, number: int = 0) -> tuple[Any, Any]:
        """int32 ends of the graph's edges on the device, or those of the batch of `count` edges with this number."""

    @abstractmethod
    def denser(self) -> Source:
        """The graph on which load factors make a difference."""

    @abstractmethod
    def undirected(self) -> Source:
        """The graph with edges that lead both ways."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What a document says about the graph."""

    def vertices(self, device: Device, count: int, number: int) -> Any:
        """int32: `count` vertices on the device, drawn evenly; another set for each number."""
        with scope(device):
            return kernels(device).uniform_edges(self.num_vertices, count, stream_key(number, 3))[0]

    def weights(self, device: Device, dtype: Any, count: int | None = None) -> Any:
        """A weight for each edge that is drawn, or for `count` edges: whole numbers below 1000."""
        with scope(device):
            numbers = device.xp.arange(self.num_drawn if count is None else count, dtype=np.int32)
            return (numbers % 1000).astype(dtype)

    def built(self, device: Device, edges: tuple[Any, Any], weights: Any = None) -> DynamicGraph:
        """The graph of these edges, built in one go."""
        options: dict[str, Any] = {"directed": self.directed, "in_edges": self.in_edges, "device": device}
        return DynamicGraph.from_edges(*edges, weights, num_vertices=self.num_vertices, **options)

    def empty(self, device: Device) -> DynamicGraph:
        """The graph without its edges, and without a hint how many there will be."""
        return DynamicGraph(self.num_vertices, directed=self.directed, in_edges=self.in_edges, device=device)


@dataclass(frozen=True)
class Recipe(Source):
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

    def undirected(self) -> Recipe:
        return replace(self, directed=False, in_edges=False)

    def facts(self) -> dict[str, Any]:
        return {"name": self.name, "vertices": self.num_vertices, "drawn": self.num_drawn, **asdict(self)}

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


class GivenGraph(Source):
    """A graph that was read, whose weights are left out. Batches are pairs of vertices that are drawn evenly.

    Parameters
    ----------
    name : str
    graph : Graph
    in_edges : bool
        Whether the dynamic graph keeps its in-edges; it does not matter if the graph is undirected.

    Attributes
    ----------
    graph : Graph
    """

    def __init__(self, name: str, graph: Any, in_edges: bool = False) -> None:
        self._name, self.graph = name, graph
        self.directed, self.in_edges = graph.directed, in_edges and graph.directed

    @property
    def name(self) -> str:
        return self._name + ("-in-edges" if self.in_edges else "")

    @property
    def num_vertices(self) -> int:
        return int(self.graph.num_vertices)

    @property
    def num_drawn(self) -> int:
        return int(self.graph.num_edges)

    def edges(self, device: Device, count: int | None = None, number: int = 0) -> tuple[Any, Any]:
        with scope(device):
            if count is not None:
                return kernels(device).uniform_edges(self.num_vertices, count, stream_key(number, 2))
            graph = self.graph
            src, dst = builder(device).row_of_arcs(graph.offsets, graph.num_arcs), graph.indices
            if graph.directed:
                return src, dst.copy()
            once = src <= dst  # of both arcs of an edge the one; a self-loop has one arc
            return src[once], dst[once]

    def denser(self) -> GivenGraph:
        return self

    def undirected(self) -> GivenGraph:
        if not self.directed:
            return self
        src, dst = self.edges(self.graph._device)
        graph = Graph.from_edges(src, dst, num_vertices=self.num_vertices, directed=False, device=self.graph._device)
        return GivenGraph(f"{self._name}-undirected", graph)

    def facts(self) -> dict[str, Any]:
        found = {"name": self.name, "vertices": self.num_vertices, "drawn": self.num_drawn}
        return {**found, "directed": self.directed, "in_edges": self.in_edges}
