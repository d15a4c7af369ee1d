"""A maximal independent set, by Luby's algorithm with one random priority for each vertex.

Luby, A Simple Parallel Algorithm for the Maximal Independent Set Problem (SIAM Journal on Computing 15, 1986);
Blelloch, Fineman, Shun, Greedy Sequential Maximal Independent Set and Matching are Parallel on Average (SPAA 2012).
This module implements their variant with linear work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.greedy import GreedyProblem, count_higher, random_order
from minigr.apps.common.tables import VertexTable
from minigr.apps.common.undirected import undirected
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add, atomic_cas
from minigr.jit.functor import Functor
from minigr.operators.calls import filter
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.fields import vertex_field
from minigr.program.frontier import Frontier, Handle
from minigr.program.trace import Trace

_UNDECIDED, _MEMBER, _LEFT_OUT = 0, 1, 2


class IndependentSetProblem(GreedyProblem):
    state = vertex_field(np.int32, fill=_UNDECIDED)


class LeaveOut(Functor):
    """Leaves out the undecided neighbors of new members."""

    def cond_target(dst, state):
        return state[dst] == _UNDECIDED

    def cond_advance(dst, state):
        return atomic_cas(state, dst, _UNDECIDED, _LEFT_OUT) == _UNDECIDED


class Join(Functor):
    """Vertices that wait for no neighbor join: at the start, and after their last earlier neighbor was left out."""

    def cond_filter(vertex, waits):
        return waits[vertex] == 0

    def apply_filter(vertex, state):
        state[vertex] = _MEMBER

    def cond_target(dst, state):
        return state[dst] == _UNDECIDED

    def cond_advance(src, dst, priority, waits):
        return priority[dst] < priority[src] and atomic_add(waits, dst, -1) == 1

    def apply_advance(dst, state):
        state[dst] = _MEMBER


class IndependentSetEnactor(Enactor, problem=IndependentSetProblem, functor=Join, looks_at=("balance", "direction")):
    direction: Direction = "push"
    balance: Balance = "auto"

    def start(self, live: Frontier) -> Frontier:
        count_higher(self.problem, live)
        return filter(self.problem, live, Join)

    def step(self, frontier: Handle) -> Handle:
        how: Any = {"balance": self.balance, "duplicates": "impossible"}
        left_out = self.advance(frontier, LeaveOut, direction=self.direction, **how)
        return self.advance(left_out, **how)


@dataclass(frozen=True)
class IndependentSetResult(VertexTable, columns=("member",)):
    """A set of vertices in which no two are neighbors, and to which no vertex can be added.

    Attributes
    ----------
    member : bool array, one for each vertex
        Whether the vertex is a member of the set; False for a deleted vertex.
    size : int
        Number of members.
    iterations : int
    trace : Trace or None
    """

    member: Any
    size: int
    iterations: int
    trace: Trace | None


@takes_graph
def maximal_independent_set(
    graph: Any,
    seed: int = 0,
    *,
    direction: Direction = "push",
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> IndependentSetResult:
    """A set of vertices without an edge between them, to which no vertex can be added.

    The set is the result of visiting the vertices in a random order and taking each vertex that has no taken neighbor.
    The set depends only on the graph and `seed`. Directions, parallel edges and self-loops are ignored. A vertex
    without neighbors is a member. The algorithm takes O(vertices + edges) work and, with high probability,
    O(log vertices) steps (Fischer, Noever, Tight Analysis of Parallel Randomized Greedy MIS, SODA 2018). A directed
    graph is first copied without its directions.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    seed : int
        Seed of the random order.
    direction : {"push", "pull", "auto"}
        Whether a step follows the edges of its frontier (push), or other vertices look for the frontier (pull), as in
        `minigr.operators.advance`. Only edges from members to their neighbors are pulled. The choice changes only the
        speed.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. The choice changes only the speed.
    trace : bool
        Whether to keep a table of the steps in ``result.trace``, as an `Enactor` does. Tracing is slower.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If `seed` is not a whole number of 64 bits.
    ProblemError
        If `direction`, `balance` or `driver` is unknown, or if a pull has a `balance` other than ``"auto"`` or
        ``"block"``.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.maximal_independent_set(mg.generate.star(4, device="cpu"))
    >>> result.member, result.size
    (array([False,  True,  True,  True]), 3)
    """
    priority = random_order(graph, seed)
    graph, live = undirected(graph)
    enactor = IndependentSetEnactor(graph, trace=trace, driver=driver, priority=priority)
    enactor.direction, enactor.balance = direction, balance
    enactor.run(live)
    member = enactor.problem.state == _MEMBER
    return IndependentSetResult(member, int(member.sum()), enactor.iterations, enactor.trace)
