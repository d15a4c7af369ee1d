"""Programs that the GPUs of several parts run together: programs of algorithms over a graph in parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minigr.apps.bfs import BFSEnactor, BFSProblem, bfs
from minigr.apps.components import connected_components
from minigr.apps.pagerank import pagerank
from minigr.apps.sssp import sssp
from minigr.graphs.partitioned.dynamic import PartitionedDynamicGraph
from minigr.graphs.partitioned.graph import PartitionedGraph
from minigr.jit.atomics import atomic_cas
from minigr.jit.functor import Functor
from minigr.jit.told import listening
from minigr.jit.union_find import join
from minigr.operators.calls import advance
from minigr.operators.partitioned.across_setup import Setup, setup_for
from minigr.prepare.examples import graphs
from minigr.prepare.program import Program, of_plan
from minigr.program.fields import parameter, vertex_field
from minigr.program.frontier import Frontier
from minigr.program.problem import Problem


class SearchProblem(BFSProblem):
    unseen = parameter(np.int32, default=-1)


class Visit(Functor):
    def cond_target(dst, depth):
        return depth[dst] < 0

    def cond_advance(dst, iteration, depth, unseen):
        return atomic_cas(depth, dst, unseen, iteration) == unseen


class Search(BFSEnactor, problem=SearchProblem, functor=Visit, looks_at=("direction", "balance")):
    """A search by claims that expect a parameter. Owners can't decide such claims alone, so copies are refreshed."""


class Sets(Problem):
    parent = vertex_field(np.int64)


class Join(Functor):
    def apply_advance(src, dst, parent):
        join(parent, src, dst)


OVER_PARTS: dict[str, Callable[[Any], Any]] = {
    "bfs": lambda graph: bfs(graph, 0),
    "sssp": lambda graph: sssp(graph, 0).parent,
    "pagerank": pagerank,
    "pagerank by pushes": partial(pagerank, method="push"),
    "components": connected_components,
    "components by pulls": partial(connected_components, direction="pull"),
    "sets of int64": lambda graph: advance(Sets(graph), Frontier.all_vertices(), Join, output=None),
    "a search by a parameter": lambda graph: Search(graph).run(0),
}
"""Algorithms whose steps together use all kinds of communication between parts, and a search for the rest."""
_KINDS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("path float32", partial(PartitionedGraph.from_graph, devices=["cpu"] * 2, deal="ranges")),
    ("star int64", partial(PartitionedGraph.from_graph, devices=["cpu"] * 3, deal="hash")),
    ("path float32", partial(PartitionedDynamicGraph.from_graph, devices=["cpu"] * 3, deal="hash", in_edges=True)),
)
"""Graphs, and the rules by which they are divided into parts."""


def parts_programs(name: str) -> list[Program]:
    """The programs of an algorithm over each kind of graph. A step that the host must run is an error."""
    found: dict[Any, Program] = {}

    def note(what: str, of: Any) -> None:
        if what == "parts":
            setup = setup_for(*of)
            assert isinstance(setup, Setup), f"{name}: {setup}"
            found.setdefault(setup.plans[0].key(), partial(of_plan, setup.plans[0]))

    for graph, in_parts in _KINDS:
        with listening(note):
            OVER_PARTS[name](in_parts(graphs()[graph]))
    return list(found.values())
