"""A path of least weight between two vertices, by searches from both ends, in bands of distance.

Pohl, Bi-directional Search (Machine Intelligence 6, 1971); bands as in Davidson, Baxter, Garland, Owens (IPDPS 2014).
On a shortest path there is an edge one of whose ends is not farther from the source than from the target, and whose
other end is nearer to the target. The distances of both ends, in their searches, are at most half of the path's length.
So only the search to which a vertex is nearer continues from the vertex, and no search continues from a vertex that is
farther than half of the least length found so far. When no vertex is left, this length is the least.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigr.apps.shortest_path.way_back import WayBackEnactor
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_min
from minigr.jit.functor import Functor
from minigr.operators.options import Balance
from minigr.program.fields import array_field, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class BetweenProblem(Problem):
    ahead = vertex_field(np.float64, fill=np.inf)  # the least weight of a path from the source found so far
    back = vertex_field(np.float64, fill=np.inf)  # the least weight of a path to the target found so far
    best = array_field(np.float64)  # the least weight of a path from the source to the target found so far


def shorten(dst, through, mine, others, best):
    """Relax an arc to `dst`, and `best` by a path through `dst`; return whether the search may continue from `dst`."""
    if not (through < mine[dst] and through < atomic_min(mine, dst, through)):
        return False
    whole = through + others[dst]
    if whole < best[0]:
        atomic_min(best, 0, whole)
    return through <= best[0] * 0.5


class Ahead(Functor):
    def cond_advance(src, dst, weight, ahead, back, best):
        nearer = ahead[src] <= back[src]
        through = ahead[src] + weight
        return nearer and shorten(dst, through, ahead, back, best) and through <= back[dst]

    def priority(vertex, ahead, back, best):
        least = min(ahead[vertex], back[vertex])
        return least if least <= best[0] * 0.5 else np.inf


class Back(Functor):
    def cond_advance(src, dst, weight, ahead, back, best):
        nearer = back[src] < ahead[src]
        through = back[src] + weight
        return nearer and shorten(dst, through, back, ahead, best) and through < ahead[dst]


class BetweenEnactor(Enactor, problem=BetweenProblem, functor=Ahead, looks_at=("balance", "width")):
    balance: Balance = "auto"

    def start(self, source: int, target: int, width: float) -> Frontier:
        self.width = width
        self.problem.ahead[source] = self.problem.back[target] = 0
        return Frontier.of([source, target])

    def step(self, frontier: Handle) -> Handle:
        ahead = self.advance(frontier, balance=self.balance)
        back = self.advance(frontier, Back, balance=self.balance, reverse=True)
        return self.near_far(ahead | back, width=self.width)

    def path(self, source: int, target: int) -> tuple[list[int], float]:
        """The vertices of a shortest path, and its length; no vertices and inf if there is no path."""
        problem = self.problem
        total = problem.ahead + problem.back
        meeting = int(total.argmin())
        length = float(total[meeting])
        if length == math.inf:
            return [], length
        here = WayBackEnactor(self.graph, distance=problem.ahead, start=source, driver=self.driver).path_to(meeting)
        way_on = WayBackEnactor(self.graph, distance=problem.back, start=target, driver=self.driver)
        way_on.reverse = False
        there = way_on.path_to(meeting)[::-1]
        place = {vertex: at for at, vertex in enumerate(there)}
        crossing = next(at for at, vertex in enumerate(here) if vertex in place)  # before `meeting` if weights are 0
        return here[:crossing] + there[place[here[crossing]] :], length


def path_by_weight(
    graph: Any, source: int, target: int, width: float, balance: Balance, **options: Any
) -> tuple[list[int], float, Any]:
    """The vertices of a path of least weight, the weight, and the enactor that found the path."""
    enactor = BetweenEnactor(graph, best=graph._device.full(1, math.inf, np.float64), **options)
    enactor.balance = balance
    if source == target:
        return [source], 0.0, enactor
    enactor.run(source, target, width)
    return *enactor.path(source, target), enactor
