"""A maximal matching: `order.py` defines the matching, and `rounds.py` finds it with many threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.tables import VertexTable
from minigr.apps.maximal_matching.order import BITS, InOrder, length_of_stretches
from minigr.apps.maximal_matching.rounds import MANY, InRounds
from minigr.generate.keys import stream_key
from minigr.graphs.checks import whole_number
from minigr.program.control import Driver
from minigr.program.node import check_choice
from minigr.program.trace import Trace

Method = Literal["auto", "order", "rounds"]


@dataclass(frozen=True)
class MatchingResult(VertexTable, columns=("mate",), vertices=("mate",)):
    """A set of edges without a common end, to which no edge can be added.

    Attributes
    ----------
    mate : int32 array, one for each vertex
        The other end of the vertex's edge in the matching; -1 for a vertex without such an edge, and for a deleted
        vertex.
    size : int
        Number of edges in the matching.
    iterations : int
        Number of rounds; 1 if one thread found the matching.
    trace : Trace or None
    """

    mate: Any
    size: int
    iterations: int
    trace: Trace | None


@takes_graph
def maximal_matching(
    graph: Any, seed: int = 0, *, method: Method = "auto", trace: bool = False, driver: Driver = "auto"
) -> MatchingResult:
    """A set of edges without a common end, to which no edge can be added.

    The matching has at least half as many edges as a maximum matching. Directions, weights, parallel edges and
    self-loops are ignored. The matching is the result of visiting the vertices in an order, in which each vertex takes
    its first free neighbor. The order depends only on the number of vertices and `seed`. The algorithm takes
    O(vertices + edges) work at most, and far less in most graphs, because a vertex visits only a few of its edges.
    Memory is 4 bytes for each vertex, and 16 bytes in rounds. A `DynamicGraph` is copied into rows first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    seed : int
        Seed of the order.
    method : {"auto", "order", "rounds"}
        ``"order"``: one thread of the host visits the vertices in the order; a graph on a GPU is copied to the host.
        ``"rounds"``: all threads choose at the same time, and wrong choices are repeated until all choices are right
        (Blelloch, Fineman, Shun, SPAA 2012). Each round takes O(vertices + edges) work at most. Few rounds are needed
        unless vertices wait for each other in long chains. ``"auto"``: ``"rounds"`` on a GPU, then ``"order"`` if many
        rounds are not enough; ``"order"`` on a CPU. The method changes the speed only.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If `seed` is not a whole number of 64 bits.
    ProblemError
        If `method` or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.maximal_matching(mg.generate.path(5, device="cpu"))
    >>> result.mate, result.size
    (array([ 1,  0,  3,  2, -1], dtype=int32), 2)
    """
    check_choice(method, get_args(Method), "maximal_matching: method")
    key = stream_key(whole_number(seed, "seed", -(2**63), 2**64 - 1), 0) & BITS
    rows = graph if graph.layout == "csr" else graph.to_graph()
    stretch = length_of_stretches(graph.num_vertices)
    enactor = _run(rows, method, trace=trace, driver=driver, stretch=stretch, key=key)
    device = graph._device
    mate = device.asarray(enactor.problem.mate)
    return MatchingResult(mate, int(device.xp.count_nonzero(mate >= 0)) // 2, enactor.iterations, enactor.trace)


def _run(rows: Any, method: Method, **options: Any) -> InOrder:
    """Find the matching and return the enactor."""
    if method == "rounds" or (method == "auto" and rows._device.is_cuda):
        most = MANY if method == "auto" else None
        in_rounds = InRounds(rows, max_iterations=most, **options)
        in_rounds.run()
        if in_rounds.iterations != most:
            return in_rounds
    on_host = options | {"driver": "auto"} if options["driver"] == "graph" else options  # no GPU runs this loop
    in_order = InOrder(rows.to("cpu"), **on_host)
    in_order.run()
    return in_order
