"""The two sides of a bipartite graph by the parity of hops, or an edge of an odd cycle.

Konig (1916): a graph is bipartite if and only if it has no odd cycle. An edge within a side closes an odd cycle with
the paths from its ends up the breadth-first tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.tables import VertexTable
from minigr.apps.common.undirected import undirected
from minigr.apps.forest import breadth_first_forest
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.program.control import Driver
from minigr.program.fields import scalar_field, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem

_NONE = 2**63 - 1
_VERTEX = 2**32 - 1


class SidesProblem(Problem):
    depth = vertex_field(np.int32)
    within = scalar_field(np.int64)  # the least edge within a side: the lesser end in the upper bits, the greater below


class Within(Functor):
    def map(src, dst, depth):
        return np.int64(_NONE if (depth[src] ^ depth[dst]) & 1 else min(src, dst) << 32 | max(src, dst))

    def apply_reduce(vertex, value):
        return value


@dataclass(frozen=True)
class BipartiteResult(VertexTable, columns=("side",)):
    """The sides of a graph.

    Attributes
    ----------
    side : int32 array, one for each vertex
        0 or 1. The least vertex of each connected component has side 0. The side of another vertex is the parity of the
        hops from the least vertex, even if the graph is not bipartite. -1 for deleted vertices.
    bipartite : bool
        Whether each edge goes from one side to the other.
    odd_edge : tuple of two ints, or None
        If the graph is not bipartite, the ends of an edge within a side, the lesser end first. Such an edge is in an
        odd cycle. Of several such edges, it is the first one in the order of the ends. A self-loop is an odd cycle.
    """

    side: Any
    bipartite: bool
    odd_edge: tuple[int, int] | None


@takes_graph
def bipartite_sides(graph: Any, *, driver: Driver = "auto") -> BipartiteResult:
    """Two sides of the vertices with all edges between them, or an edge of an odd cycle if no such sides exist.

    Directions of edges are ignored. The result is the same in every run. There are as many steps as a search has
    levels. The work is nearly O(vertices + edges), and memory is 20 bytes for each vertex. A directed graph is first
    copied without its directions.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    ProblemError
        If `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> mg.bipartite_sides(mg.generate.path(4, device="cpu")).side
    array([0, 1, 0, 1], dtype=int32)
    >>> mg.bipartite_sides(mg.generate.cycle(5, device="cpu")).odd_edge
    (2, 3)
    """
    depth = breadth_first_forest(undirected(graph)[0], driver).depth
    edge = edge_within(graph, depth)
    side, live = graph._device.full(graph.num_vertices, -1, np.int32), Frontier.all_vertices().vertices_on(graph)
    side[live] = depth[live] & 1
    return BipartiteResult(side, edge is None, edge)


def edge_within(graph: Any, depth: Any) -> tuple[int, int] | None:
    """The ends of the least edge between vertices of the same parity, the lesser end first; None if there is none."""
    problem = SidesProblem(graph, depth=depth)
    neighbor_reduce(problem, Frontier.all_vertices(), Within, reduce="min", scalar="within", scalar_reduce="min")
    within = int(graph._device.number(problem.within))
    return None if within == _NONE else (within >> 32, within & _VERTEX)
