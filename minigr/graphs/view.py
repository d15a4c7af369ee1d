"""The view of a graph in functors, in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs.given import require_graph
from minigr.graphs.layouts import kernels_of
from minigr.jit.graph_walk import walk
from minigr.memory import out_of_memory


class GraphView:
    """The view of a graph that a function of a functor gets as its parameter `graph`.

    A functor does not have to create the view. A parameter named `graph` has these methods on every device, for a
    `Graph` and a `DynamicGraph`. A functor may pass the view to a helper. Use the iterators in a ``for`` statement;
    they are compiled into the loop. Edges are the edges that leave a vertex.

    To call a function of a functor by hand, pass a view that is made from a graph.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Edges on a GPU are copied to the host. A view is not valid after an update of the graph.

    Attributes
    ----------
    num_vertices : int

    Raises
    ------
    GraphError
        If `graph` is not a graph, if a vertex does not exist, or if weights are read and the graph has none. In a
        functor, a vertex that does not exist raises `minigr.errors.FieldIndexError` in debug mode, and is not detected
        otherwise.

    Examples
    --------
    >>> import minigr as mg
    >>> class Heaviest(mg.Functor):
    ...     def apply(vertex, graph, heaviest):
    ...         for neighbor, edge, weight in graph.weighted_edges(vertex):
    ...             heaviest[vertex] = max(heaviest[vertex], weight)
    >>> class Problem(mg.Problem):
    ...     heaviest = mg.vertex_field(float)
    >>> g = mg.Graph.from_edges([0, 0, 1], [1, 2, 2], [4.0, 1.0, 2.0], device="cpu")
    >>> problem = Problem(g)
    >>> mg.operators.compute(problem, mg.Frontier.all_vertices(), Heaviest)
    >>> problem.heaviest
    array([4., 4., 2.])

    By hand:

    >>> heaviest = [0.0, 0.0, 0.0]
    >>> Heaviest.apply(2, mg.GraphView(g), heaviest)
    >>> heaviest
    [0.0, 0.0, 2.0]
    """

    @out_of_memory
    def __init__(self, graph: Any) -> None:
        require_graph(graph, "GraphView")
        out = _on_host(graph.out_edges)
        module = kernels_of(graph.layout)
        self.num_vertices: int = graph.num_vertices
        self._rows = module.rows(inward=False, ids=False, since=False)
        self._arrays = module.arrays(out, out, out.weights is not None)
        self._parts = self._rows.parts(self._arrays)
        self._weights = out.weights

    def degree(self, v: int) -> int:
        """Return the number of edges that leave vertex `v`. O(1)."""
        return int(self._rows.degree(self._arrays, self._vertex(v)))

    def has_edge(self, u: int, v: int) -> bool:
        """Return whether an edge leads from `u` to `v`. O(log degree) in a `Graph`, O(1) in a `DynamicGraph`."""
        return bool(v >= 0 and self._rows.find(self._parts, self._vertex(u), v) >= 0)

    def neighbors(self, v: int) -> Iterator[int]:
        """Yield the end vertex of each edge that leaves `v`. O(degree).

        A `Graph` yields neighbors in increasing order, a `DynamicGraph` in no particular order.
        """
        for neighbor, _ in self._walk(v):
            yield neighbor

    def edges(self, v: int) -> Iterator[tuple[int, int]]:
        """Yield each neighbor of `v` with the id of the edge, which is the index of the edge in edge fields."""
        yield from self._walk(v)

    def weighted_edges(self, v: int) -> Iterator[tuple[int, int, Any]]:
        """Yield each neighbor of `v` with the id of the edge and the weight of the edge."""
        if self._weights is None:
            raise GraphError("the graph has no weights: build it with weights=, or loop over edges(v)")
        for neighbor, edge in self._walk(v):
            yield neighbor, edge, self._weights[edge].item()

    def _walk(self, v: int) -> Iterator[tuple[int, int]]:
        rows = self._rows
        functions = rows.gaps, rows.row, rows.piece, rows.next_piece, rows.entry
        for neighbor, edge in walk(*functions, self._parts, self._vertex(v)):
            yield int(neighbor), int(edge)

    def _vertex(self, v: int) -> int:
        if not 0 <= v < self.num_vertices:
            raise GraphError(f"vertex {v} does not exist: the graph has {self.num_vertices} vertices, numbered from 0")
        return int(v)


def _on_host(rows: Any) -> Any:
    """The edges of a graph in arrays of the host."""
    arrays = {each.name: getattr(rows, each.name) for each in fields(rows)}
    return replace(rows, **{name: CPU.asarray(array) for name, array in arrays.items() if hasattr(array, "dtype")})
