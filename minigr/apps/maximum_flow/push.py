"""Maximum flows by many vertices at once, which push their excess and are relabeled.

Goldberg, Tarjan, A New Approach to the Maximum-Flow Problem (Journal of the ACM 35, 1988); in rounds, as in Baumstark,
Blelloch, Shun, Efficient Implementation of a Synchronous Parallel Push-Relabel Algorithm (ESA 2015), whose result does
not depend on the order of the threads. In a round, each active vertex pushes by the heights at the beginning of the
round. So there is no push along an arc and its reverse in the same round, and only one thread changes the residual
capacity of an arc. After some rounds, heights are computed again by a search from the vertex that must get the excess.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from minigr.apps.maximum_flow.functors import Active, FlowProblem, Push, Relabel, Saturate, Search
from minigr.apps.maximum_flow.network import Network
from minigr.enactor.enactor import Enactor
from minigr.operators.calls import compute, filter
from minigr.program.control import Driver
from minigr.program.frontier import Frontier, Handle

_ROUNDS = 16  # rounds between two searches, besides two for each level of a search


class SearchEnactor(Enactor, problem=FlowProblem, functor=Search, looks_at=()):
    def step(self, frontier: Handle) -> Handle:
        return self.advance(frontier, duplicates="impossible")


class PushEnactor(Enactor, problem=FlowProblem, functor=Push, looks_at=()):
    def step(self, frontier: Handle) -> Handle:
        self.compute(frontier)
        self.compute(frontier, Relabel)
        kept = self.filter(frontier, Relabel)
        return self.advance(frontier) | kept


def push(network: Network, units: Any, source: int, sink: int, driver: Driver) -> tuple[Any, Any, int]:
    """The residual capacities, whether each vertex can still reach the sink, and the number of rounds."""
    rows = network.graph
    problem = FlowProblem(rows, reverse=network.reverse, far=rows.num_vertices, source=source, sink=sink)
    problem.residual = units
    compute(problem, Frontier.of(source), Saturate)
    rounds = _drain(problem, sink, driver)
    reaches = problem.height < rows.num_vertices
    return problem.residual, reaches, rounds + _drain(problem, source, driver)


def _drain(problem: FlowProblem, target: int, driver: Driver) -> int:
    """Push all excess that can reach the target to the target; return the number of rounds."""
    rows, device, rounds = problem.graph, problem.device, 0
    for _ in device.rounds(count()):
        device.fill(problem.height, rows.num_vertices)
        problem.height[target] = 0
        search = SearchEnactor(rows, problem=problem, driver=driver)
        search.run(Frontier.of(target))
        active = filter(problem, Frontier.all_vertices(), Active)
        if len(active) == 0:
            break
        pushing = PushEnactor(rows, problem=problem, driver=driver, max_iterations=_ROUNDS + 2 * search.iterations)
        pushing.run(active)
        rounds += pushing.iterations
    return rounds
