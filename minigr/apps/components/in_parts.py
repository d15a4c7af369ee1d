"""Components of a partitioned graph: parts join the ends of their edges, and exchange which vertices are joined."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.components.programs import LINKS
from minigr.device import Device
from minigr.enactor.enactor import Enactor
from minigr.graphs.partitioned.array import PartitionedArray
from minigr.jit.functor import Functor
from minigr.jit.union_find import find, join
from minigr.operators.options import Balance
from minigr.program.control import Driver
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem

_ODD = 0x9E3779B1  # Knuth's multiplier
_DRAW = 1 << 31  # the numbers that vertices draw are below this
_ROOT = 1 << 32  # the factor of a drawn number in `giant`; the bits below hold the root


class PartsProblem(Problem):
    parent = vertex_field(np.int32)
    label = vertex_field(np.int32, fill=-1)  # the root of the vertex; deleted vertices keep -1
    tally = vertex_field(np.int32)  # the number of links that a vertex joined
    giant = scalar_field(np.int64)  # the greatest drawn number, times `_ROOT`, plus the root of the vertex that drew it
    num_components = scalar_field(np.int64)
    steps = parameter(np.int32)  # the number of steps of the loop


class Join(Functor):
    def apply_advance(src, dst, parent):
        join(parent, src, dst)


class JoinFromOutside(Functor):
    """Joins edges between the giant and other components from the vertices outside, in whichever part these are."""

    def cond_target(dst, iteration, label, tally, giant):
        return tally[dst] < LINKS if iteration == 1 else label[dst] != giant & (_ROOT - 1)

    def apply_advance(src, dst, parent, tally):
        join(parent, src, dst)
        tally[dst] += 1  # not atomic: on a GPU several lanes race here, and a vertex then joins a few more links


def drawn_by(vertex):
    return vertex * _ODD & (_DRAW - 1)


class FindAndDraw(Functor):
    """Draws one of the vertices with at least `LINKS` links, which most probably is in the largest component."""

    def apply(vertex, iteration, parent, label, tally):
        if iteration == 1:
            return 0
        label[vertex] = find(parent, vertex)
        return drawn_by(vertex) * _ROOT + label[vertex] if tally[vertex] >= LINKS else 0


class Find(Functor):
    def apply(vertex, iteration, parent, label, steps):
        if iteration < steps:  # the next step begins with `FindAndDraw`, which finds roots too
            return 0
        label[vertex] = find(parent, vertex)
        return 1 if label[vertex] == vertex else 0


class PartsEnactor(Enactor, problem=PartsProblem, looks_at=("max_iterations", "balance")):
    """One step over all edges; or two: over a sample of the edges, and over the edges of vertices outside the giant.

    The giant is the component of a vertex that is drawn at random. If this component is small, the second step is
    slower.
    """

    balance: Balance = "auto"

    def step(self, frontier: Handle) -> None:
        if self.max_iterations == 1:
            self.advance(frontier, Join, output=None, balance=self.balance)
        else:
            self.compute(frontier, FindAndDraw, into="giant", reduce="max")
            self.advance(frontier, JoinFromOutside, output=None, direction="pull", balance=self.balance)
        self.compute(frontier, Find, into="num_components")


def joining_parts(graph: Any, samples: bool, balance: Balance, *, trace: bool = False, driver: Driver) -> PartsEnactor:
    """The enactor that joins the edges of a partitioned graph: the edges of a sample first, or all edges at once."""

    def alone(device: Device) -> Any:
        with device.as_current():
            return device.xp.arange(graph.num_vertices, dtype=np.int32)

    with graph._exchange.together():
        parents = PartitionedArray(graph, [alone(part.device) for part in graph.parts])
    steps = 1 + samples
    enactor = PartsEnactor(graph, max_iterations=steps, steps=steps, trace=trace, driver=driver, parent=parents)
    enactor.balance = balance
    return enactor
