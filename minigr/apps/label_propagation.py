"""Communities by label propagation: a vertex takes the most frequent label of its neighbors, counted by edges.

Raghavan, Albert, Kumara, Near Linear Time Algorithm to Detect Community Structures in Large-Scale Networks (Physical
Review E 76, 2007). If all vertices took labels at once, labels would oscillate, on bipartite graphs forever. If the
colors of a coloring took turns (Cordasco, Gargano, Community Detection via Semi-Synchronous Label Propagation
Algorithms, BASNA 2010), each color would need a step. Here all vertices take labels at once, with one exception: if two
neighbors both change, and one takes the label that the other gives up, the vertex with the lesser random number waits.
Then each step increases the number of edges within communities, and the steps end (Barber, Clark, Detecting Network
Communities by Propagating Labels under Constraints, Physical Review E 80, 2009, describe the quantity that increases).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import require_nonnegative_weights, takes_parts
from minigr.apps.common.greedy import random_order
from minigr.apps.common.tables import VertexTable
from minigr.apps.common.undirected import both_ways
from minigr.apps.common.whole_weights import WeightProblem, set_units, whole
from minigr.enactor.enactor import Enactor
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce, reduce_by_key
from minigr.program.control import Driver, Stop
from minigr.program.executor import Progress
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.trace import Trace

MIX = 0x2C1B3C6D  # odd, so the products of labels and `MIX`, in 31 bits, are distinct
LABEL = (1 << 31) - 1
_UNMIX = pow(MIX, -1, 1 << 31)
_OWN = -1  # the least key, so that it wins among keys with the same count
_NONE = 1 << 31  # more than any key


class LabelProblem(WeightProblem):
    label = vertex_field(np.int32, fill=-1)
    wish = vertex_field(np.int32, fill=-1)  # the label to take; -1: none
    held = vertex_field(np.int32)  # the last step in which the vertex waited for a neighbor
    order = vertex_field(np.int64)  # distinct random numbers


class Vote(Functor):
    """Finds the wish of each vertex: the label with the greatest count around it, unless its own counts as much."""

    def key(src, dst, label):
        return np.int32(_OWN if label[dst] == label[src] else LABEL - (label[dst] * MIX & LABEL))

    def map(src, dst):
        return np.int32(src != dst)

    def apply_best(vertex, key, value, wish):
        wish[vertex] = -1 if key == _OWN or value == 0 else (LABEL - key) * _UNMIX & LABEL

    def cond_filter(vertex, wish):
        return wish[vertex] >= 0


class WeightedVote(Vote):
    def map(src, dst, weight, scale, unit):
        return whole(weight, scale, unit[src]) if src != dst else np.int32(0)


class FirstVote(Functor):
    """As `Vote`, for distinct labels and edges that count equally: the wish is the neighboring label of least key."""

    def map(src, dst, label):
        return np.int64(LABEL - (label[dst] * MIX & LABEL)) if src != dst else np.int64(_NONE)

    def apply_reduce(vertex, value, wish):
        wish[vertex] = -1 if value == _NONE else (LABEL - value) * _UNMIX & LABEL


class Hold(Functor):
    def cond_advance(src, dst, label, wish, order):
        meets = wish[src] == label[dst] or wish[dst] == label[src]
        return meets and wish[dst] >= 0 and order[dst] > order[src]

    def apply_advance(src, iteration, held):
        held[src] = iteration


class Change(Functor):
    def apply(vertex, iteration, label, wish, held):
        if held[vertex] != iteration:
            label[vertex], wish[vertex] = wish[vertex], -1

    def cond_advance(src, dst, iteration, held):
        return held[src] != iteration or held[dst] == iteration  # neighbors of changed vertices, and waiting vertices


class LabelEnactor(Enactor, problem=LabelProblem, looks_at=("_vote",)):
    def start(self, live: Any) -> Frontier:
        """Give each vertex that was not deleted its own label, and find its first wish."""
        frontier, problem = Frontier("vertices", ids=live, distinct=True), self.problem
        problem.label[live] = live
        if self.graph.weighted or self.graph.has_parallel_edges:
            reduce_by_key(problem, frontier, self._vote, dtype=np.int32)
        else:
            neighbor_reduce(problem, frontier, FirstVote, reduce="min", initial=_NONE)
        return frontier

    def step(self, frontier: Handle) -> Handle:
        changing = self.filter(frontier, Vote)
        self.advance(changing, Hold, output=None)
        self.compute(changing, Change)
        around = self.advance(changing, Change)
        self.reduce_by_key(around, self._vote, dtype=np.int32)
        return around

    @property
    def _vote(self) -> type[Vote]:
        return WeightedVote if self.graph.weighted else Vote


@dataclass(frozen=True)
class LabelPropagationResult(VertexTable, columns=("label",)):
    """Communities.

    Attributes
    ----------
    label : int32 array, one for each vertex
        The label of the vertex's community: the id of a vertex, which is not always in the community. All vertices of a
        community have the same label. -1 for a deleted vertex.
    num_communities : int
    iterations : int
    converged : bool
        False if `max_iter` ended the iteration.
    trace : Trace or None
    """

    label: Any
    num_communities: int
    iterations: int
    converged: bool
    trace: Trace | None


@takes_parts
def label_propagation(
    graph: Any,
    seed: int = 0,
    max_iter: int = 1000,
    *,
    progress: Progress | None = None,
    trace: bool = False,
    driver: Driver = "auto",
) -> LabelPropagationResult:
    """Communities of vertices, by labels that spread along edges until no vertex has a reason to change its label.

    At the end, no label has more edges around a vertex, or more weight of edges, than the vertex's own label. A vertex
    keeps its label while no other label counts more. If several other labels count the same, the vertex takes the label
    that comes last in a fixed order, which favors neither the least nor the greatest id. If a vertex takes the label
    that its neighbor gives up, one of the two vertices waits, as decided by a random order that depends on `seed`.
    Labels therefore do not oscillate, as they would on a bipartite graph if all vertices changed at the same time. The
    result depends only on the graph and `seed`, not on the device.

    Directions and self-loops are ignored, and each parallel edge counts. Each weight at a vertex is rounded to
    about a part in 2**30 of the sum of the weights at the vertex; whole numbers with a smaller sum are not rounded.

    Each step visits the edges of the vertices that had a change around them. Memory is 50 bytes for each vertex, plus
    the memory of `minigr.operators.reduce_by_key` with keys and values of 32 bits. A directed or dynamic graph is
    copied first. A `PartitionedGraph` must be undirected.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    seed : int
        Seed of the random order.
    max_iter : int
        Maximum number of steps.
    progress : callable, optional
        Called a few times a second with the number of finished steps and the maximum number of steps.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If an edge weight is negative or infinite, if `seed` is not a whole number of 64 bits, or if the graph is a
        directed `PartitionedGraph`.
    ProblemError
        If `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], device="cpu")
    >>> result = mg.label_propagation(g)
    >>> result.label, result.num_communities
    (array([2, 2, 2, 5, 5, 5], dtype=int32), 2)
    """
    if graph.weighted:
        require_nonnegative_weights(graph, "label_propagation")
    order, live = random_order(graph, seed), Frontier.all_vertices().vertices_on(graph)
    rows = both_ways(graph)
    enactor = LabelEnactor(rows, max_iterations=max_iter, progress=progress, trace=trace, driver=driver, order=order)
    problem = enactor.problem
    set_units(problem)
    enactor.run(live)
    there = problem.device.full(graph.num_vertices, False, np.bool_)
    there[problem.label[live]] = True
    converged = enactor.stopped is not Stop.BUDGET
    return LabelPropagationResult(problem.label, int(there.sum()), enactor.iterations, converged, enactor.trace)
