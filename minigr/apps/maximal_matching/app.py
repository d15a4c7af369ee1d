"""A maximal matching; `rounds.py` has the loop and the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.tables import VertexTable
from minigr.apps.maximal_matching.rounds import BITS, MatchingEnactor
from minigr.generate.finish import whole_number
from minigr.generate.keys import stream_key
from minigr.program.control import Driver
from minigr.program.trace import Trace


@dataclass(frozen=True)
class MatchingResult(VertexTable, columns=("mate",), vertices=("mate",)):
    """Edges without an end in common; no edge can be added to them.

    Attributes
    ----------
    mate : int32 array, one for each vertex
        The other end of its edge; -1 for a vertex without one, and for a vertex that was deleted.
    size : int
        How many edges there are.
    iterations : int
    trace : Trace or None
    """

    mate: Any
    size: int
    iterations: int
    trace: Trace | None


@takes_graph
def maximal_matching(graph: Any, seed: int = 0, *, trace: bool = False, driver: Driver = "auto") -> MatchingResult:
    """Edges without an end in common, so many that no edge can be added.

    There are at least half as many as there can be. Directions, weights, parallel edges and self-loops are no matter.
    The matching depends on the graph and `seed` alone. A step takes O(vertices + edges) work at most, and in most
    graphs far less, because a vertex looks at a few of its edges. Steps are few (Birn, Osipov, Sanders, Schulz,
    Sitchinava, Euro-Par 2013). Takes 24 bytes of memory for each vertex; a `DynamicGraph` is copied into rows first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    seed : int
        Of the order in which edges come.
    trace : bool
        Keep a table of the steps in ``result.trace``, as an `Enactor` does. Slower.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Raises
    ------
    GraphError
        If `seed` is not a whole number of 64 bits.
    ProblemError
        For an unknown driver.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.maximal_matching(mg.generate.path(5, device="cpu"))
    >>> result.mate, result.size
    (array([ 1,  0,  3,  2, -1], dtype=int32), 2)
    """
    key = stream_key(whole_number(seed, "seed", -(2**63), 2**64 - 1), 0) & BITS
    rows = graph if graph.layout == "csr" else graph.to_graph()
    enactor = MatchingEnactor(rows, trace=trace, driver=driver, key=key)
    enactor.run()
    mate = enactor.problem.mate
    return MatchingResult(mate, int((mate >= 0).sum()) // 2, enactor.iterations, enactor.trace)
