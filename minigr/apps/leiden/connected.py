"""Communities that are not connected are split: each connected part becomes a community."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.levels import Level
from minigr.apps.common.partition import PartitionProblem, modularity_of, set_totals
from minigr.jit.functor import Functor
from minigr.jit.union_find import find, join
from minigr.operators.calls import advance, compute
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier


class ConnectedProblem(PartitionProblem):
    parent = vertex_field(np.int32)


class Join(Functor):
    def cond_advance(src, dst, community, parent):
        if src > dst and community[src] == community[dst]:
            join(parent, src, dst)
        return False


class Root(Functor):
    def apply(vertex, community, parent):
        community[vertex] = find(parent, vertex)


class Connected:
    """Splits communities of the vertices of a level into connected parts, and computes their modularity."""

    def __init__(self, level: Level) -> None:
        moves, self._level = level.problem, level
        self._problem = ConnectedProblem(level.graph, strength=moves.strength, share=moves.share, shift=moves.shift)

    def modularity(self, community: Any) -> float:
        """The modularity of communities, which may have any numbers below n."""
        self._problem.community = community
        set_totals(self._problem)
        return modularity_of(self._problem, self._level.weight, self._level.resolution)

    def parts(self, community: Any) -> Any:
        """int32[n]: for each vertex, the least vertex of its connected part of its community."""
        problem = self._problem
        problem.community, problem.parent = community, problem.device.xp.arange(problem.graph.num_vertices)
        advance(problem, Frontier.all_vertices(), Join, output=None)
        compute(problem, Frontier.all_vertices(), Root)
        return problem.community.copy()
