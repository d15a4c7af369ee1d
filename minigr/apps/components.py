"""Connected components: trees of labels that are joined along edges, by sampling first.

Sutton, Ben-Nun, Barak, Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling (IPDPS 2018); Shiloach,
Vishkin, An O(log n) Parallel Connectivity Algorithm (Journal of Algorithms 1982).

Labels are the parents of `minigr.jit.union_find`: a label is a vertex of the same component with no greater id, and the
root that is left is the least vertex of its component.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_how, require, takes_parts
from minigr.apps.common.tables import VertexTable
from minigr.enactor.enactor import Enactor
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.jit.union_find import find, join
from minigr.operators.options import Balance, Direction
from minigr.program.control import Driver
from minigr.program.fields import parameter, scalar_field, vertex_field
from minigr.program.frontier import Handle
from minigr.program.problem import Problem
from minigr.program.trace import Trace

_LINKS = 2  # edges of each vertex that the first step takes, as in the paper
_APART = 64  # of so many vertices or more one votes for its component, which then may be skipped
_VOTERS = 1 << 13  # about so many vote in a large graph
_VOTE = 1 << 32  # what one counts for in `giant`; below it the vertex is told


class ComponentsProblem(Problem):
    label = vertex_field(np.int32, fill=lambda graph: -1 if graph.num_live_vertices < graph.num_vertices else 0)
    links = vertex_field(np.int32)
    votes = vertex_field(np.int32)
    giant = scalar_field(np.int64)  # the most votes, times `_VOTE`, plus the root that got them
    num_components = scalar_field(np.int64)
    silent = parameter(np.int32, default=_APART - 1)  # a vertex votes if its id has none of these bits


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
            return 0
        return votes[vertex] * _VOTE + vertex


class Join(Functor):
    def apply_advance(src, dst, label):
        join(label, src, dst)


class JoinOnce(Functor):
    def apply_advance(src, dst, label):
        if dst < src:  # the other arc of the edge leads the other way
            join(label, src, dst)


class JoinFromOutside(Functor):
    def cond_target(dst, iteration, label, links, giant):
        # In the second step the edges between the giant and others are seen from the others.
        return links[dst] < _LINKS if iteration == 1 else label[dst] != giant & (_VOTE - 1)

    def apply_advance(src, dst, label, links):
        join(label, src, dst)
        links[dst] += 1  # by several lanes at once on a GPU, where a vertex then takes a few more


class Flatten(Functor):
    def apply(label, vertex):
        return 1 if flatten(label, vertex) == vertex else 0


class FlattenAndVote(Functor):
    def apply(label, vertex, iteration, votes, silent):
        root = flatten(label, vertex)
        if iteration == 1 and vertex & silent == 0:
            atomic_add(votes, root, 1)
        return 1 if root == vertex else 0


class Root(Functor):
    def apply(vertex, label, root):
        root[vertex] = find(label, vertex)
        return 1 if root[vertex] == vertex else 0


class BeginAll(Functor):
    def apply(vertex, label):
        label[vertex] = vertex


class PartsProblem(Problem):
    label = vertex_field(np.int32, fill=-1)
    root = vertex_field(np.int32, fill=-1)
    num_components = scalar_field(np.int64)


class PartsEnactor(Enactor, problem=PartsProblem, looks_at=("balance",)):
    """One step over all edges. Roots have a field of their own, because parts have different labels of one vertex."""

    balance: Balance = "auto"

    def step(self, frontier: Handle) -> None:
        self.compute(frontier, BeginAll)
        self.advance(frontier, Join, output=None, balance=self.balance)
        self.compute(frontier, Root, into="num_components")


class ComponentsEnactor(Enactor, problem=ComponentsProblem, looks_at=("max_iterations", "balance")):
    """One step over all edges; or two, if both ends of an edge know it, the first of which is over a sample of them."""

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


@dataclass(frozen=True)
class ComponentsResult(VertexTable, columns=("label",)):
    """Connected components.

    Attributes
    ----------
    label : int32 array, one for each vertex
        The least vertex of its component; -1 for deleted vertices.
    num_components : int
        A vertex without edges is one too.
    iterations : int
    trace : Trace or None
    """

    label: Any
    num_components: int
    iterations: int
    trace: Trace | None


@takes_parts
def connected_components(
    graph: Any,
    *,
    direction: Direction = "auto",
    balance: Balance = "auto",
    trace: bool = False,
    driver: Driver = "auto",
) -> ComponentsResult:
    """Connected components; of a directed graph the weakly connected ones, which ignore the direction of edges.

    The result is the same in every run. Takes nearly O(vertices + edges) work, and 12 bytes of memory for each vertex.
    A pull of an undirected graph first has each vertex join two of its edges; the component that then holds most of a
    sample of vertices is left out, and the others join the rest of theirs. A push joins all edges at once. By default
    undirected graphs with more than four neighbors a vertex are pulled, unless a balance is given. Over a
    `PartitionedGraph` each part joins along its own edges, and then the parts tell each other the roots of the vertices
    that several of them know.

    Parameters
    ----------
    graph : Graph, DynamicGraph or PartitionedGraph
    direction : {"auto", "push", "pull"}
        Whether a step goes along the edges of its frontier, or has other vertices look for it, as in
        `minigr.operators.advance`. It changes the speed only.
    balance : {"auto", "thread", "tile", "warp", "block", "merge"}
        How edges are dealt out, as in `minigr.operators.advance`. It changes the speed only.
    trace : bool
        Keep a table of the steps in ``result.trace``, as an `Enactor` does. Slower.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Raises
    ------
    ProblemError
        For an unknown direction, balance or driver; for a pull of a directed graph or of a `PartitionedGraph`, or a
        balance of a pull.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([4, 1, 2], [1, 3, 5], num_vertices=6, device="cpu")
    >>> result = mg.connected_components(g)
    >>> result.label, result.num_components
    (array([0, 1, 2, 1, 1, 2], dtype=int32), 3)
    """
    # Where a sample takes nearly all edges, it spares none; where they are directed, the giant's own must be looked at.
    samples = not graph.directed and graph.num_arcs > 2 * _LINKS * graph.num_vertices and balance == "auto"
    check_how("connected_components", direction, balance)
    in_parts = graph.layout == "parts"
    require(
        not in_parts or direction != "pull",
        "connected_components over a PartitionedGraph pushes: use direction='push'",
    )
    pulls = direction == "pull" or (direction == "auto" and samples and not in_parts)
    require(
        not pulls or not graph.directed,
        "connected_components: direction='pull' takes an undirected graph, and this one is directed: use 'push'",
    )
    kind = PartsEnactor if in_parts else ComponentsEnactor
    enactor = kind(graph, max_iterations=2 if pulls else 1, trace=trace, driver=driver)
    enactor.balance = balance
    if pulls:  # all votes go to one element as a rule, so more of them than are needed would be waited for
        enactor.problem.silent = max(_APART, 1 << (graph.num_vertices // _VOTERS).bit_length()) - 1
    enactor.run()
    problem = enactor.problem
    return ComponentsResult(
        problem.root if in_parts else problem.label,
        int(graph._device.number(problem.num_components)),
        enactor.iterations,
        enactor.trace,
    )
