"""Programs that join the vertices of components. They join a sample of the edges first."""

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

LINKS = 2  # edges of each vertex that the first step joins, as in the paper
_APART = 64  # at most one of 64 vertices votes for its component; the component with most votes is skipped later
_VOTERS = 1 << 13  # the approximate number of voters in a large graph
_BALLOT = 1 << 8  # the value of a vote in `tally`: more than the number of links that a vertex joins in the first step
_VOTE = 1 << 32  # the value of a vote in `giant`; the bits below hold the root


class ComponentsProblem(Problem):
    label = vertex_field(np.int32, fill=lambda graph: -1 if graph.num_live_vertices < graph.num_vertices else 0)
    tally = vertex_field(np.int32)  # the number of links that a vertex joined, plus `_BALLOT` for each vote it received
    giant = scalar_field(np.int64)  # the greatest number of votes, times `_VOTE`, plus the root with these votes
    num_components = scalar_field(np.int64)
    below = parameter(np.int32, default=0)  # whether the first label of a vertex is its first neighbor, if that is less
    silent = parameter(np.int32, default=_APART - 1)  # a vertex votes if its id has none of these bits


def flatten(label, vertex):
    """Make the root the parent of `vertex`, and return the root. No other vertex is changed, so threads don't race."""
    root = label[vertex]
    while label[root] < root:
        root = label[root]
        label[vertex] = root
    return root


class Begin(Functor):
    def apply(vertex, iteration, label, tally, below, graph):
        if iteration == 1:
            label[vertex] = vertex  # deleted vertices keep -1
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
        if dst < src:  # joins each edge once, although it has two arcs
            join(label, src, dst)


class JoinFromOutside(Functor):
    def cond_target(dst, iteration, label, tally, giant):
        # In the second step, an edge between the giant and another component is joined from the other component.
        return tally[dst] < LINKS if iteration == 1 else label[dst] != giant & (_VOTE - 1)

    def apply_advance(src, dst, label, tally, below):
        if not below or (label[dst] != src and label[dst] != label[src]):
            join(label, src, dst)
        tally[dst] += 1  # not atomic: on a GPU several lanes race here, and a vertex then joins a few more links


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
    """One step over all edges; in an undirected graph, it can be two: over a sample of the edges and over the rest."""

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
    """The enactor that joins the edges of a graph: the edges of a sample first, or all edges at once."""
    parameters = {}
    if samples:  # the number of voters is limited, because most votes are atomic additions to the same element
        # A CPU with several threads saves atomic operations by `below`. In a graph with hubs, the additional pass over
        # the first edge of each row costs more than it saves.
        below = not graph._device.is_cuda and team_size(graph.num_arcs) > 1 and not is_skewed(graph)
        silent = max(_APART, 1 << (graph.num_vertices // _VOTERS).bit_length()) - 1
        parameters = {"below": int(below), "silent": silent}
    enactor = ComponentsEnactor(graph, max_iterations=1 + samples, trace=trace, driver=driver, **parameters)
    enactor.balance = balance
    return enactor
