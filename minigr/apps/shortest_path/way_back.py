"""The path to a vertex, computed from the distances that a search found.

A search that ends early has final distances for some vertices only, and storing parents would need atomics that change
distance and parent together. So the path is found afterwards, by a search from its end. The search follows an edge
backward if the distance of its source plus its weight is at most the distance of its destination. The edge that gave a
vertex its distance satisfies this, even if the distance of its source has fallen since, so the search gets to the
start. The search visits each vertex once, so edges of weight 0 cannot make cycles.
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
    link = vertex_field(np.int32, fill=-1)  # the next vertex on the path to its end
    start = parameter(np.int32)


class WayBack(Functor):
    def cond_advance(src, dst, weight, distance, link):
        shortest = link[dst] < 0 and distance[dst] + weight <= distance[src]
        return shortest and atomic_cas(link, dst, -1, src) == -1

    def until(start, link):
        return link[start] >= 0


class WayBackEnactor(Enactor, problem=WayBackProblem, functor=WayBack, looks_at=("reverse",)):
    reverse: bool = True  # False if distances are distances to the start, so that the search follows edges forward

    def start(self, end: int) -> Frontier:
        self.problem.link[end] = end
        return Frontier.of(end)

    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible", reverse=self.reverse)

    def path_to(self, end: int) -> list[int]:
        """The vertices of a path from the start to `end` whose length is ``distance[end]``."""
        self.run(end)
        self.problem.link[end] = -1
        return follow(self.graph._device.host.asarray(self.problem.link), self.problem.start)
