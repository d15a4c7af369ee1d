"""Shortest paths from one vertex, or from the nearest of several, by near-far worklists, and a tree of parents.

Davidson, Baxter, Garland, Owens, Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths (IPDPS 2014).
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_source, require_nonnegative_weights, takes_parts
from minigr.apps.common.paths import HasPaths
from minigr.apps.common.sources import choose_sources
from minigr.apps.common.tables import VertexTable
from minigr.apps.sssp.parents import shortest_path_parents
from minigr.cached import cached_property
from minigr.enactor.enactor import Enactor
from minigr.errors import ProblemError
from minigr.graphs.checks import is_single
from minigr.graphs.partitioned.graph import PartitionedGraph
from minigr.jit.atomics import atomic_min
from minigr.jit.functor import Functor
from minigr.memory import out_of_memory
from minigr.operators.options import Balance
from minigr.program.control import Driver
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem
from minigr.program.trace import Trace

# The width of a band of distances on a GPU is this number of mean weights, divided by the mean degree to the power 1.5.
# Section 5.3 of the paper uses 32 divided by the degree. But if degrees are low, narrow steps take as long as wide
# ones, so wide bands save steps; and if degrees are high, wide bands relax too many edges twice.
_CUDA_WIDTH = 512.0
# The same if several GPUs run the loop together. Then no thread can run ahead of its step, so wide bands relax more
# edges twice. Each step waits for all GPUs, so bands are still much wider than on a CPU.
_PARTS_WIDTH = 170.0
# A CPU gains nothing from wide frontiers, so it uses narrow bands, which relax fewer edges twice. Their width is
# `_CPU_WIDTH` mean weights, divided by the greater of two numbers: the mean degree to the power `_CPU_POWER`, and the
# geometric mean of the mean degree and the greatest degree. In a graph with hubs, distances are short, and each band
# holds many vertices. Each band examines all vertices that wait, so no band is narrower than a fraction of the mean
# weight.
_CPU_WIDTH, _CPU_POWER, _LEAST_CPU_WIDTH = 24.0, 1.4, 1 / 32


def distance_dtype(graph: Any) -> Any:
    """float32 for weights of float32; float64 for all others, which is exact for integer distances up to 2**53."""
    return np.float32 if graph.weight_dtype == np.float32 else np.float64


class SSSPProblem(Problem):
    distance = vertex_field(distance_dtype, fill=np.inf)


class SSSPFunctor(Functor):
    def cond_advance(src, dst, weight, distance):
        through = distance[src] + weight
        return through < distance[dst] and through < atomic_min(distance, dst, through)

    def priority(vertex, distance):
        return distance[vertex]


class SSSPEnactor(Enactor, problem=SSSPProblem, functor=SSSPFunctor, looks_at=("balance", "width")):
    balance: Balance = "auto"

    def start(self, sources: Any, width: float) -> Frontier:
        self.width = width
        self.graph._device.put(self.problem.distance, sources, 0)
        return Frontier.of(sources)

    def step(self, frontier: Handle) -> Handle:
        return self.near_far(self.advance(frontier, balance=self.balance), width=self.width)


@dataclass(frozen=True)
class SSSPResult(HasPaths, VertexTable, columns=("distance", "parent"), vertices=("parent",)):
    """Distances and parents of shortest paths; `path_to` makes a path from the parents.

    Attributes
    ----------
    distance : float32 or float64 array, one for each vertex
        Length of a shortest path from the source, or from the nearest of several sources; inf if there is no path.
    iterations : int
    trace : Trace or None
    """

    distance: Any
    iterations: int
    trace: Trace | None
    _parents: Any = field(repr=False, compare=False)  # or a function that finds them

    _length, _never = "distance", math.inf

    @cached_property
    @out_of_memory
    def parent(self) -> Any:
        """int32, one for each vertex: the previous vertex on a shortest path; -1 for sources and if there is no path.

        A `Graph` does not change, so its parents are found from the distances on first access, in O(vertices + edges).
        Until then, the result keeps the graph, and `distance` must not be written to. The same holds for a
        `PartitionedGraph` in one process. For other graphs, the parents are found together with the distances.

        Raises
        ------
        ProblemError
            If `distance` was written to, and no tree fits its present values.
        """
        found = self._parents() if callable(self._parents) else self._parents
        self.__dict__["_parents"] = found  # replaces the function, which holds the graph
        return found

    def __getstate__(self) -> dict[str, Any]:
        # A pickled result or a copy has the parents instead of the function that holds the graph.
        return self.__dict__ | {"_parents": self.parent}


def default_delta(graph: Any, algorithm: str) -> float:
    """The default width of a band of distances; raises `GraphError` for weights that `algorithm` cannot handle."""
    mean = require_nonnegative_weights(graph, algorithm)
    degree = graph.num_arcs / max(graph.num_vertices, 1) or 1.0
    if graph._device.is_cuda:
        width = _CUDA_WIDTH / degree**1.5
    elif graph.layout == "parts" and graph.parts[0].device.is_cuda:
        width = _PARTS_WIDTH / degree**1.5
    else:
        busy = max(math.sqrt(degree * max(graph.max_degree(), 1)), degree**_CPU_POWER)
        width = max(_CPU_WIDTH / busy, _LEAST_CPU_WIDTH)
    return min(mean * width, sys.float_info.max) or 1.0


def check_delta(delta: float | None, default: float, algorithm: str) -> float:
    """Return `delta`, or the default if `delta` is None.

    Raises
    ------
    ProblemError
        If `delta` is not a finite number above 0.
    """
    if delta is not None and not (isinstance(delta, (int, float, np.number)) and math.isfinite(delta) and delta > 0):
        raise ProblemError(f"{algorithm}: delta={delta!r} must be a finite number above 0, or None to have one chosen")
    return default if delta is None else delta


@takes_parts
def sssp(
    graph: Any,
    source: Any,
    *,
    delta: float | None = None,
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> SSSPResult:
    """Shortest paths from `source` along the direction of edges, for weights of at least 0.

    Distances are float32 for float32 weights and float64 for other weights, and the same in every run. If a vertex has
    several possible parents, the choice may differ from run to run. A vertex that is farther than the greatest number
    of the dtype counts as out of reach. For a `Graph`, or a `PartitionedGraph` in one process, parents are found when
    the result's ``parent`` or ``path_to`` is first used.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    source : int or sequence of int
        A vertex, or several vertices, all at distance 0. Each vertex is reached from the nearest source.
    delta : float, optional
        Width of the bands of distance that are processed one after the other. By default, the width is chosen from the
        mean weight and degree. The width changes only the speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If the graph has no weights, a negative or infinite weight, or no vertex `source`.
    ProblemError
        If `delta` is not a finite number above 0, if one of several sources is given twice, or if `balance` or `driver`
        is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 0], [1, 2, 2], [1.0, 1.0, 5.0], device="cpu")
    >>> result = mg.sssp(g, 0)
    >>> result.distance, result.parent
    (array([0., 1., 2.]), array([-1,  0,  1], dtype=int32))
    >>> mg.sssp(g, [0, 2]).distance
    array([0., 1., 0.])
    >>> result.path_to(2)
    array([0, 1, 2], dtype=int32)
    """
    width = check_delta(delta, default_delta(graph, "sssp"), "sssp")
    single = is_single(source)
    source = check_source(graph, source) if single else choose_sources(graph, source, None, 0, "sssp")
    enactor = SSSPEnactor(graph, trace=trace, driver=driver)
    enactor.balance = balance
    enactor.run(source, width)
    distance = enactor.problem.distance
    parents = partial(shortest_path_parents, graph, source, distance, driver)
    found = parents if _stays_here(graph) else parents()
    return SSSPResult(distance, enactor.iterations, enactor.trace, found)


def _stays_here(graph: Any) -> bool:
    """Whether parents can be computed later: the graph cannot change, and no other process must take part."""
    return graph.layout == "csr" or (isinstance(graph, PartitionedGraph) and graph._exchange.in_one_process)
