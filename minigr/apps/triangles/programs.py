"""Programs that count triangles in graphs, oriented or not."""

from __future__ import annotations

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.program.fields import scalar_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class TriangleProblem(Problem):
    total = scalar_field(np.int64)


class Count(Functor):
    def apply_count(count):
        return count


class VertexTriangleProblem(TriangleProblem):
    triangles = vertex_field(np.int64)


class CountAtVertices(Functor):
    def apply_intersect(common, triangles):
        atomic_add(triangles, common, 1)

    def apply_count(src, dst, count, triangles):
        if count > 0:
            atomic_add(triangles, src, count)
            atomic_add(triangles, dst, count)
        return count


class CountThrice(Count):
    """Counts in a graph that is not oriented: each triangle is found from each of its three edges."""

    def cond_intersect(src, dst):
        return src < dst


class CountOpposite(CountThrice):
    """Counts a triangle at the vertex opposite to each edge, so at each of its vertices once."""

    def apply_intersect(common, triangles):
        atomic_add(triangles, common, 1)


class TriangleEnactor(Enactor, problem=TriangleProblem, functor=Count, looks_at=("hubs",)):
    hubs: int | None = None  # the number of first vertices, those with most neighbors, whose rows are stored as bits

    def start(self) -> Frontier:
        return Frontier.all_edges()

    def step(self, frontier: Handle) -> None:
        self.intersect(frontier, into="total", hubs=self.hubs)


class VertexTriangleEnactor(
    TriangleEnactor, problem=VertexTriangleProblem, functor=CountAtVertices, looks_at=("hubs",)
):
    pass


class ThriceEnactor(TriangleEnactor, problem=TriangleProblem, functor=CountThrice, looks_at=("hubs",)):
    pass


class OppositeEnactor(TriangleEnactor, problem=VertexTriangleProblem, functor=CountOpposite, looks_at=("hubs",)):
    pass
