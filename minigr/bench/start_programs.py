"""A user's own programs with one, three and six operators, each also with one functor edited.

A call of a function makes the classes again, as a notebook does when a cell runs again. An edit changes the code of one
functor; the rest of the program stays the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import minigr as mg


def one_operator(edited: bool) -> type[mg.Enactor]:
    """Hops from a vertex."""

    class Hops(mg.Problem):
        hops = mg.vertex_field(np.int32, fill=-1)

    class Claim(mg.Functor):
        def cond_advance(dst, iteration, hops):
            return mg.atomic_cas(hops, dst, -1, iteration) == -1

    class ClaimWithin(mg.Functor):
        def cond_advance(dst, iteration, hops):
            return iteration <= 1000 and mg.atomic_cas(hops, dst, -1, iteration) == -1

    class Search(mg.Enactor, problem=Hops, functor=ClaimWithin if edited else Claim):
        def start(self, source: int) -> mg.Frontier:
            self.problem.hops[source] = 0
            return mg.Frontier.of(source)

        def step(self, frontier: Any) -> Any:
            return self.advance(frontier, duplicates="impossible")

    return Search


def three_operators(edited: bool) -> type[mg.Enactor]:
    """Hops from a vertex, and how many vertices are an even number of hops away."""

    class Levels(mg.Problem):
        level = mg.vertex_field(np.int32, fill=-1)
        even = mg.scalar_field(np.int64)

    class Claim(mg.Functor):
        def cond_advance(dst, iteration, level):
            return mg.atomic_cas(level, dst, -1, iteration) == -1

    class Even(mg.Functor):
        def cond_filter(vertex, level):
            return level[vertex] % 2 == 0

    class Third(mg.Functor):
        def cond_filter(vertex, level):
            return level[vertex] % 3 == 0

    class One(mg.Functor):
        def apply(vertex):
            return 1

    class CountEven(mg.Enactor, problem=Levels, functor=Claim):
        def start(self, source: int) -> mg.Frontier:
            self.problem.level[source] = 0
            return mg.Frontier.of(source)

        def step(self, frontier: Any) -> Any:
            found = self.advance(frontier, duplicates="impossible")
            self.compute(self.filter(found, Third if edited else Even), One, into="even")
            return found

    return CountEven


def six_operators(edited: bool) -> type[mg.Enactor]:
    """Least costs from a vertex; vertices that cost less than their neighbors mark the neighbors, and are counted."""

    class Costs(mg.Problem):
        cost = mg.vertex_field(np.float32, fill=np.inf)
        before = mg.vertex_field(np.float32)
        around = mg.vertex_field(np.float32)
        marks = mg.vertex_field(np.int32, fill=0)
        marking = mg.scalar_field(np.int64)

    class Note(mg.Functor):
        def apply(vertex, cost, before):
            before[vertex] = cost[vertex]

    class Pay(mg.Functor):
        def cond_advance(src, dst, weight, cost, before):
            new = before[src] + weight
            return new < cost[dst] and new < mg.atomic_min(cost, dst, new)

    class Around(mg.Functor):
        def map(dst, cost):
            return cost[dst]

    class Cheap(mg.Functor):
        def cond_filter(vertex, cost, around):
            return cost[vertex] < around[vertex]

    class Cheaper(mg.Functor):
        def cond_filter(vertex, cost, around):
            return 2 * cost[vertex] < around[vertex]

    class Mark(mg.Functor):
        def apply_advance(dst, marks):
            mg.atomic_add(marks, dst, 1)

    class One(mg.Functor):
        def apply(vertex):
            return 1

    class MarkAround(mg.Enactor, problem=Costs, functor=Pay):
        def start(self, source: int) -> mg.Frontier:
            self.problem.cost[source] = 0
            return mg.Frontier.of(source)

        def step(self, frontier: Any) -> Any:
            self.compute(frontier, Note)
            found = self.advance(frontier)
            self.neighbor_reduce(found, Around, reduce="min", into="around")
            cheap = self.filter(found, Cheaper if edited else Cheap)
            self.advance(cheap, Mark, output=None)
            self.compute(cheap, One, into="marking")
            return found

    return MarkAround
