"""Triangles of a graph in parts: each part finds those whose edge of the two highest numbers it has."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.orientation_in_parts import OrientedPart, oriented_parts, summed
from minigr.apps.triangles.programs import CountAtVertices, TriangleEnactor, TriangleProblem, VertexTriangleProblem
from minigr.jit.functor import Functor
from minigr.program.control import Driver
from minigr.program.fields import vertex_field


class PartProblem(TriangleProblem):
    own = vertex_field(np.bool_)


class VertexPartProblem(VertexTriangleProblem):
    own = vertex_field(np.bool_)


class CountOwn(Functor):
    def cond_intersect(src, own):
        return own[src]  # the rows of ghosts are there to be looked into

    def apply_count(count):
        return count


class CountOwnAtVertices(CountAtVertices):
    def cond_intersect(src, own):
        return own[src]


class PartEnactor(TriangleEnactor, problem=PartProblem, functor=CountOwn, looks_at=("hubs",)):
    pass


class VertexPartEnactor(TriangleEnactor, problem=VertexPartProblem, functor=CountOwnAtVertices, looks_at=("hubs",)):
    pass


def count_in_parts(graph: Any, at_vertices: bool, degrees: bool, driver: Driver) -> tuple[int, Any, Any]:
    """Triangles in all; and at each vertex, and how many distinct neighbors each has, if asked for, or else None."""
    parts, team = oriented_parts(graph), graph._team

    def count(index: int) -> tuple[int, Any]:
        part = parts[index]
        enactor = (VertexPartEnactor if at_vertices else PartEnactor)(part.rows.graph, max_iterations=1, driver=driver)
        enactor.problem.own[part.owned] = True
        enactor.hubs = part.rows.hubs
        enactor.run()
        problem = enactor.problem
        return int(problem.device.number(problem.total)), part.rows.as_given(problem.triangles) if at_vertices else None

    with graph._exchange.together():
        totals, counts = zip(*team.each(count), strict=True)
        total = sum(graph._exchange.all_gather(list(totals)))
    neighbors = team.each(lambda index: _neighbors(parts[index])) if degrees else []
    return total, summed(graph, list(counts)) if at_vertices else None, summed(graph, neighbors) if degrees else None


def _neighbors(part: OrientedPart) -> Any:
    """int64[n]: of each vertex, how many edges the part's own vertices have to it or from it."""
    graph = part.rows.graph
    found = graph._device.xp.bincount(part.heads(), minlength=graph.num_vertices).astype(np.int64)
    found[part.owned] += graph.out_edges.degrees_of(part.owned)
    return part.rows.as_given(found)
