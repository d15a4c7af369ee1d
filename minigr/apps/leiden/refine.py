"""Refinement: each community is split into its vertices, and the vertices merge again into connected parts.

Traag, Waltman, van Eck, From Louvain to Leiden: Guaranteeing Well-Connected Communities (Scientific Reports 9, 2019).
Only a vertex that is still a part of its own may merge. It may merge into a part of its community to which it has
edges, if the vertex and the part are both well connected to the rest of the community. It takes the part with the
greatest gain and not a random part. In each step, a random half of the single vertices may merge: into single vertices
of the other half, or into parts of several vertices. So no part loses the vertex into which another vertex merges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.levels import Level
from minigr.apps.common.moves import drawn, lost
from minigr.apps.common.partition import PartitionProblem
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.operators.calls import neighbor_reduce
from minigr.program.control import Driver
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Frontier, Handle

_NONE = -1
_ROUNDS = 12  # in each round, half of the single vertices may merge


class RefineProblem(PartitionProblem):
    """The parts of communities. `total` belongs to communities; `size` and `cut` to parts, at their first vertices."""

    part = vertex_field(np.int32)
    size = vertex_field(np.int64)  # the sum of the strengths of a part's vertices
    cut = vertex_field(np.int64)  # the sum of the weights of edges from a part to the rest of its community
    best = vertex_field(np.int32, fill=_NONE)
    merged = vertex_field(np.int32, fill=-1)  # the step in which the vertex merged
    price = parameter(np.float64, default=0.0)
    seed = parameter(np.int64)


def holds(strength, cut, whole, price, shift):
    """Whether a part is well connected to the rest of its community; called by functors."""
    return (cut << shift) >= lost(strength, price, whole - strength)


def alone(vertex, part, size, strength):
    """Whether a vertex is the only vertex of its part; called by functors."""
    return part[vertex] == vertex and size[vertex] == strength[vertex]


class Cut(Functor):
    def map(src, dst, community):
        return np.int64(src != dst and community[src] == community[dst])


class WeightedCut(Functor):
    def map(src, dst, weight, community):
        return np.int64(weight) if src != dst and community[src] == community[dst] else np.int64(0)


class Alone(Functor):
    """Keeps the vertices that may merge in a later step. A vertex without edges into its community can't."""

    def cond_filter(vertex, part, size, strength, cut):
        return alone(vertex, part, size, strength) and cut[vertex] > 0


class Merging(Functor):
    """Keeps the vertices that may merge in this step."""

    def cond_filter(vertex, iteration, seed, community, strength, total, cut, price, shift):
        well = holds(strength[vertex], cut[vertex], total[community[vertex]], price, shift)
        return well and drawn(vertex, iteration, seed) & 1 == 0


class Merge(Functor):
    """Finds the part with the greatest gain, if any gain is above 0."""

    def key(src, dst, iteration, seed, community, part, size, strength, total, cut, price, shift):
        its = part[dst]
        if community[src] != community[dst] or src == dst:
            return np.int32(_NONE)
        if alone(its, part, size, strength) and drawn(its, iteration, seed) & 1 == 0:
            return np.int32(_NONE)
        well = holds(size[its], cut[its], total[community[dst]], price, shift)
        return np.int32(its if well else _NONE)

    def map(src, dst):
        return np.int32(src != dst)

    def apply_group(vertex, key, value, strength, size, price, shift):
        if key == _NONE:
            return np.int64(0)
        return (np.int64(value) << shift) - lost(strength[vertex], price, size[key])

    def apply_best(vertex, key, score, best):
        best[vertex] = key if score > 0 else _NONE


class WeightedMerge(Merge):
    def map(src, dst, weight):
        return np.int64(weight) if src != dst else np.int64(0)


class Join(Functor):
    def cond_filter(vertex, best):
        return best[vertex] != _NONE

    def apply(vertex, iteration, best, part, size, strength, cut, merged):
        part[vertex], merged[vertex] = best[vertex], iteration
        atomic_add(size, best[vertex], strength[vertex])
        atomic_add(cut, best[vertex], cut[vertex])

    def cond_advance(src, dst, iteration, community, part, merged, cut):
        if part[src] == part[dst] and src != dst:  # -2 for both arcs; -1 if `dst` merged too and visits the other arc
            atomic_add(cut, part[src], np.int64(-1 if merged[dst] == iteration else -2))
        return False


class WeightedJoin(Join):
    def cond_advance(src, dst, weight, iteration, part, merged, cut):
        if part[src] == part[dst] and src != dst:
            atomic_add(cut, part[src], np.int64(weight) * (-1 if merged[dst] == iteration else -2))
        return False


class RefineEnactor(Enactor, problem=RefineProblem, looks_at=()):
    def step(self, frontier: Handle) -> Handle:
        weighted = self.graph.weighted
        due = self.filter(frontier, Merging)
        self.reduce_by_key(due, WeightedMerge if weighted else Merge, dtype=np.int64 if weighted else np.int32)
        joining = self.filter(due, Join)
        self.compute(joining, Join)
        self.advance(joining, WeightedJoin if weighted else Join, output=None)
        return self.filter(frontier, Alone)


def refined(level: Level, driver: Driver) -> Any:
    """int32[n]: the part of each vertex of a level within its community, named by the first vertex of the part."""
    moves, graph = level.problem, level.graph
    problem = RefineProblem(graph, seed=moves.seed, price=moves.price, shift=moves.shift)
    problem.community, problem.strength, problem.total = moves.community, moves.strength, moves.total
    problem.size, problem.part = moves.strength, graph._device.xp.arange(graph.num_vertices)
    functor = WeightedCut if graph.weighted else Cut
    neighbor_reduce(problem, Frontier.all_vertices(), functor, reduce="add", into="cut")
    enactor = RefineEnactor(graph, problem=problem, max_iterations=_ROUNDS, driver=driver)
    enactor.run(Frontier("vertices", ids=level.ids, distinct=True))
    return problem.part
