"""A maximum matching of a bipartite graph, and a minimum vertex cover; `search.py` has searches and the reference."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from minigr.apps.bipartite import bipartite_sides, edge_within
from minigr.apps.bipartite_matching.search import NONE, AugmentingEnactor, augment
from minigr.apps.common.checks import require, takes_graph
from minigr.apps.common.tables import VertexTable
from minigr.apps.common.undirected import undirected
from minigr.apps.maximal_matching import maximal_matching
from minigr.errors import GraphError
from minigr.missing import refuse_masked
from minigr.program.control import Driver


@dataclass(frozen=True)
class BipartiteMatchingResult(VertexTable, columns=("mate", "cover"), vertices=("mate",)):
    """A maximum matching, in which no two edges share an end, and a minimum vertex cover.

    Attributes
    ----------
    mate : int32 array, one for each vertex
        The other end of the vertex's edge in the matching; -1 for unmatched vertices and for deleted vertices.
    size : int
        The number of edges in the matching.
    cover : bool array, one for each vertex
        A minimum vertex cover: `size` vertices such that each edge of the graph has at least one end in the cover. No
        cover is smaller, because each edge of the matching needs its own vertex. No matching is larger, because each of
        its edges needs its own vertex of the cover.
    iterations : int
        The number of searches for augmenting paths.
    """

    mate: Any
    size: int
    cover: Any
    iterations: int


@takes_graph
def maximum_bipartite_matching(graph: Any, side: Any = None, *, driver: Driver = "auto") -> BipartiteMatchingResult:
    """A maximum matching of a bipartite graph, in which no two edges share an end, and a minimum vertex cover.

    The algorithm begins with `maximal_matching` and augments the matching until there is no augmenting path. The last
    search also gives the cover (Konig 1931). Directions, weights and parallel edges are ignored. The result is the same
    in every run. A search takes O(vertices + edges) work. The number of searches depends on the graph, and is small in
    most graphs (Azad, Buluc, Pothen 2017). Memory is 28 bytes for each vertex. A `DynamicGraph` is first copied into
    rows. A directed graph is first copied without its directions.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Bipartite.
    side : array of 0 and 1, one for each vertex, optional
        The side of each vertex. By default, the sides that `bipartite_sides` finds.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph is not bipartite.
    ProblemError
        If `side` has another length or other values, or an edge is within a side. If `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 0, 1, 2], [3, 4, 3, 3], device="cpu")
    >>> result = mg.maximum_bipartite_matching(g)
    >>> result.mate, result.size
    (array([ 4,  3, -1,  1,  0], dtype=int32), 2)
    >>> result.cover
    array([False, False, False,  True,  True])
    """
    rows = graph if graph.layout == "csr" else graph.to_graph()
    side = _sides(rows, side, driver)
    rows = undirected(rows)[0]
    search = AugmentingEnactor(rows, driver=driver, mate=maximal_matching(rows, driver=driver).mate)
    problem, device = search.problem, graph._device
    ids = device.xp.arange(graph.num_vertices, dtype=np.int32)
    free = problem.mate < 0
    begin = int(int((free & (side == 1)).sum()) < int((free & (side == 0)).sum()))  # the side with fewer free vertices
    roots, searches = ids[device.expect(free & (side == begin), len(ids) // 8)], 0
    for _ in device.rounds(count()):
        left, searches = augment(search, roots), searches + 1
        if len(left) == len(roots):
            break
        roots = left
    cover = device.xp.where(side == begin, problem.root < 0, problem.reached != NONE)
    return BipartiteMatchingResult(problem.mate, int(cover.sum()), cover, searches)


def _sides(graph: Any, side: Any, driver: Driver) -> Any:
    """The side of each vertex: computed if `side` is None, and checked otherwise."""
    if side is None:
        found = bipartite_sides(graph, driver=driver)
        if found.odd_edge is not None and not graph._device.is_rehearsed:
            u, v = found.odd_edge
            raise GraphError(f"maximum_bipartite_matching takes a bipartite graph, but edge {u}-{v} is in an odd cycle")
        return found.side
    refuse_masked(side, "side")
    given = graph._device.asarray(side)
    wanted = f"an array of 0 and 1, one for each of {graph.num_vertices} vertices"
    require(given.shape == (graph.num_vertices,) and given.dtype.kind in "iub", f"side must be {wanted}")
    require(bool(((given == 0) | (given == 1)).all()), f"side must be {wanted}, but has other values")
    edge = edge_within(graph, given.astype(np.int32))
    if edge is not None and not graph._device.is_rehearsed:
        require(False, f"side: both ends of edge {edge[0]}-{edge[1]} are in side {int(given[edge[0]])}")
    return given
