"""Components of a graph in parts: each part joins what its edges say, and then the parts tell each other of roots."""

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
_DRAW = 1 << 31  # numbers that vertices draw
_ROOT = 1 << 32  # what a number counts for in `giant`; below it the root is told


class PartsProblem(Problem):
    parent = vertex_field(np.int32)
    label = vertex_field(np.int32, fill=-1)  # its root; those that were deleted keep it
    tally = vertex_field(np.int32)  # the links that a vertex took
    giant = scalar_field(np.int64)  # the greatest number, times `_ROOT`, plus the root of the vertex that drew it
    num_components = scalar_field(np.int64)
    steps = parameter(np.int32)  # of the loop


class Join(Functor):
    def apply_advance(src, dst, parent):
        join(parent, src, dst)


class JoinFromOutside(Functor):
    """The edges between the giant and others are seen from the others, whichever part they are in."""

    def cond_target(dst, iteration, label, tally, giant):
        return tally[dst] < LINKS if iteration == 1 else label[dst] != giant & (_ROOT - 1)

    def apply_advance(src, dst, parent, tally):
        join(parent, src, dst)
        tally[dst] += 1  # by several lanes at once on a GPU, where a vertex then takes a few more


def drawn_by(vertex):
    return vertex * _ODD & (_DRAW - 1)


class FindAndDraw(Functor):
    """One of the vertices with several links, which most probably is in the largest component."""

    def apply(vertex, iteration, parent, label, tally):
        if iteration == 1:
            return 0
        label[vertex] = find(parent, vertex)
        return drawn_by(vertex) * _ROOT + label[vertex] if tally[vertex] >= LINKS else 0


class Find(Functor):
    def apply(vertex, iteration, parent, label, steps):
        if iteration < steps:  # another step begins with it
            return 0
        label[vertex] = find(parent, vertex)
        return 1 if label[vertex] == vertex else 0


class PartsEnactor(Enactor, problem=PartsProblem, looks_at=("max_iterations", "balance")):
    """One step over all edges. Or two: over a sample of them, and over those of vertices that are outside of the giant.

    The giant is the component of a vertex that is drawn. If it is a small one, the second step is slower.
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
    """What joins the edges of a graph in parts: those of a sample first, or all at once."""

    def alone(device: Device) -> Any:
        with device.as_current():
            return device.xp.arange(graph.num_vertices, dtype=np.int32)

    with graph._exchange.together():
        parents = PartitionedArray(graph, [alone(part.device) for part in graph.parts])
    steps = 1 + samples
    enactor = PartsEnactor(graph, max_iterations=steps, steps=steps, trace=trace, driver=driver, parent=parents)
    enactor.balance = balance
    return enactor
