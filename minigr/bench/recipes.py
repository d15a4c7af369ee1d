"""Graphs for the benches of dynamic graphs, and batches of edges for them: uniform, R-MAT, or read from a file."""

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
_DENSER = 4  # how often the edge factor is doubled


class Source(ABC):
    """A source of the edges of a dynamic graph, and of batches of edges.

    Attributes
    ----------
    name : str
        The name of the graph in rows.
    num_vertices : int
    num_drawn : int
        How many edges the graph is built from, including repeats and self-loops.
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
        """Return int32 ends of the graph's edges on the device, or of the batch of `count` edges with this number."""

    @abstractmethod
    def denser(self) -> Source:
        """The graph to measure load factors on, with degrees at which they make a difference."""

    @abstractmethod
    def undirected(self) -> Source:
        """The same graph with undirected edges."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """The facts about the graph for a document."""

    def vertices(self, device: Device, count: int, number: int) -> Any:
        """Return int32 `count` vertices on the device, drawn uniformly; each number has another set."""
        with scope(device):
            return kernels(device).uniform_edges(self.num_vertices, count, stream_key(number, 3))[0]

    def weights(self, device: Device, dtype: Any, count: int | None = None) -> Any:
        """A weight for each drawn edge, or for `count` edges: whole numbers below 1000."""
        with scope(device):
            numbers = device.xp.arange(self.num_drawn if count is None else count, dtype=np.int32)
            return (numbers % 1000).astype(dtype)

    def built(self, device: Device, edges: tuple[Any, Any], weights: Any = None) -> DynamicGraph:
        """The graph of these edges, built in one call."""
        options: dict[str, Any] = {"directed": self.directed, "in_edges": self.in_edges, "device": device}
        return DynamicGraph.from_edges(*edges, weights, num_vertices=self.num_vertices, **options)

    def empty(self, device: Device) -> DynamicGraph:
        """The graph without its edges, built without a hint how many edges will come."""
        return DynamicGraph(self.num_vertices, directed=self.directed, in_edges=self.in_edges, device=device)


@dataclass(frozen=True)
class Recipe(Source):
    """A random graph of ``2**scale`` vertices for which ``edge_factor * 2**scale`` edges are drawn.

    Repeats and self-loops among the drawn edges are left out, so that the graph has fewer edges. The edges are the same
    on every device.

    Attributes
    ----------
    kind : str
        One of `KINDS`. R-MAT has the chances of Graph500.
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
        """The name of the graph in rows.

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
        """The same number of edges with a sixteenth of the vertices, so that most vertices have more than one slab."""
        less = min(_DENSER, self.scale)
        return replace(self, scale=self.scale - less, edge_factor=self.edge_factor << less)

    def undirected(self) -> Recipe:
        return replace(self, directed=False, in_edges=False)

    def facts(self) -> dict[str, Any]:
        return {"name": self.name, "vertices": self.num_vertices, "drawn": self.num_drawn, **asdict(self)}

    def edges(self, device: Device, count: int | None = None, number: int = 0) -> tuple[Any, Any]:
        """Return int32 ends of `count` edges on the device, by default those of the graph, which is batch number 0.

        The edges are those of `generate.uniform` or `generate.rmat` with the number as the seed. The labels of R-MAT
        are shuffled in the same way for all numbers, so that the same vertices are hubs in all batches.

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
    """A graph that was read, without its weights. Batches are pairs of vertices that are drawn uniformly.

    Parameters
    ----------
    name : str
    graph : Graph
    in_edges : bool
        Whether the dynamic graph keeps its in-edges. It makes no difference for an undirected graph.

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
            once = src <= dst  # only one of the two arcs of an edge; a self-loop has one arc
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
