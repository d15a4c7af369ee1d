"""The programs of the apps, as their enactors record them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigr.apps import random_walks as walks
from minigr.apps.betweenness import DependentsEnactor
from minigr.apps.betweenness.paths_by_hops import PathsByHopsEnactor
from minigr.apps.betweenness.paths_by_weight import PathsByWeightEnactor
from minigr.apps.bfs import BFSEnactor
from minigr.apps.closeness import DistancesProblem
from minigr.apps.coloring import ColoringEnactor
from minigr.apps.common.hops import HopsEnactor
from minigr.apps.components import ComponentsEnactor
from minigr.apps.core_number import CoreEnactor
from minigr.apps.hits import HITSEnactor
from minigr.apps.independent_set import IndependentSetEnactor
from minigr.apps.label_propagation import LabelEnactor
from minigr.apps.multi_source_bfs import MultiSourceEnactor
from minigr.apps.pagerank.pull import PageRankEnactor, PageRankProblem, SingleShares
from minigr.apps.pagerank.push import PushEnactor, ResidualEnactor, ResidualProblem
from minigr.apps.spanning_forest.boruvka import ForestEnactor
from minigr.apps.sssp import SSSPEnactor
from minigr.apps.sssp.parents import FromEqualEnactor, ParentsProblem
from minigr.apps.strong_components import MatchEnactor, SpreadEnactor
from minigr.apps.strong_components.search import ReachEnactor, TrimEnactor
from minigr.apps.triangles import TriangleEnactor, VertexTriangleEnactor
from minigr.apps.truss import TrussEnactor, TrussProblem
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.prepare.examples import dynamic_graphs, graphs
from minigr.prepare.program import Program, of_plan, of_primitive
from minigr.primitives import arguments, programs
from minigr.program.frontier import Frontier
from minigr.program.levels import Levels


def app_programs(kinds: Sequence[str]) -> Iterator[tuple[str, Program]]:
    """The loops of the apps, as their enactors record them for graphs of these kinds."""

    every = graphs() | dynamic_graphs()
    for name in kinds:
        graph = every[name]
        first = Frontier.all_vertices()
        for fields in (PageRankProblem, SingleShares):
            problem = fields(graph, first=1.0, uniform=1.0, damping=0.85, tolerance=1e-6)
            rank = PageRankEnactor(graph, problem=problem)
            yield f"pagerank ({name}, {fields.__name__})", partial(of_plan, rank.record(first))
        push = PushEnactor(graph, problem=PageRankProblem(graph, first=1.0, uniform=1.0, damping=0.85, tolerance=1e-6))
        yield f"pagerank by push ({name})", partial(of_plan, push.record(first))
        left = ResidualEnactor(graph, problem=ResidualProblem(graph, uniform=1.0, damping=0.85, tolerance=1e-6))
        yield f"pagerank by residual ({name})", partial(of_plan, left.record(Frontier.of(0)))
        hits = HITSEnactor(graph, tolerance=1e-8)
        yield f"hits ({name})", partial(of_plan, hits.record(first))
        forest = ForestEnactor(graph, heaviest=0)
        yield f"spanning forest ({name})", partial(of_plan, forest.record(Frontier.of_edges(0)))
        if graph.layout == "csr":
            labels = LabelEnactor(graph)
            yield f"label propagation ({name})", partial(of_plan, labels.record(Frontier.of(0)))
        if graph.weighted:
            sssp = SSSPEnactor(graph)
            yield f"sssp ({name})", partial(of_plan, sssp.record(sssp.start(0, 1.0)))
            parents = FromEqualEnactor(graph, problem=ParentsProblem(graph))
            yield f"parents ({name})", partial(of_plan, parents.record(Frontier.of(0)))
            by_weight = SSSPEnactor(graph, problem=DistancesProblem(graph))
            yield f"distances ({name})", partial(of_plan, by_weight.record(by_weight.start(0, 1.0)))
            yield from search_programs(name, PathsByWeightEnactor(graph))
        else:
            yield from search_programs(name, PathsByHopsEnactor(graph))
            yield f"hops ({name})", partial(of_plan, HopsEnactor(graph).record(Frontier.of(0)))
            bfs = BFSEnactor(graph)
            yield f"bfs ({name})", partial(of_plan, bfs.record(bfs.start(0)))
            together = MultiSourceEnactor(graph, depth=np.zeros(1, np.int32), every=1, vertices=1)
            yield f"multi-source bfs ({name})", partial(of_plan, together.record(Frontier.of(0)))
            for steps in (1, 2):
                components = ComponentsEnactor(graph, max_iterations=steps)
                yield f"components in {steps} steps ({name})", partial(of_plan, components.record(first))
            for triangles in (kind(graph, max_iterations=1) for kind in (TriangleEnactor, VertexTriangleEnactor)):
                name_of = type(triangles).__name__
                yield f"triangles ({name}, {name_of})", partial(of_plan, triangles.record(Frontier.all_edges()))
            truss = TrussEnactor(graph, problem=TrussProblem(graph, least=1))
            yield f"truss ({name})", partial(of_plan, truss.record(Frontier.all_edges()))
            for part in (TrimEnactor, ReachEnactor, SpreadEnactor, MatchEnactor):
                strong = part(graph, max_iterations=1 if part is MatchEnactor else None)
                label = f"strong components, {part.__name__} ({name})"
                yield label, partial(of_plan, strong.record(Frontier.of(0)))
            match = MatchEnactor(graph, max_iterations=1)
            yield f"strong components, MatchEnactor over all ({name})", partial(of_plan, match.record(first))
            coloring, independent_set = ColoringEnactor(graph), IndependentSetEnactor(graph)
            yield f"coloring ({name})", partial(of_plan, coloring.record(Frontier.of(0)))
            yield f"independent set ({name})", partial(of_plan, independent_set.record(Frontier.of(0)))
            core = CoreEnactor(graph)
            yield f"core number ({name})", partial(of_plan, core.record(core.start(first)))


def search_programs(name: str, search: Any) -> Iterator[tuple[str, Program]]:
    """What betweenness runs on a graph: a search that keeps its levels, and the sum over these."""

    ids = np.zeros(1, np.int32)
    levels = Levels(ids, np.array([0, 1], np.int32), search.graph, search.graph.version)
    back = DependentsEnactor(search)
    yield f"search that counts paths ({name})", partial(of_plan, search.record(Frontier.of(0)))
    yield f"betweenness ({name})", partial(of_plan, back.record(Frontier.of_levels(levels, reverse=True)))


def walk_programs() -> Iterator[tuple[str, Program]]:
    """Random walks, which are transforms."""

    def kernel(function: Any, **fields: Any) -> Program:
        return partial(of_primitive, programs.transform(function, arguments.as_fields(fields), None))

    ids, sums = np.zeros(1, np.int32), np.zeros(1)
    rows: dict[str, Any] = {"offsets": np.zeros(2, np.int64)}
    walk: dict[str, Any] = {"starts": ids, "vertices": ids, "length": 1, "key": 1, "indices": ids, **rows}
    yield "random walks", kernel(walks.walk_evenly, **walk)
    yield "random walks by weight", kernel(walks.walk_by_weight, sums=sums, **walk)
    for dtype in WEIGHT_DTYPES:
        yield f"random walks, sums of {dtype}", kernel(walks.sum_row, weights=np.zeros(1, dtype), sums=sums, **rows)
