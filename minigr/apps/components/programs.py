"""Programs that join the vertices of components, by a sample of the edges first."""

from __future__ import annotations

import numpy as np

from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.jit.union_find import join
from minigr.operators.options import Balance
from minigr.program.fields import scalar_field, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem

LINKS = 2  # edges of each vertex that the first step takes, as in the paper
_APART = 64  # of so many vertices one votes for its component, which then may be skipped
_VOTE = 1 << 32  # what one counts for in `giant`; below it the vertex is told


class ComponentsProblem(Problem):
    label = vertex_field(np.int32, fill=-1)
    links = vertex_field(np.int32)
    votes = vertex_field(np.int32)
    giant = scalar_field(np.int64)  # the most votes, times `_VOTE`, plus the root that got them
    num_components = scalar_field(np.int64)

    def left_out(self) -> int:
        """The vertex whose component the second step left out, as far as it was known."""
        return int(self.device.number(self.giant)) % _VOTE


def flatten(label, vertex):
    """Hang `vertex` below its root, which is returned; no other vertex is touched, so this stays."""
    root = label[vertex]
    while label[root] < root:
        root = label[root]
        label[vertex] = root
    return root


class Begin(Functor):
    def apply(vertex, iteration, label, votes):
        if iteration == 1:
            label[vertex] = vertex  # those that were deleted keep -1
        return votes[vertex] * _VOTE + vertex


class Join(Functor):
    def apply_advance(src, dst, label):
        join(label, src, dst)


class JoinFromOutside(Functor):
    def cond_target(dst, iteration, label, links, giant):
        # In the second step the edges between the giant and others are seen from the others.
        return links[dst] < LINKS if iteration == 1 else label[dst] != giant & (_VOTE - 1)

    def apply_advance(src, dst, label, links):
        join(label, src, dst)
        links[dst] += 1  # by several lanes at once on a GPU, where a vertex then takes a few more


class Flatten(Functor):
    def apply(label, vertex, iteration, votes):
        root = flatten(label, vertex)
        if iteration == 1 and vertex % _APART == 0:
            atomic_add(votes, root, 1)
        return 1 if root == vertex else 0


class ComponentsEnactor(Enactor, problem=ComponentsProblem, looks_at=("max_iterations", "balance")):
    """One step over all edges. Or two, if both ends of an edge know it: over a sample of them, and over the rest."""

    balance: Balance = "auto"

    def step(self, frontier: Handle) -> None:
        self.compute(frontier, Begin, into="giant", reduce="max")
        if self.max_iterations == 1:
            self.advance(frontier, Join, output=None, balance=self.balance)
        else:
            self.advance(frontier, JoinFromOutside, output=None, direction="pull", balance=self.balance)
        self.compute(frontier, Flatten, into="num_components")
