"""The number of cliques with a given number of vertices.

Chiba, Nishizeki, Arboricity and Subgraph Listing Algorithms (SIAM Journal on Computing 14, 1985); Danisch, Balalau,
Sozio, Listing k-Cliques in Sparse Real-World Graphs (WWW 2018). Each edge is directed from the greater number to the
lesser, so that each clique is found once: from the triangle of its three vertices with the greatest numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.apps.cliques.extend import CliqueProblem, OfFive, OfFour, OfSix
from minigr.apps.common.checks import takes_graph
from minigr.apps.common.orientation import oriented
from minigr.apps.triangles import triangle_count
from minigr.enactor.enactor import Enactor
from minigr.graphs.checks import whole_number
from minigr.jit.functor import Functor
from minigr.program.control import Driver
from minigr.program.executor import check_driver
from minigr.program.frontier import Frontier, Handle
from minigr.program.trace import Trace

_BY_SIZE: dict[int, type[Functor]] = {4: OfFour, 5: OfFive, 6: OfSix}


class CliqueEnactor(Enactor, problem=CliqueProblem, looks_at=("hubs", "size")):
    hubs: int | None = None  # the number of first vertices, those with most neighbors, whose rows are stored as bits
    size: int = 4

    def start(self) -> Frontier:
        return Frontier.all_edges()

    def step(self, frontier: Handle) -> None:
        self.intersect(frontier, _BY_SIZE[self.size], hubs=self.hubs)


@dataclass(frozen=True)
class CliqueResult:
    """The cliques of a graph that have a given number of vertices.

    Attributes
    ----------
    total : int
    iterations : int
        1, or 0 if no search was needed.
    trace : Trace or None
    """

    total: int
    iterations: int
    trace: Trace | None


@takes_graph
def clique_count(graph: Any, k: int, *, trace: bool = False, driver: Driver = "auto") -> CliqueResult:
    """Count the cliques of `k` vertices: sets in which every two vertices are neighbors, maximal or not.

    Directions, parallel edges and self-loops are ignored. Counts are exact, and the same in every run. The work is at
    most O(m a^(k-2) log a) for m edges, where a is the greatest number of edges that leave a vertex of the oriented
    graph. In a skewed graph, a is at most the square root of 2 m. The number of cliques may be very large. Memory is 8
    bytes for each vertex, plus 4 bytes for each edge for an oriented copy, in which each edge has one direction. The
    copy is kept with the graph until the graph changes.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    k : int
        From 1 to 6. Cliques of one vertex are vertices, cliques of two are edges, and cliques of three are triangles.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If `k` is not a whole number from 1 to 6.
    ProblemError
        If `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.generate.complete(6, device="cpu")
    >>> [mg.clique_count(g, k).total for k in range(1, 7)]
    [6, 15, 20, 15, 6, 1]
    """
    size = whole_number(k, "clique_count: k", 1, 6)
    driver = check_driver(driver, graph, trace)
    if size < 3:
        total = graph.num_live_vertices if size == 1 else oriented(graph).graph.num_arcs
        return CliqueResult(total, 0, Trace() if trace else None)
    if size == 3:
        triangles = triangle_count(graph, trace=trace, driver=driver)
        return CliqueResult(triangles.total, triangles.iterations, triangles.trace)
    way = oriented(graph)
    enactor = CliqueEnactor(way.graph, max_iterations=1, trace=trace, driver=driver)
    enactor.hubs, enactor.size = way.hubs, size
    enactor.run()
    return CliqueResult(int(enactor.problem.cliques.sum()), enactor.iterations, enactor.trace)
