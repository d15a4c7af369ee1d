"""Lengths of longest paths, computed level by level, and the parents of vertices on such paths."""

from __future__ import annotations

import numpy as np

from minigr.apps.sssp import distance_dtype
from minigr.apps.topological import Levels, LevelsEnactor, LevelsProblem
from minigr.jit.atomics import atomic_add, atomic_max
from minigr.jit.functor import Functor
from minigr.program.fields import vertex_field
from minigr.program.problem import Problem


class LengthsProblem(LevelsProblem):
    length = vertex_field(distance_dtype)


class Lengthen(Levels):
    def cond_advance(src, dst, weight, waits, length):
        atomic_max(length, dst, length[src] + weight)
        return atomic_add(waits, dst, -1) == 1


class LengthsEnactor(LevelsEnactor, problem=LengthsProblem, functor=Lengthen, looks_at=("balance",)):
    """The length of a vertex is final when it waits for no edge any more."""


class HopParentsProblem(Problem):
    length = vertex_field(np.int32)
    parent = vertex_field(np.int32, fill=-1)


class HopParents(Functor):
    def cond_advance(src, dst, length):
        return length[src] + 1 == length[dst]

    def apply_advance(src, dst, parent):
        atomic_max(parent, dst, src)


class ParentsProblem(HopParentsProblem):
    length = vertex_field(distance_dtype)


class Parents(HopParents):
    def cond_advance(src, dst, weight, length):
        return length[src] + weight == length[dst]
