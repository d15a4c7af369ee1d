"""Programs that join the vertices of components, by a sample of the edges first."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.orientation import is_skewed
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.jit.union_find import join
from minigr.operators.options import Balance
from minigr.primitives.cpu import team_size
from minigr.program.control import Driver
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem

LINKS = 2  # edges of each vertex that the first step takes, as in the paper
_APART = 64  # of so many vertices or more one votes for its component, which then may be skipped
_VOTERS = 1 << 13  # about so many vote in a large graph
_BALLOT = 1 << 8  # more than the links that a vertex takes in the first step
_VOTE = 1 << 32  # what one counts for in `giant`; below it the vertex is told


class ComponentsProblem(Problem):
    label = vertex_field(np.int32, fill=lambda graph: -1 if graph.num_live_vertices < graph.num_vertices else 0)
    tally = vertex_field(np.int32)  # the links that a vertex took, plus `_BALLOT` for each vote that it got
    giant = scalar_field(np.int64)  # the most votes, times `_VOTE`, plus the root that got them
    num_components = scalar_field(np.int64)
    below = parameter(np.int32, default=0)  # whether a vertex begins below its first neighbor, if that is less
    silent = parameter(np.int32, default=_APART - 1)  # a vertex votes if its id has none of these bits


def flatten(label, vertex):
    """Hang `vertex` below its root, which is returned; no other vertex is touched, so this stays."""
    root = label[vertex]
    while label[root] < root:
        root = label[root]
        label[vertex] = root
    return root


class Begin(Functor):
    def apply(vertex, iteration, label, tally, below, graph):
        if iteration == 1:
            label[vertex] = vertex  # those that were deleted keep -1
            if below:
                for neighbor in graph.neighbors(vertex):
                    label[vertex] = min(vertex, neighbor)
                    break
            return 0
        return (tally[vertex] // _BALLOT) * _VOTE + vertex


class Join(Functor):
    def apply_advance(src, dst, label):
        join(label, src, dst)


class JoinOnce(Functor):
    def apply_advance(src, dst, label):
        if dst < src:  # the other arc of the edge leads the other way
            join(label, src, dst)


class JoinFromOutside(Functor):
    def cond_target(dst, iteration, label, tally, giant):
        # In the second step the edges between the giant and others are seen from the others.
        return tally[dst] < LINKS if iteration == 1 else label[dst] != giant & (_VOTE - 1)

    def apply_advance(src, dst, label, tally, below):
        if not below or (label[dst] != src and label[dst] != label[src]):
            join(label, src, dst)
        tally[dst] += 1  # by several lanes at once on a GPU, where a vertex then takes a few more


class Flatten(Functor):
    def apply(label, vertex):
        return 1 if flatten(label, vertex) == vertex else 0


class FlattenAndVote(Functor):
    def apply(label, vertex, iteration, tally, silent):
        root = flatten(label, vertex)
        if iteration == 1 and vertex & silent == 0:
            atomic_add(tally, root, _BALLOT)
        return 1 if root == vertex else 0


class BeginAll(Functor):
    def apply(vertex, label):
        label[vertex] = vertex


class ComponentsEnactor(Enactor, problem=ComponentsProblem, looks_at=("max_iterations", "balance")):
    """One step over all edges. Or two, if both ends of an edge know it: over a sample of them, and over the rest."""

    balance: Balance = "auto"

    def step(self, frontier: Handle) -> None:
        if self.max_iterations == 1:
            self.compute(frontier, BeginAll)
            self.advance(frontier, Join if self.graph.directed else JoinOnce, output=None, balance=self.balance)
            self.compute(frontier, Flatten, into="num_components")
            return
        self.compute(frontier, Begin, into="giant", reduce="max")
        self.advance(frontier, JoinFromOutside, output=None, direction="pull", balance=self.balance)
        self.compute(frontier, FlattenAndVote, into="num_components")


def joining(graph: Any, samples: bool, balance: Balance, *, trace: bool = False, driver: Driver) -> ComponentsEnactor:
    """What joins the edges of a graph: those of a sample first, or all at once."""
    parameters = {}
    if samples:  # all votes go to one element as a rule, so more of them than are needed would be waited for
        # Threads of a CPU wait for each atomic operation. Where hubs are, it costs more to look at each row once again.
        below = not graph._device.is_cuda and team_size(graph.num_arcs) > 1 and not is_skewed(graph)
        silent = max(_APART, 1 << (graph.num_vertices // _VOTERS).bit_length()) - 1
        parameters = {"below": int(below), "silent": silent}
    enactor = ComponentsEnactor(graph, max_iterations=1 + samples, trace=trace, driver=driver, **parameters)
    enactor.balance = balance
    return enactor
