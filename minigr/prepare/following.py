"""The programs of the answers that follow a dynamic graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigr.apps.components import Join
from minigr.apps.dynamic import coloring
from minigr.apps.dynamic.bfs import loops as bfs
from minigr.apps.dynamic.components import climbs, joins
from minigr.apps.dynamic.core_number import loops as core_number
from minigr.apps.dynamic.pagerank import drift
from minigr.apps.dynamic.pagerank import loops as pagerank
from minigr.apps.dynamic.sssp import loops as sssp
from minigr.apps.dynamic.triangles import loops as triangles
from minigr.apps.pagerank.transition import OutWeight, Weight
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.operators.once import Once
from minigr.operators.recorders import RECORDERS
from minigr.prepare.examples import dynamic_graphs
from minigr.prepare.program import Program, of_plan, of_primitive
from minigr.primitives import arguments, programs
from minigr.program.frontier import Frontier


def following_programs(dtypes: Sequence[str]) -> Iterator[tuple[str, Program]]:
    """The loops and operators of the answers that follow a dynamic graph, with weights of these dtypes."""

    some, everyone = Frontier.of([0], "cpu"), Frontier.all_vertices()
    twice = Frontier.of([0, 0], "cpu")  # heads of a batch's arcs may be the same

    def operator(name: str, problem: Any, frontier: Frontier, functor: Any, **options: Any) -> Program:
        return partial(of_plan, Once(problem, RECORDERS[name], functor, options).record(frontier))

    graphs = {"": dynamic_graphs()["slabs"], **{d: dynamic_graphs()[f"slabs {d}"] for d in dtypes}}
    for dtype, graph in graphs.items():
        rates = {"first": 1.0, "uniform": 1.0, "damping": 0.85, "tolerance": 1e-6, "bound": 1e-6, "most": 1}
        for fields in (pagerank.FollowedRanks, pagerank.SingleFollowedRanks):
            ranks = fields(graph, **rates)
            affected = pagerank.AffectedEnactor(graph, problem=ranks)
            yield f"dynamic pagerank ({dtype}, {fields.__name__})", partial(of_plan, affected.record(some))
            if not dtype:
                resume = operator("compute", ranks, everyone, pagerank.Resume, into="dangling")
                yield f"dynamic pagerank resumed ({fields.__name__})", resume
        if not dtype:
            continue
        chance = operator("neighbor_reduce", OutWeight(graph), some, Weight, reduce="add")
        yield f"dynamic chances ({dtype})", chance
        batch = {"tails": np.zeros(2, np.int32), "weights": np.zeros(2, graph.weight_dtype)}
        lengths = sssp.LengthsProblem(graph, num_touched=np.zeros(1, np.int64), **batch)
        for loop, first, width in (
            (sssp.RelaxEnactor, twice, (1.0,)),
            (sssp.LoseEnactor, twice, ()),
            (sssp.ReturnEnactor, some, (1.0,)),
            (sssp.AdoptEnactor, some, ()),
        ):
            way: Any = loop(graph, *width, problem=lengths)
            yield f"dynamic sssp, {loop.__name__} ({dtype})", partial(of_plan, way.record(first))
    places = bfs.PlacesProblem(graphs[""], tails=np.zeros(2, np.int32), counts=np.zeros(2, np.int64))
    ids = {name: np.zeros(graphs[""].num_vertices, np.int32) for name in ("label", "tails")}
    above = climbs.HeightsProblem(graphs[""], counts=np.zeros(3, np.int64), **ids)
    cores = core_number.FollowedCores(graphs[""], counts=np.zeros(3, np.int64))
    followed: Any = {  # loops, by what they start with: heads of a batch's arcs, all vertices, or some
        "bfs": (
            places,
            {
                bfs.SearchEnactor: some,
                bfs.RelaxEnactor: twice,
                bfs.ClimbEnactor: twice,
                bfs.ReturnEnactor: some,
            },
        ),
        "components": (
            above,
            {climbs.ClimbEnactor: twice, climbs.ReachEnactor: some, climbs.RegrowEnactor: some},
        ),
        "core number": (
            cores,
            {
                core_number.FallEnactor: everyone,
                core_number.CandidatesEnactor: some,
                core_number.WithdrawEnactor: some,
                core_number.RiseEnactor: some,
            },
        ),
    }
    for name, (problem, loops) in followed.items():
        for loop, frontier in loops.items():
            way = loop(graphs[""], problem=problem, max_iterations=1)
            yield f"dynamic {name}, {loop.__name__}", partial(of_plan, way.record(frontier))
    yield "dynamic pagerank spread", operator("advance", ranks, some, pagerank.Spread)
    arrays: dict[str, Any] = {"batch": np.zeros(1, np.int32), "sixths": np.zeros(1, np.int64), "sign": 1}
    for kind in (triangles.BatchEnactor, triangles.BatchVertexEnactor):
        counting = kind(graphs[""], max_iterations=1, **arrays)
        plan = counting.record(counting.start(np.zeros(1, np.int64)))
        yield f"dynamic triangles, {kind.__name__}", partial(of_plan, plan)
    recolor = coloring.RecolorEnactor(graphs[""], problem=coloring.FollowedColors(graphs[""]))
    yield "dynamic coloring", partial(of_plan, recolor.record(some))
    labels = joins.LabelProblem(graphs[""])
    yield "dynamic join", operator("advance", labels, some, Join, output=None)
    yield "dynamic flatten some", operator("compute", labels, some, joins.Flatten, into="roots")


def batch_transforms() -> Iterator[tuple[str, Program]]:
    """What answers that follow a graph do for each arc of a batch."""

    def each(function: Any, dtype: Any, **fields: Any) -> Program:
        wanted = None if dtype is None else np.dtype(dtype)
        return partial(of_primitive, programs.transform(function, arguments.as_fields(fields), wanted))

    short, long = np.zeros(1, np.int32), np.zeros(1, np.int64)
    ends = {"src": short, "dst": short}
    yield "dynamic depths", each(bfs.depth_at, np.int32, tree=long)
    yield "dynamic parents", each(bfs.parent_at, np.int32, tree=long)
    double = np.zeros(1)
    ranks = {"src": short, "rank": double, "chance": double, "drift": long}
    yield "dynamic drift, count", each(drift._count, None, **ranks, degrees=short)
    yield "dynamic drift, weigh", each(drift._weigh, None, **ranks, fresh=double, times=2.0)
    for dtype in WEIGHT_DTYPES:
        weights = {name: np.zeros(1, dtype) for name in ("weight", "before")}
        yield f"dynamic drift, weigh arcs ({dtype})", each(drift._weigh_arc, None, **ranks, **weights, fresh=double)
    yield "dynamic clashes", each(coloring._clash, np.int32, **ends, color=short)
    yield "dynamic join arcs", each(joins.join_arc, np.int32, **ends, label=short, joined=long)
    yield "dynamic flatten all", each(joins.flatten_tree, None, label=short)
    yield "dynamic list ends", each(core_number.list_ends, None, **ends, state=short)
    seeds = {"state": short, "seeds": short, "counts": long, "seeds_before": 0}
    yield "dynamic seeds", each(core_number.sow, None, **ends, **seeds)
