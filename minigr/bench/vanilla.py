"""Searches that follow a graph with lengths only, without a tree. Meerkat calls these searches vanilla.

Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813).
They are compared with `mg.dynamic.BFS` and `mg.dynamic.SSSP`, to show the cost of the tree. Without a tree it is not
known which vertices hung from a deleted edge, so a deletion or a greater weight repeats the whole search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.checks import check_source
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.maintained import Maintained, Recompute
from minigr.apps.sssp import default_delta, distance_dtype
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_min
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem

_FAR = 1 << 30  # hops to a vertex that was not reached


class HopsProblem(Problem):
    length = vertex_field(np.int32, fill=_FAR)
    tails = array_field(np.int32)  # the tails of a batch's arcs; a loop starts with the heads of these arcs


class WeightsProblem(Problem):
    length = vertex_field(distance_dtype, fill=np.inf)
    tails = array_field(np.int32)
    weights = array_field(lambda graph: graph.weight_dtype)  # the weights of the batch's arcs


def nearer(src, dst, by, length):
    """Lower the length of an arc's head to that through the arc; return whether this made it shorter."""
    through = length[src] + by
    return through < length[dst] and through < atomic_min(length, dst, through)


class Hops(Functor):
    def cond_filter(vertex, idx, iteration, tails, length):
        return iteration > 1 or nearer(tails[idx], vertex, 1, length)

    def cond_advance(src, dst, length):
        return nearer(src, dst, 1, length)


class Weights(Functor):
    def cond_filter(vertex, idx, iteration, tails, weights, length):
        if iteration > 1:
            return True
        return weights[idx] >= 0 and nearer(tails[idx], vertex, weights[idx], length)  # below 0: a dropped self-loop

    def cond_advance(src, dst, weight, length):
        return nearer(src, dst, weight, length)

    def priority(vertex, length):
        return length[vertex]


class SearchHops(Enactor, problem=HopsProblem, functor=Hops, steady=True):
    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier)


class FollowHops(SearchHops):
    def step(self, frontier: Handle) -> Handle:
        return super().step(self.filter(frontier))


class SearchWeights(Enactor, problem=WeightsProblem, functor=Weights, steady=True):
    width = 1.0

    def step(self, frontier: Handle) -> Handle:
        return self.near_far(self.advance(frontier), width=self.width)


class FollowWeights(SearchWeights):
    def step(self, frontier: Handle) -> Handle:
        return super().step(self.filter(frontier))


def search(graph: Any, source: int, by_weight: bool) -> Any:
    """The problem with the lengths of shortest paths from `source`, in hops or by weight."""
    device = graph._device
    batch = {"tails": device.empty(0, np.int32)}
    if by_weight:
        batch["weights"] = device.empty(0, graph.weight_dtype)
    problem: Any = (WeightsProblem if by_weight else HopsProblem)(graph, **batch)
    problem.length[source] = 0
    _loop(problem, SearchWeights if by_weight else SearchHops).run(Frontier.of(source))
    return problem


def _loop(problem: Any, enactor: type[Enactor]) -> Enactor:
    loop = enactor(problem.graph, problem=problem)
    if isinstance(loop, SearchWeights):
        loop.width = default_delta(problem.graph, "vanilla")
    return loop


class Vanilla(Maintained):
    """Lengths of shortest paths from `source`, which follow insertions. `Update.touched` is not counted.

    Parameters
    ----------
    graph : DynamicGraph
    source : int
    by_weight : bool
        If false, the length of a path is its number of edges.
    recompute : {"auto", "always", "never"}

    Attributes
    ----------
    length : array, one for each vertex
    """

    _name = "vanilla"
    _needs_in_edges = False

    def __init__(self, graph: Any, source: int, by_weight: bool, recompute: Recompute) -> None:
        self._source, self._by_weight, self._reads_weights = source, by_weight, by_weight
        super().__init__(graph, recompute, "auto")

    @property
    def length(self) -> Any:
        self._be_current()
        return self._problem.length

    def _check_batch(self, weights: Any) -> None:
        check_source(self.graph, self._source)

    def _compute(self) -> None:
        self._problem = search(self.graph, self._source, self._by_weight)
        self._loop = _loop(self._problem, FollowWeights if self._by_weight else FollowHops)

    def _repair(self, changes: Changes, most: float) -> int | None:
        if changes.deleted:
            return None
        self._problem.use(tails=changes.src)
        if self._by_weight:
            if bool(((changes.before >= 0) & (changes.weight > changes.before)).any()):
                return None
            self._problem.use(weights=changes.weight)
        self._loop.run(Frontier.known("vertices", changes.dst, self.graph, distinct=False))
        return 0
