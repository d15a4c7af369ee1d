"""A dynamic graph through its public calls: updates, builds, vertices, load factors, iteration over its edges.

If a timed call changes the graph, the graph is made again before the call, untimed. So every sample begins with the
same graph, except for a few edges of the rehearsals of updates and queries. Batches are random, with repeats, and on
the device. Each sample has another batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigr import DynamicGraph, Frontier, Functor, Problem, atomic_add, vertex_field
from minigr.bench.document import MINIGR, Row
from minigr.bench.dynamic_calls import MEASURES, UNWEIGHTED, Memory, Plan, Subject, keyed, rows_of
from minigr.bench.dynamic_lookups import lookups
from minigr.bench.dynamic_triangles import triangles
from minigr.bench.timed import Call, drop
from minigr.device import Device
from minigr.errors import MeasurementError
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.operators.calls import advance, neighbor_reduce

STEP = 1 << 20
"""Edges of one batch of an incremental build."""
EDGES_OF_A_VERTEX = 16
"""Edges that are inserted with a new vertex."""
LOAD_FACTORS = (0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0, 2.0, 3.0, 5.0, math.inf)
NOT_HASHED = "inf"
"""The load factor of graphs with one bucket for each vertex, in rows' keys, because JSON has no infinity."""


def updates(plan: Plan) -> list[Row]:
    """Rates at which minigr and its peers insert, find and delete batches of edges."""
    return [found for values in plan.values for found in _updates(plan, values)]


def _updates(plan: Plan, values: str) -> list[Row]:
    key = keyed({"graph": plan.recipe.name, "part": "updates"}, values)
    subject = Subject(plan.recipe, plan.device, values)
    original = subject.original()
    peers = {name: peer(plan.recipe) for name, peer in plan.peers.items() if values == UNWEIGHTED}
    calls: list[Call] = []
    for size in plan.batches:
        calls += subject.batch_calls(key, size, before=partial(subject.restore, original, size))
        for name, peer in peers.items():  # peers get the same batch as minigr
            if size <= peer.most_edges:
                insert, query, delete = ({**key, "measure": what, "batch": size, "by": name} for what in MEASURES)
                calls += [
                    Call(insert, peer.insert, before=partial(_hand_over, subject, peer), count=size),
                    Call(query, peer.query, after=_require_all, count=size),
                    Call(delete, peer.delete, count=size),
                ]
    rows = rows_of(plan, calls)
    medians = {_change(found): found["median"] for found in rows if found["key"]["by"] == MINIGR}
    for found in rows:
        found["ratio"] = found["median"] / medians[_change(found)]
        if found["key"]["by"] != MINIGR:
            found["what"] = plan.peers[found["key"]["by"]].calls[found["key"]["measure"]]
    return rows


def builds(plan: Plan) -> list[Row]:
    """Builds in one call for each dtype of weights, builds by batches, rehashing, and the memory of the graphs."""
    recipe, drawn = plan.recipe, plan.recipe.num_drawn
    edges = recipe.edges(plan.device)
    subject, memory = Subject(recipe, plan.device), Memory()
    distinct = recipe.built(plan.device, edges).num_edges
    key = {"graph": recipe.name, "part": "builds"}
    weights: Any = None

    def weigh(dtype: str) -> None:
        nonlocal weights
        weights = None if dtype == UNWEIGHTED else recipe.weights(plan.device, dtype)

    def keep(dtype: str, graph: DynamicGraph) -> None:
        subject.graph = graph
        memory.note(f"bulk, {dtype}", graph)

    def in_batches() -> DynamicGraph:
        graph = recipe.empty(plan.device)
        for at in range(0, drawn, STEP):
            graph.insert_edges(*(ends[at : at + STEP] for ends in edges))
        return graph

    calls = [
        Call(
            {**key, "measure": "bulk", "weights": dtype, "by": MINIGR},
            lambda: recipe.built(plan.device, edges, weights),
            before=partial(weigh, dtype),
            after=partial(keep, dtype),
            count=drawn,
        )
        for dtype in (*WEIGHT_DTYPES, UNWEIGHTED)  # the graph of the last one is rehashed below
    ]
    calls += [
        Call({**key, "measure": "rehash", "by": MINIGR}, subject.rehash, after=drop, count=distinct),
        Call(
            {**key, "measure": "incremental", "batch": min(STEP, drawn), "by": MINIGR},
            in_batches,
            after=partial(memory.note, "incremental"),
            count=drawn,
        ),
    ]
    return rows_of(plan, calls) + memory.rows(key, "build")


def vertices(plan: Plan) -> list[Row]:
    """Rates at which vertices are inserted, alone and with edges, and deleted with their edges."""
    subject = Subject(plan.recipe, plan.device)
    original = subject.original()
    key = {"graph": plan.recipe.name, "part": "vertices"}
    gone: dict[int, tuple[int, int]] = {}

    def note(size: int, deleted: int) -> None:
        gone[size] = deleted, original.num_edges - subject.graph.num_edges

    calls = []
    for size in sorted({max(plan.recipe.num_vertices >> less, 1) for less in (8, 4)}):
        measures = ("insert", "insert with edges", "delete")
        alone, connected, delete = ({**key, "measure": name, "batch": size, "by": MINIGR} for name in measures)
        restore = partial(subject.restore, original, vertices=size)
        with_edges = partial(subject.restore_for_new, original, EDGES_OF_A_VERTEX * size, size)
        calls += [
            Call(alone, partial(subject.insert_vertices, size), before=restore),
            Call(connected, partial(subject.insert_connected, size), before=with_edges),
            Call(delete, subject.delete_vertices, before=restore, after=partial(note, size)),
        ]
    rows = rows_of(plan, calls)
    for found in rows:
        measure, size = found["key"]["measure"], found["key"]["batch"]
        given = EDGES_OF_A_VERTEX * size if measure == "insert with edges" else 0
        number, edges = gone[size] if measure == "delete" else (size, given)
        found |= {"vertices": number, "edges": edges, "mvertices_per_s": number / found["median"] / 1e3}
    return rows


def load_factors(plan: Plan) -> list[Row]:
    """Rates, memory and lengths of chains for each load factor, on a denser graph that is rehashed for each.

    These are figures 2 and 3 of SlabGraph's paper (Awad et al., IPDPS 2020). The last factor turns hashing off.
    Rehashing computes the number of buckets from distinct edges, so repeats among the drawn edges do not cause unused
    room.
    """
    recipe = plan.recipe.denser()
    original = recipe.built(plan.device, recipe.edges(plan.device))
    subject, memory = Subject(recipe, plan.device), Memory()
    size = max(original.num_edges // 16, 1)  # few enough that the load factor stays about the same
    key = {"graph": recipe.name, "part": "load"}
    calls = []
    for factor in LOAD_FACTORS:
        own = {**key, "load_factor": NOT_HASHED if math.isinf(factor) else factor}
        calls += [
            Call(
                {**own, "measure": "rehash", "by": MINIGR},
                partial(subject.rehash, factor),
                before=partial(subject.restore, original, size),
                after=partial(memory.note, own["load_factor"]),
                count=original.num_edges,
            ),
            Call({**own, "measure": "to_graph", "by": MINIGR}, subject.to_graph, after=drop, count=original.num_edges),
            *subject.batch_calls(own, size),
        ]
    return rows_of(plan, calls) + memory.rows(key, "load_factor")


class _Sums(Problem):
    total = vertex_field(np.int64)


class _Sum(Functor):
    def map(dst):
        return dst

    def apply_advance(src, dst, total):
        atomic_add(total, src, dst)


def _reduced(graph: DynamicGraph) -> object:
    """The sum of each vertex's neighbors, by a reduction over its edges."""
    problem = _Sums(graph)
    neighbor_reduce(problem, Frontier.all_vertices(), _Sum, reduce="add", into="total")
    return problem.total


def _advanced(graph: DynamicGraph) -> object:
    """The sum of each vertex's neighbors, by an atomic addition for each edge."""
    problem = _Sums(graph)
    advance(problem, Frontier.all_vertices(), _Sum, output=None)
    return problem.total


WAYS: dict[str, Callable[[DynamicGraph], object]] = {
    "to_graph": lambda graph: graph.to_graph(),
    "added_since_mark": lambda graph: graph.added_since_mark(),
    "neighbor_reduce": _reduced,
    "advance": _advanced,
}
"""Iterations over all edges of a graph whose edges were inserted after a mark. A new one needs only an entry here."""


def iteration(plan: Plan) -> list[Row]:
    """Rates of the iterations over all edges."""
    graph = plan.recipe.empty(plan.device)
    graph.mark()
    graph.insert_edges(*plan.recipe.edges(plan.device))
    key = {"graph": plan.recipe.name, "part": "iteration"}
    calls = [
        Call({**key, "measure": name, "by": MINIGR}, partial(way, graph), after=drop, count=graph.num_edges)
        for name, way in WAYS.items()
    ]
    return rows_of(plan, calls)


PARTS: dict[str, Callable[[Plan], list[Row]]] = {
    "updates": updates,
    "builds": builds,
    "vertices": vertices,
    "load": load_factors,
    "iteration": iteration,
    "lookups": lookups,
    "triangles": triangles,
}
"""All measurements by name."""


def default_scale(device: Device) -> int:
    """The default scale: a CPU needs about a minute for it, and it fills a GPU."""
    return 20 if device.is_cuda else 16


def default_exponents(device: Device) -> range:
    """The default sizes of batches, as powers of two."""
    return range(16, 23, 2) if device.is_cuda else range(16, 21, 2)


def measure_dynamic(parts: Sequence[str], plan: Plan) -> list[Row]:
    """Measure a dynamic graph.

    Parameters
    ----------
    parts : sequence of str
        Names of `PARTS`.
    plan : Plan

    Returns
    -------
    list of Row
        Times, with ``edges`` and ``medges_per_s``. Updates and builds count the given edges, with repeats; rehashing
        and iteration count the edges of the graph; an undirected edge counts once. Rows of ``"vertices"`` have
        ``vertices``, ``mvertices_per_s``, and in ``edges`` how many edges were inserted or deleted with the vertices.
        Rows of peers have ``what``, and all rows of updates have ``ratio``, the row's median over minigr's. Rows of
        memory have ``bytes_per_edge`` and the fields of `minigr.graphs.dynamic.report.MemoryReport`.

    Raises
    ------
    MeasurementError
        If the graph does not fit the memory, or an answer is wrong.
    """
    rows = []
    for part in parts:
        plan.tell(f"{part}: the graph")
        try:
            rows += PARTS[part](plan)
        except MemoryError as error:
            name = plan.recipe.name
            raise MeasurementError(f"{part} of {name}: does not fit the memory: give a smaller graph") from error
    return rows


def _change(found: Row) -> tuple[str, int]:
    return found["key"]["measure"], found["key"]["batch"]


def _hand_over(subject: Subject, peer: Any) -> None:
    peer.take(*subject.batch)


def _require_all(found: Sequence[bool]) -> None:
    if not all(found):
        raise MeasurementError("the peer does not find the edges that it was given: leave it out of --peers")
