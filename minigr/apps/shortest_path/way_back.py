"""The path to a vertex, from the distances that a search found on its way there.

A search that ends early has right distances for some vertices only, and links would have to change together with the
distances. So the path is found afterwards, from its end: by hops over the edges that could be the last ones of paths as
short as the distances say. The vertex from which a distance came is at the end of such an edge, even if it came nearer
since; so the hops lead to where the search began. Each vertex is taken once, so edges of no weight lead around in no
circles.
"""

from __future__ import annotations

import numpy as np

from minigr.apps.common.paths import follow
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_cas
from minigr.jit.functor import Functor
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class WayBackProblem(Problem):
    distance = array_field(np.float64)
    link = vertex_field(np.int32, fill=-1)  # the next vertex on the way to the path's end
    start = parameter(np.int32)


class WayBack(Functor):
    def cond_advance(src, dst, weight, distance, link):
        shortest = link[dst] < 0 and distance[dst] + weight <= distance[src]
        return shortest and atomic_cas(link, dst, -1, src) == -1

    def until(start, link):
        return link[start] >= 0


class WayBackEnactor(Enactor, problem=WayBackProblem, functor=WayBack, looks_at=("reverse",)):
    reverse: bool = True  # where distances are those to the start, the way is along the edges

    def start(self, end: int) -> Frontier:
        self.problem.link[end] = end
        return Frontier.of(end)

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible", reverse=self.reverse)

    def path_to(self, end: int) -> list[int]:
        """The vertices of a path as long as ``distance[end]`` says, from the start to `end`."""
        self.run(end)
        self.problem.link[end] = -1
        return follow(self.graph._device.host.asarray(self.problem.link), self.problem.start)
