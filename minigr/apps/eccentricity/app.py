"""Eccentricities, the diameter and the radius of a graph, by hops.

`bounds.py` has the algorithm for undirected graphs and the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.sources import choose_sources
from minigr.apps.common.tables import VertexTable
from minigr.apps.eccentricity.bounds import Bounds
from minigr.apps.eccentricity.tighten import eccentricities
from minigr.apps.multi_source_bfs import TOGETHER
from minigr.device import device_of
from minigr.errors import GraphError
from minigr.graphs.checks import whole_number
from minigr.memory import out_of_memory
from minigr.program.control import Driver
from minigr.program.executor import Progress


@dataclass(frozen=True)
class EccentricityResult(VertexTable, columns=("eccentricity",)):
    """Eccentricities of vertices.

    Attributes
    ----------
    eccentricity : int32 array, one for each vertex
        Number of hops to the farthest vertex that the vertex reaches. -1 for vertices that were not requested and for
        deleted vertices.
    diameter, radius : int
        The greatest and the least eccentricity; 0 if there are no eccentricities.
    num_searches : int
        Number of searches. Each search is from one vertex of each connected component, or from up to 64 vertices.
    """

    eccentricity: Any
    diameter: int
    radius: int
    num_searches: int

    @property
    @out_of_memory
    def center(self) -> Any:
        """int32: the vertices whose eccentricity is the radius, in increasing order."""
        return self._at(self.radius)

    @property
    @out_of_memory
    def periphery(self) -> Any:
        """int32: the vertices whose eccentricity is the diameter, in increasing order."""
        return self._at(self.diameter)

    def _at(self, value: int) -> Any:
        return device_of(self.eccentricity).xp.flatnonzero(self.eccentricity == value).astype(np.int32)


@takes_graph
def eccentricity(
    graph: Any, vertices: Any = None, *, progress: Progress | None = None, driver: Driver = "auto"
) -> EccentricityResult:
    """The number of hops from each vertex to the farthest vertex that it reaches, along the direction of edges.

    The result is the same in every run. For all vertices of an undirected graph, a few searches are enough if some
    vertices are much farther from others than the rest, as in most networks. In the worst case, for example in a cycle,
    where all vertices are alike, the function needs one search for each 64 vertices. Directed graphs and given
    `vertices` also need one search for each 64 vertices. A search takes O(vertices + edges) work; a search from 64
    vertices takes about ten times as much work. Memory is 256 bytes for each vertex.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    vertices : sequence of int, optional
        The vertices whose eccentricity is computed. By default, all vertices.
    progress : callable, optional
        Called after each search with the number of known eccentricities and the number of all requested eccentricities.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If one of `vertices` is not a vertex of the graph.
    ProblemError
        If a vertex is given twice, or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.eccentricity(mg.generate.path(5, device="cpu"))
    >>> result.eccentricity, result.diameter, result.radius, result.center
    (array([4, 3, 2, 3, 4], dtype=int32), 4, 2, array([2], dtype=int32))
    """
    chosen = choose_sources(graph, vertices, None, 0, "eccentricity")
    found = graph._device.full(graph.num_vertices, -1, np.int32)
    if vertices is None and not graph.directed:
        bounds = Bounds(graph, driver, only_diameter=False)
        bounds.tighten(None, progress)
        searches, known = bounds.searches, graph._device.asarray(chosen)
        found[known] = bounds.problem.upper[known]
    else:
        # In an estimate, the values of `chosen` are known only if the user gave them.
        values_of = graph._device.host.numbers if vertices is None else list
        searches = _search_from_each(graph, chosen, values_of, found, progress, driver)
    of_all = found[graph._device.asarray(chosen)]
    ends = (int(of_all.max()), int(of_all.min())) if len(of_all) else (0, 0)
    return EccentricityResult(found, *ends, searches)


def _search_from_each(
    graph: Any, chosen: Any, values_of: Callable[[Any], Any], found: Any, progress: Progress | None, driver: Driver
) -> int:
    """Compute the eccentricities of the chosen vertices; return the number of searches."""
    begins = range(0, len(chosen), TOGETHER)
    for begin in graph._device.rounds(begins):
        some = chosen[begin : begin + TOGETHER]
        found[graph._device.asarray(some)] = eccentricities(graph, values_of(some), driver).most
        if progress is not None:
            progress(begin + len(some), len(chosen))
    return len(begins)


@dataclass(frozen=True)
class DiameterResult:
    """The diameter of a graph, or bounds on the diameter.

    Attributes
    ----------
    lower, upper : int
        Lower and upper bound of the diameter. The bounds are equal unless `max_searches` ended the search.
    ends : tuple of two ints, or None
        Two vertices that are `lower` hops apart; None in a graph without vertices.
    num_searches : int
        Number of searches. Each search is from one vertex of each connected component, or from up to 64 vertices.
    """

    lower: int
    upper: int
    ends: tuple[int, int] | None
    num_searches: int

    @property
    def diameter(self) -> int | None:
        """The diameter; None if it is not known exactly."""
        return self.lower if self.lower == self.upper else None


@takes_graph
def diameter(
    graph: Any, *, max_searches: int | None = None, progress: Progress | None = None, driver: Driver = "auto"
) -> DiameterResult:
    """The greatest number of hops between two vertices of a connected component of an undirected graph.

    The result is the same in every run. Usually, a few dozen searches are enough. Each search takes O(vertices + edges)
    work. In the worst case, for example in a complete graph, the function needs one search for each 64 vertices. Memory
    is 44 bytes for each vertex, and 256 bytes after 64 searches.

    Parameters
    ----------
    graph : Graph or DynamicGraph
        Undirected.
    max_searches : int, optional
        Maximum number of searches, at least 1. If the maximum is reached, the result has only bounds. Two searches are
        a double sweep, whose lower bound is usually near the diameter.
    progress : callable, optional
        Called after each search with the number of settled vertices and the number of all vertices. A settled vertex is
        known to be no farther from any other vertex than the two farthest vertices found so far are from each other.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph is directed, or `max_searches` is not a whole number of at least 1.
    ProblemError
        If `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.diameter(mg.generate.lattice(20, 30, device="cpu"))
    >>> result.diameter, result.ends
    (48, (599, 0))
    >>> result = mg.diameter(mg.generate.cycle(100, device="cpu"), max_searches=2)
    >>> result.lower, result.upper
    (50, 87)
    """
    if graph.directed:
        raise GraphError("diameter takes an undirected graph: for a directed graph use eccentricity(graph).diameter")
    most = None if max_searches is None else whole_number(max_searches, "diameter: max_searches", 1, 2**63 - 1)
    bounds = Bounds(graph, driver, only_diameter=True)
    bounds.tighten(most, progress)
    upper = int(bounds.problem.upper[bounds.open.ids].max()) if len(bounds.open) else bounds.least
    return DiameterResult(bounds.least, upper, bounds.ends, bounds.searches)
