"""Triangles of a partitioned graph: a part finds the triangles whose vertex of greatest number it owns."""

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
        return own[src]  # the rows of ghosts are only needed for intersections

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
    """The number of triangles in total, at each vertex, and the distinct neighbors of each vertex.

    The last two are None if they are not requested.
    """
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
    """int64[n]: for each vertex, the number of edges between it and the vertices that the part owns.

    Each edge is counted in the part that owns its greater end.
    """
    graph = part.rows.graph
    found = graph._device.xp.bincount(part.heads(), minlength=graph.num_vertices).astype(np.int64)
    found[part.owned] += graph.out_edges.degrees_of(part.owned)
    return part.rows.as_given(found)
