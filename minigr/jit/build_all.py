"""Compile and link every kernel of the package for every supported architecture; needs no GPU.

    python -m minigr.jit.build_all [--architecture 90] [--jobs 2]

So a kernel that is broken is found before somebody runs it. With --keep what is linked stays in the user's cache; and
with --apps that is what the package itself runs, so that no first call of an algorithm has to link anything:

    python -m minigr.jit.build_all --apps --keep --architecture 90

What a kernel's text depends on is gone through as far as it shapes code: each primitive with every dtype and reduction,
and its flags with one of them; each operator with every combination of its options, but what places or sums the results
of a reduction with two of them, and strategies of load balancing with few; on a graph with hubs, and in part on one
without; and the plans of the apps. Functors stand for the user's: there is one for each use of what an operator
supplies, not every one there could be. Without --keep nothing is taken from or left in the user's cache.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from minigr.jit.cache import DIRECTORY_VARIABLE
from minigr.jit.link_cuda import ARCHITECTURES, CudaCode, Part, kernels_of

#: the code of one program for an architecture, and the parts that it is linked in
Linked = tuple[CudaCode, Sequence[Part]]
Program = Callable[[int], Linked]
_DTYPES = ("int32", "int64", "float32", "float64")
_BALANCES = ("thread", "tile", "warp", "merge")  # "block" is what others are compiled with


# --- primitives ------------------------------------------------------------------------------------------------------


def primitive_programs() -> Iterator[tuple[str, Program]]:
    """Every primitive with every dtype, reduction and flag."""
    from minigr.jit.atomics import atomic_add
    from minigr.primitives import arguments, plans, reduction

    def kernel(name: str, *options: Any) -> Program:
        return partial(_collective, getattr(plans, name)(*options))

    def larger(a, b):
        return max(a, b)

    def count_signs(i, x, counts):
        atomic_add(counts, 1 if x[i] > 0 else 0, 1)

    for name in (*_DTYPES, "bool"):
        x = arguments.as_fields({"x": np.zeros(1, name), "k": 2})
        yield f"transform {name}", kernel("transform", lambda i, x, k: x[i] * k, x, np.dtype(name))
    signs = arguments.as_fields({"x": np.zeros(1), "counts": np.zeros(2, np.int32)})
    yield "transform for effects", kernel("transform", count_signs, signs, None)
    checked = replace(plans.transform(count_signs, signs, None), debug=True)
    yield "transform in debug mode", partial(_collective, checked)

    reductions = [(d, op) for d in _DTYPES for op in ("add", "min", "max", "or", larger) if op != "or" or d[0] == "i"]
    for name, op in reductions:
        label = f"{name} {op if isinstance(op, str) else 'function'}"
        x = arguments.as_fields({"x": np.zeros(1, name)})
        resolve = partial(reduction.resolve, fields=x, op=op, initial=0, dtype=name, out=None)
        scan = resolve("scan", lambda i, x: x[i], supplied=("i",))
        for inclusive, total in ((True, False), (False, True), (False, False))[: 3 if op == "add" else 1]:
            options = f"{'inclusive' if inclusive else 'exclusive'}{' with total' if total else ''}"
            yield f"scan {label} {options}", kernel("scan", x, scan, inclusive, total)
        segments = resolve("segreduce", lambda idx, seg, rank, x: x[idx] + rank * seg, supplied=("idx", "seg", "rank"))
        for offsets in ("int64", "int32")[: 2 if op == "add" else 1]:
            yield f"segreduce {label} {offsets} offsets", kernel("segreduce", x, segments, np.dtype(offsets))

    marks = arguments.as_fields({"counts": np.zeros(1, np.int64)})
    for offsets in ("int32", "int64"):
        stored = kernel("lbs", lambda seg, rank, idx: seg + rank + idx, {}, np.dtype(offsets), np.dtype(np.int64))
        yield f"lbs {offsets} offsets", stored
        effects = kernel("lbs", lambda seg, counts: _add(counts, seg), marks, np.dtype(offsets), None)
        yield f"lbs for effects {offsets} offsets", effects
    mask = arguments.as_fields({"mask": np.zeros(1, bool)})
    for name in ("int32", "int64"):
        yield f"compact {name} indices", kernel("compact", lambda i, mask: mask[i], mask, np.dtype(name))
    for name in _DTYPES:
        values = {**mask, **arguments.as_fields({"values": np.zeros(1, name)})}
        yield f"compact {name} values", kernel("compact", lambda i, mask: mask[i], values, np.dtype(name))


def _add(counts, seg):
    from_now_on = counts[seg]
    counts[seg] = from_now_on + 1


# --- operators and apps ----------------------------------------------------------------------------------------------


@cache
def graphs() -> dict[str, Any]:
    """A graph without hubs and one with a hub, without weights and with; on the CPU, for their shape only."""
    from minigr.graphs.graph import Graph

    path = (np.arange(7), np.arange(1, 8))
    star = (np.zeros(600, np.int64), np.arange(1, 601))
    made = {}
    for name, (src, dst) in (("path", path), ("star", star)):
        made[name] = Graph.from_edges(src, dst, device="cpu")
        for dtype in _DTYPES:
            made[f"{name} {dtype}"] = Graph.from_edges(src, dst, np.ones(src.size, dtype), device="cpu")
    return made


@cache
def dynamic_graphs() -> dict[str, Any]:
    """The graph with a hub as slabs, marked; without weights and with."""
    from minigr.graphs.dynamic.graph import DynamicGraph

    made = {
        f"slabs{name.removeprefix('star')}": DynamicGraph.from_graph(graph)
        for name, graph in graphs().items()
        if name.startswith("star")
    }
    for graph in made.values():
        graph.mark()
    return made


@cache
def messy_graph() -> Any:
    """A hub with parallel edges and a self-loop; on the CPU, for its shape only."""
    from minigr.graphs.graph import Graph

    return Graph.from_edges(np.zeros(202, np.int64), [*range(101), *range(101)], device="cpu")


@cache
def parts() -> tuple[Any, Any]:
    """A problem with a field of each kind, and functors that use all that operators supply."""
    from minigr.enactor.problem import Problem, parameter, scalar_field, vertex_field
    from minigr.jit.functor import Functor

    class Fields(Problem):
        a = vertex_field(np.int32)
        b = vertex_field(np.float64)
        total = scalar_field(np.float64)
        bits = scalar_field(np.int64)
        limit = parameter(np.float64)

    class Plain(Functor):
        def cond_target(dst, a):
            return a[dst] < 0

        def cond_advance(src, dst, edge, rank, seg, iteration, a):
            return a[dst] + edge + rank + seg > iteration

        def apply_advance(src, dst, a):
            a[dst] = src

        def cond_filter(vertex, idx, iteration, a, limit):
            return a[vertex] + idx + iteration > limit

        def apply_filter(vertex, idx, b):
            b[vertex] = idx

        def map(src, dst, edge, rank, seg, b):
            return b[src] + edge + rank + seg

        def reduce(a, b):
            return max(a, b)

        def apply_reduce(vertex, value, idx, a):
            a[vertex] = idx
            return value

        def apply(vertex, idx, a):
            a[vertex] = idx
            return vertex

        def priority(vertex, b):
            return b[vertex]

    class Bits(Plain):
        def map(src, dst, edge, rank, seg, a):
            return a[src] + edge + rank + seg

    class OfEdges(Functor):
        def cond_filter(edge, src, dst, idx, iteration, a, limit):
            return a[src] + a[dst] + edge + idx + iteration > limit

        def apply_filter(edge, dst, b):
            b[dst] = edge

        def apply(edge, src, dst, idx, a):
            a[dst] = idx
            return edge + src

        def cond_intersect(src, dst, edge, idx, iteration, a):
            return a[src] + edge + idx > a[dst] + iteration

        def apply_intersect(src, dst, common, edge, src_edge, dst_edge, a):
            a[common] = src_edge + dst_edge

        def apply_count(edge, src, count):
            return count + edge + src

    class Count(Functor):
        def apply_count(count):
            return count

    class Weighted(Functor):
        def cond_target(dst, a):
            return a[dst] < 0

        def cond_advance(src, dst, weight, a):
            return a[dst] + weight > 0

        def map(src, weight, b):
            return b[src] * weight

        def apply(weight, src):
            return weight + src

        def cond_filter(dst, weight):
            return weight > dst

    class Unordered(Functor):
        def cond_target(dst, a):
            return a[dst] < 0

        def cond_advance(src, dst, edge, seg, iteration, a):
            return a[dst] + edge + seg > iteration

        def map(src, dst, edge, seg, b):
            return b[src] + edge + seg

        def reduce(a, b):
            return max(a, b)

    class Positions(Functor):
        def cond_advance(dst, idx, a):
            return a[dst] > idx

        def map(src, idx, b):
            return b[src] + idx

    functors = {
        "plain": Plain,
        "bits": Bits,
        "unordered": Unordered,
        "of edges": OfEdges,
        "weighted": Weighted,
        "count": Count,
    }
    return Fields, {**functors, "positions": Positions}


def operator_options() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(operator, input, options): every combination that an operator takes."""
    from_, outputs = ("vertices", "edges", "all vertices"), ("vertices", "edges", None)
    for source, output, direction, duplicates in product(
        from_, outputs, ("push", "pull", "auto"), ("remove", "impossible", "keep")
    ):
        if (source == "edges" and direction != "push") or (output is None and duplicates != "keep"):
            continue
        if direction == "auto" and (source != "vertices" or output != "vertices"):
            continue
        yield "advance", source, {"output": output, "direction": direction, "duplicates": duplicates}
    for source, balance in product(from_, _BALANCES):
        yield "advance", source, {"balance": balance}
    yield "advance", "vertices", {"direction": "auto", "balance": "merge"}
    yield "advance", "vertices", {"direction": "auto", "again": True}
    for source, duplicates in product((*from_, "all edges"), ("keep", "remove")):
        yield "filter", source, {"duplicates": duplicates}
    for source, into in product((*from_, "all edges"), (None, "total", "bits")):
        yield "compute", source, {} if into is None else {"into": into, "reduce": "or" if into == "bits" else "add"}
    for source, into in product(("edges", "all edges"), (None, "total", "bits")):
        yield "intersect", source, {} if into is None else {"into": into, "reduce": "or" if into == "bits" else "add"}
    for source, direction, reduce in product(("vertices", "all vertices"), ("out", "in"), ("add", "min", "max", None)):
        start = {"reduce": reduce, "initial": None if reduce else 0.0, "direction": direction}
        places = ({"into": "b"}, {"into": "b", "by": "position"}, {"scalar": "total", "scalar_reduce": "max"})
        for rest in places[: 3 if reduce in ("add", None) else 1]:
            yield "neighbor_reduce", source, {**start, **rest}
        if reduce == "add":
            yield "neighbor_reduce", source, {**start, "reduce": "or", "into": "a"}
    for source, balance, reduce in product(("vertices", "all vertices"), _BALANCES, ("add", None)):
        start = {"balance": balance, "reduce": reduce, "initial": None if reduce else 0.0}
        yield "neighbor_reduce", source, {**start, **({"into": "b"} if reduce else {"scalar": "total"})}
    for falling in (False, True):
        yield "near_far", "vertices", {"width": 1.0, "falling": falling}


def slab_options() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(operator, input, options) for slabs: each way to walk them, but not with every output."""
    pushes: list[dict[str, Any]] = [{"balance": balance} for balance in ("thread", "tile", "warp", "merge")]
    pushes += [{}, {"since": "mark"}, {"direction": "auto", "duplicates": "impossible"}]
    for options in pushes:
        yield "advance", "vertices", options
    yield "advance", "edges", {"output": "edges"}
    yield "advance", "all vertices", {"output": None}
    yield "advance", "all vertices", {"since": "mark"}
    yield "advance", "vertices", {"direction": "pull", "output": "edges"}
    yield "advance", "all vertices", {"direction": "pull", "since": "mark"}
    for options in ({}, {"balance": "tile"}, {"balance": "warp"}, {"since": "mark"}):
        yield "neighbor_reduce", "vertices", {"reduce": "add", "into": "b", **options}
    yield "neighbor_reduce", "all vertices", {"reduce": "add", "into": "b", "direction": "in"}
    yield "neighbor_reduce", "all vertices", {"initial": 0.0, "into": "b"}
    for source in ("edges", "all edges"):
        yield "filter", source, {"duplicates": "remove"}
        yield "compute", source, {"into": "total"}
        yield "intersect", source, {"into": "total"}


def operator_programs() -> Iterator[tuple[str, Program]]:
    """Every operator with every combination of options; weights of each dtype where an operator reads them."""
    from minigr.enactor.once import _Once
    from minigr.operators.frontier import Frontier

    problem_class, functors = parts()
    frontiers = {
        "vertices": Frontier.of([0], "cpu"),
        "edges": Frontier.of_edges([0], "cpu"),
        "all vertices": Frontier.all_vertices(),
        "all edges": Frontier.all_edges(),
    }

    def compiled(graph: str, functor: str, operator: str, source: str, options: dict[str, Any]) -> tuple[str, Program]:
        problem = problem_class((graphs() | dynamic_graphs() | {"messy": messy_graph()})[graph], limit=1.0)
        plan = _Once(problem, operator, functors[functor], options).record(frontiers[source])
        shown = " ".join(f"{name}={value}" for name, value in options.items())
        return f"{operator} from {source} {shown} ({graph}, {functor})", partial(_plan, plan)

    for operator, source, options in operator_options():
        if "balance" in options:
            yield compiled("star", "plain", operator, source, options)
            continue
        has_hubs = operator in ("advance", "neighbor_reduce", "intersect")
        # What hubs add comes on top of the code for other vertices, so that is compiled alone for few options.
        few = options.get("duplicates") == "remove" or options.get("reduce") == "add"
        alone = few or operator not in ("advance", "neighbor_reduce")
        for graph in ("star",) * has_hubs + ("path",) * alone:
            of_edges = operator in ("filter", "compute", "intersect") and source.endswith("edges")
            of_bits = operator == "neighbor_reduce" and options["reduce"] == "or"
            functor = "of edges" if of_edges else "bits" if of_bits else "plain"
            yield compiled(graph, functor, operator, source, options)
    for source in ("vertices", "edges"):
        yield compiled("star", "positions", "advance", source, {})
    yield compiled("star", "positions", "neighbor_reduce", "vertices", {"reduce": "add", "into": "b"})
    for operator, source, options in slab_options():
        functor = "of edges" if operator in ("filter", "compute", "intersect") else "unordered"
        yield compiled("slabs", functor, operator, source, options)
    for graph, source in product(("star", "messy", "slabs"), ("edges", "all edges")):
        yield compiled(graph, "count", "intersect", source, {"into": "total"})
    for source in ("edges", "all edges"):
        yield compiled("messy", "of edges", "intersect", source, {"into": "total"})
    for dtype in _DTYPES:
        yield compiled(f"slabs {dtype}", "weighted", "advance", "vertices", {})
        yield compiled(f"slabs {dtype}", "weighted", "neighbor_reduce", "all vertices", {"reduce": "add", "into": "b"})
        yield compiled(f"star {dtype}", "weighted", "advance", "vertices", {"direction": "push"})
        yield compiled(f"path {dtype}", "weighted", "advance", "vertices", {"direction": "auto"})
        yield compiled(f"star {dtype}", "weighted", "neighbor_reduce", "all vertices", {"reduce": "add", "into": "b"})
        yield compiled(f"path {dtype}", "weighted", "compute", "all edges", {"into": "total"})
        yield compiled(f"path {dtype}", "weighted", "filter", "all edges", {})


def loop_programs() -> Iterator[tuple[str, Program]]:
    """Loops that end by an ``until`` which asks for all that it may."""
    from minigr.enactor.enactor import Enactor
    from minigr.operators.frontier import Frontier

    fields, functors = parts()
    plain: Any = functors["plain"]

    class Limited(plain):
        def until(iteration, a, total, limit):
            return iteration + a[0] > limit + total

    class LimitedEnactor(Enactor, problem=fields, functor=Limited):
        def step(self, frontier: Any) -> Any:
            return self.advance(frontier)

    for name in ("path", "star"):
        loop = LimitedEnactor(graphs()[name], limit=1.0)
        yield f"loop with until ({name})", partial(_plan, loop.record(Frontier.of([0], "cpu")))
        checked = LimitedEnactor(graphs()[name], limit=1.0, debug=True)
        yield f"loop in debug mode ({name})", partial(_plan, checked.record(Frontier.of([0], "cpu")))


def app_programs() -> Iterator[tuple[str, Program]]:
    """The loops of the apps, as their enactors record them."""
    from minigr.apps.bfs import BFSEnactor
    from minigr.apps.boruvka import ForestEnactor
    from minigr.apps.closeness import DistancesProblem
    from minigr.apps.coloring import ColoringEnactor
    from minigr.apps.components import ComponentsEnactor
    from minigr.apps.core_number import CoreEnactor
    from minigr.apps.hits import HITSEnactor
    from minigr.apps.hops import HopsEnactor
    from minigr.apps.independent_set import IndependentSetEnactor
    from minigr.apps.label_propagation import LabelEnactor
    from minigr.apps.multi_source_bfs import MultiSourceEnactor
    from minigr.apps.pagerank_pull import PageRankEnactor, PageRankProblem, SingleShares
    from minigr.apps.pagerank_push import PushEnactor, ResidualEnactor, ResidualProblem
    from minigr.apps.parents import FromEqualEnactor, ParentsProblem
    from minigr.apps.paths_by_hops import PathsByHopsEnactor
    from minigr.apps.paths_by_weight import PathsByWeightEnactor
    from minigr.apps.sssp import SSSPEnactor
    from minigr.apps.strong_components import MatchEnactor, SpreadEnactor
    from minigr.apps.strong_search import ReachEnactor, TrimEnactor
    from minigr.apps.triangles import TriangleEnactor, VertexTriangleEnactor
    from minigr.apps.truss import TrussEnactor, TrussProblem
    from minigr.operators.frontier import Frontier

    slabs = {name: graph for name, graph in dynamic_graphs().items() if name in ("slabs", "slabs float32")}
    for name, graph in {**graphs(), **slabs}.items():
        first = Frontier.all_vertices()
        for fields in (PageRankProblem, SingleShares):
            problem = fields(graph, first=1.0, uniform=1.0, damping=0.85, tolerance=1e-6)
            rank = PageRankEnactor(graph, problem=problem)
            yield f"pagerank ({name}, {fields.__name__})", partial(_plan, rank.record(first))
        push = PushEnactor(graph, problem=PageRankProblem(graph, first=1.0, uniform=1.0, damping=0.85, tolerance=1e-6))
        yield f"pagerank by push ({name})", partial(_plan, push.record(first))
        left = ResidualEnactor(graph, problem=ResidualProblem(graph, uniform=1.0, damping=0.85, tolerance=1e-6))
        yield f"pagerank by residual ({name})", partial(_plan, left.record(Frontier.of(0)))
        hits = HITSEnactor(graph, tolerance=1e-8)
        yield f"hits ({name})", partial(_plan, hits.record(first))
        forest = ForestEnactor(graph, heaviest=0)
        yield f"spanning forest ({name})", partial(_plan, forest.record(Frontier.of_edges(0)))
        if graph.layout == "csr":
            labels = LabelEnactor(graph)
            yield f"label propagation ({name})", partial(_plan, labels.record(Frontier.of(0)))
        if graph.weighted:
            sssp = SSSPEnactor(graph)
            yield f"sssp ({name})", partial(_plan, sssp.record(sssp.start(0, 1.0)))
            parents = FromEqualEnactor(graph, problem=ParentsProblem(graph))
            yield f"parents ({name})", partial(_plan, parents.record(Frontier.of(0)))
            by_weight = SSSPEnactor(graph, problem=DistancesProblem(graph))
            yield f"distances ({name})", partial(_plan, by_weight.record(by_weight.start(0, 1.0)))
            yield from search_programs(name, PathsByWeightEnactor(graph))
        else:
            yield from search_programs(name, PathsByHopsEnactor(graph))
            yield f"hops ({name})", partial(_plan, HopsEnactor(graph).record(Frontier.of(0)))
            bfs = BFSEnactor(graph)
            yield f"bfs ({name})", partial(_plan, bfs.record(bfs.start(0)))
            together = MultiSourceEnactor(graph, depth=np.zeros(1, np.int32), every=1, vertices=1)
            yield f"multi-source bfs ({name})", partial(_plan, together.record(Frontier.of(0)))
            for steps in (1, 2):
                components = ComponentsEnactor(graph, max_iterations=steps)
                yield f"components in {steps} steps ({name})", partial(_plan, components.record(first))
            for triangles in (kind(graph, max_iterations=1) for kind in (TriangleEnactor, VertexTriangleEnactor)):
                name_of = type(triangles).__name__
                yield f"triangles ({name}, {name_of})", partial(_plan, triangles.record(Frontier.all_edges()))
            truss = TrussEnactor(graph, problem=TrussProblem(graph, least=1))
            yield f"truss ({name})", partial(_plan, truss.record(Frontier.all_edges()))
            for part in (TrimEnactor, ReachEnactor, SpreadEnactor, MatchEnactor):
                strong = part(graph, max_iterations=1 if part is MatchEnactor else None)
                label = f"strong components, {part.__name__} ({name})"
                yield label, partial(_plan, strong.record(Frontier.of(0)))
            match = MatchEnactor(graph, max_iterations=1)
            yield f"strong components, MatchEnactor over all ({name})", partial(_plan, match.record(first))
            coloring, independent_set = ColoringEnactor(graph), IndependentSetEnactor(graph)
            yield f"coloring ({name})", partial(_plan, coloring.record(Frontier.of(0)))
            yield f"independent set ({name})", partial(_plan, independent_set.record(Frontier.of(0)))
            core = CoreEnactor(graph)
            yield f"core number ({name})", partial(_plan, core.record(core.start(first)))


def walk_programs() -> Iterator[tuple[str, Program]]:
    """Random walks, which are transforms."""
    from minigr.apps import random_walks as walks
    from minigr.primitives import arguments, plans

    def kernel(function: Any, **fields: Any) -> Program:
        return partial(_collective, plans.transform(function, arguments.as_fields(fields), None))

    ids, sums = np.zeros(1, np.int32), np.zeros(1)
    rows: dict[str, Any] = {"offsets": np.zeros(2, np.int64)}
    walk: dict[str, Any] = {"starts": ids, "vertices": ids, "length": 1, "key": 1, "indices": ids, **rows}
    yield "random walks", kernel(walks.walk_evenly, **walk)
    yield "random walks by weight", kernel(walks.walk_by_weight, sums=sums, **walk)
    for dtype in _DTYPES:
        yield f"random walks, sums of {dtype}", kernel(walks.sum_row, weights=np.zeros(1, dtype), sums=sums, **rows)


def following_programs() -> Iterator[tuple[str, Program]]:
    """The loops and operators of the answers that follow a dynamic graph."""
    from minigr.apps.components import Join
    from minigr.apps.dynamic import bfs, coloring, components, core_number, heights, pagerank, sssp, triangles
    from minigr.apps.transition import OutWeight, Weight
    from minigr.enactor.once import _Once
    from minigr.operators.frontier import Frontier

    some, everyone = Frontier.of([0], "cpu"), Frontier.all_vertices()
    twice = Frontier.of([0, 0], "cpu")  # heads of a batch's arcs may be the same

    def operator(name: str, problem: Any, frontier: Frontier, functor: Any, **options: Any) -> Program:
        return partial(_plan, _Once(problem, name, functor, options).record(frontier))

    graphs = {"": dynamic_graphs()["slabs"], **{d: dynamic_graphs()[f"slabs {d}"] for d in _DTYPES}}
    for dtype, graph in graphs.items():
        rates = {"first": 1.0, "uniform": 1.0, "damping": 0.85, "tolerance": 1e-6, "bound": 1e-6, "most": 1}
        for fields in (pagerank.FollowedRanks, pagerank.SingleFollowedRanks):
            ranks = fields(graph, **rates)
            affected = pagerank.AffectedEnactor(graph, problem=ranks)
            yield f"dynamic pagerank ({dtype}, {fields.__name__})", partial(_plan, affected.record(some))
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
            yield f"dynamic sssp, {loop.__name__} ({dtype})", partial(_plan, way.record(first))
    places = bfs.PlacesProblem(graphs[""], tails=np.zeros(2, np.int32), counts=np.zeros(2, np.int64))
    ids = {name: np.zeros(graphs[""].num_vertices, np.int32) for name in ("label", "tails")}
    above = heights.HeightsProblem(graphs[""], counts=np.zeros(3, np.int64), **ids)
    cores = core_number.FollowedCores(graphs[""], looked=np.zeros(1, np.int64))
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
            {heights.ClimbEnactor: twice, heights.ReachEnactor: some, heights.RegrowEnactor: some},
        ),
        "core number": (
            cores,
            {
                core_number.FallEnactor: everyone,
                core_number.CandidatesEnactor: some,
                core_number.WithdrawEnactor: some,
            },
        ),
    }
    for name, (problem, loops) in followed.items():
        for loop, frontier in loops.items():
            way = loop(graphs[""], problem=problem)
            yield f"dynamic {name}, {loop.__name__}", partial(_plan, way.record(frontier))
    yield "dynamic pagerank spread", operator("advance", ranks, some, pagerank.Spread)
    arrays: dict[str, Any] = {"batch": np.zeros(1, np.int32), "sixths": np.zeros(1, np.int64), "sign": 1}
    for kind in (triangles.BatchEnactor, triangles.BatchVertexEnactor):
        counting = kind(graphs[""], max_iterations=1, **arrays)
        plan = counting.record(counting.start(np.zeros(1, np.int64)))
        yield f"dynamic triangles, {kind.__name__}", partial(_plan, plan)
    recolor = coloring.RecolorEnactor(graphs[""], problem=coloring.FollowedColors(graphs[""]))
    yield "dynamic coloring", partial(_plan, recolor.record(some))
    for rule in (core_number.StaysDown, core_number.Rise):
        yield f"dynamic core number, {rule.__name__}", operator("filter", cores, everyone, rule)
    yield "dynamic core number, seeds", operator("advance", cores, some, core_number.Rise)
    labels = components.LabelProblem(graphs[""])
    yield "dynamic join", operator("advance", labels, some, Join, output=None)
    yield "dynamic flatten some", operator("compute", labels, some, components.Flatten, into="roots")


def search_programs(name: str, search: Any) -> Iterator[tuple[str, Program]]:
    """What betweenness runs on a graph: a search that keeps its levels, and the sum over these."""
    from minigr.apps.betweenness import DependentsEnactor
    from minigr.operators.frontier import Frontier
    from minigr.operators.levels import Levels

    ids = np.zeros(1, np.int32)
    levels = Levels(ids, np.array([0, 1], np.int32), search.graph, search.graph.version)
    back = DependentsEnactor(search)
    yield f"search that counts paths ({name})", partial(_plan, search.record(Frontier.of(0)))
    yield f"betweenness ({name})", partial(_plan, back.record(Frontier.of_levels(levels, reverse=True)))


def _plan(plan: Any, architecture: int) -> Linked:
    from minigr.enactor.cuda import code_of

    code, text = code_of(plan, architecture)
    return code, text.parts


def _collective(program: Any, architecture: int) -> Linked:
    from minigr.primitives.cuda import code_of

    return code_of(program, architecture), [("run",)]


def _kernels(code_for: Callable[[int], CudaCode], architecture: int) -> Linked:
    """Kernels without functors, of which each is linked when it is first asked for."""
    return code_for(architecture), [(name,) for name in _names(code_for)]


@cache
def _names(code_for: Callable[[int], CudaCode]) -> list[str]:
    return kernels_of(code_for(ARCHITECTURES[0]).link())


# --- the generators' kernels, which have no functors -----------------------------------------------------------------


def generator_programs() -> Iterator[tuple[str, Program]]:
    """The kernels of `minigr.generate`, with the weights of each dtype."""
    from minigr.generate.program import code_for

    yield "generators", partial(_kernels, code_for)


# --- dynamic graphs, whose kernels have no functors either -----------------------------------------------------------


def dynamic_programs() -> Iterator[tuple[str, Program]]:
    """The kernels of `minigr.graphs.dynamic`."""
    from minigr.graphs.dynamic.program import code_for

    yield "dynamic graphs", partial(_kernels, code_for)


def batch_programs() -> Iterator[tuple[str, Program]]:
    """The kernels of `minigr.batch`."""
    from minigr.batch.program import code_for

    yield "batches of graphs", partial(_kernels, code_for)


def batch_transforms() -> Iterator[tuple[str, Program]]:
    """What answers that follow a graph do for each arc of a batch."""
    from minigr.apps.dynamic import bfs, coloring, components, core_number, drift
    from minigr.primitives import arguments, plans

    def each(function: Any, dtype: Any, **fields: Any) -> Program:
        wanted = None if dtype is None else np.dtype(dtype)
        return partial(_collective, plans.transform(function, arguments.as_fields(fields), wanted))

    short, long = np.zeros(1, np.int32), np.zeros(1, np.int64)
    ends = {"src": short, "dst": short}
    yield "dynamic depths", each(bfs._depth, np.int32, tree=long)
    yield "dynamic parents", each(bfs._parent, np.int32, tree=long)
    double = np.zeros(1)
    ranks = {"src": short, "rank": double, "chance": double, "drift": long}
    yield "dynamic drift, count", each(drift._count, None, **ranks, degrees=short)
    yield "dynamic drift, weigh", each(drift._weigh, None, **ranks, fresh=double, times=2.0)
    for dtype in _DTYPES:
        weights = {name: np.zeros(1, dtype) for name in ("weight", "before")}
        yield f"dynamic drift, weigh arcs ({dtype})", each(drift._weigh_arc, None, **ranks, **weights, fresh=double)
    yield "dynamic clashes", each(coloring._clash, np.int32, **ends, color=short)
    yield "dynamic join arcs", each(components._join_arcs, np.int32, **ends, label=short, joined=long)
    yield "dynamic flatten all", each(components._flatten_all, None, label=short)
    yield "dynamic list ends", each(core_number._list, None, **ends, state=short)


# --- the run ---------------------------------------------------------------------------------------------------------


@cache
def programs(apps_only: bool = False) -> list[tuple[str, Program]]:
    """All programs, or those that the package runs by itself; the same list in every process."""
    shared = generator_programs, dynamic_programs, batch_programs
    apps = app_programs, walk_programs, following_programs, batch_transforms
    of_users = () if apps_only else (primitive_programs, operator_programs, loop_programs)
    return [program for group in (*shared, *of_users, *apps) for program in group()]


def link_one(number: int, apps_only: bool, architectures: tuple[int, ...], seen: Path | None) -> tuple[int, float, str]:
    """Link program `number` for each architecture: its number, the seconds it took, and what went wrong.

    The cubins go into the cache; or, if there is a folder for what was `seen`, what is linked is only noted there.
    """
    begun = time.perf_counter()
    for architecture in architectures:
        try:
            code, parts = programs(apps_only)[number][1](architecture)
            if seen is None:
                code.cubins(parts)
            else:
                _link_unseen(code, parts, seen)
        except Exception as error:  # whatever it is, it is reported with the program's name, and the rest goes on
            return number, time.perf_counter() - begun, f"sm_{architecture}: {type(error).__name__}: {error}"
    return number, time.perf_counter() - begun, ""


def _link_unseen(code: CudaCode, parts: Sequence[Part], seen: Path) -> None:
    for part in parts:
        mark = seen / code.content_key(part)
        if not mark.exists():
            code.link(part)
            mark.touch()


def main(arguments: list[str] | None = None) -> int:
    """Compile and link everything and report; the number of programs that failed, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--architecture", type=int, action="append", choices=ARCHITECTURES, help="only this one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes that compile (default: all cores)")
    parser.add_argument("--apps", action="store_true", help="only what the package runs by itself")
    parser.add_argument("--keep", action="store_true", help="put what is linked into the cache of the user")
    parser.add_argument(
        "--seen", type=Path, help="a folder with notes of what was linked before, to link only the rest"
    )
    options = parser.parse_args(arguments)
    if options.keep and options.seen:
        parser.error("--keep links what the cache lacks, whatever was seen: leave --seen out")
    architectures = tuple(options.architecture or ARCHITECTURES)
    begun = time.perf_counter()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        if not options.keep:
            os.environ[DIRECTORY_VARIABLE] = folder
        seen = None if options.keep else options.seen or Path(folder, "seen")
        if seen is not None:
            seen.mkdir(parents=True, exist_ok=True)
        names = [name for name, _ in programs(options.apps)]
        with ProcessPoolExecutor(options.jobs) as pool:
            tasks = [pool.submit(link_one, n, options.apps, architectures, seen) for n in range(len(names))]
            for done, task in enumerate(as_completed(tasks), 1):
                number, seconds, error = task.result()
                failed += bool(error)
                verdict = f"FAILED {error}" if error else f"{seconds:.1f} s"
                print(f"[{done}/{len(names)}] {names[number]}: {verdict}", flush=True)
    targets = ", ".join(f"sm_{a}" for a in architectures)
    print(f"{len(names)} programs for {targets} in {time.perf_counter() - begun:.0f} s; {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
