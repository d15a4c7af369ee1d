"""Paths to a goal, searched in the order of a lower bound of their lengths.

Hart, Nilsson, Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost Paths (1968): A*. Vertices are
processed in bands of the length of the path to the vertex plus a lower bound of the remaining distance. A vertex is
processed again if a shorter path to it is found, so bounds need not be consistent. A vertex is skipped if this sum is
not less than the length of the best known path to the goal.
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
from minigr.program.fields import array_field, parameter, vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.problem import Problem


class GuidedProblem(Problem):
    distance = vertex_field(np.float64, fill=np.inf)
    remaining = array_field(np.float64)  # a lower bound of the distance to the goal; inf excludes the vertex
    goal = parameter(np.int32)


class Guided(Functor):
    def cond_advance(src, dst, weight, distance, remaining, goal):
        through = distance[src] + weight
        return (
            through < distance[dst]
            and through + remaining[dst] < distance[goal]
            and through < atomic_min(distance, dst, through)
        )

    def priority(vertex, distance, remaining, goal):
        least = distance[vertex] + remaining[vertex]
        return least if least < distance[goal] else np.inf


class GuidedEnactor(Enactor, problem=GuidedProblem, functor=Guided, looks_at=("balance", "width")):
    balance: Balance = "auto"

    def start(self, source: int, width: float, distance: float = 0) -> Frontier:
        self.width = width
        self.problem.distance[source] = distance
        return Frontier.of(source)

    def step(self, frontier: Handle) -> Handle:
        return self.near_far(self.advance(frontier, balance=self.balance), width=self.width)


def path_by_bounds(
    graph: Any, source: int, target: int, remaining: Any, width: float, balance: Balance, **options: Any
) -> tuple[list[int], float, Any]:
    """The vertices of a path of least weight, the weight, and the enactor that found the path."""
    enactor = GuidedEnactor(graph, remaining=remaining, goal=target, **options)
    enactor.balance = balance
    graph.in_edges(ids=False)  # `WayBackEnactor` needs in-edges: without them, this raises before the search
    enactor.run(source, width)
    distance = enactor.problem.distance
    length = float(distance[target])
    if length == math.inf:
        return [], length, enactor
    way_back = WayBackEnactor(graph, distance=distance, start=source, driver=enactor.driver)
    return way_back.path_to(target), length, enactor
