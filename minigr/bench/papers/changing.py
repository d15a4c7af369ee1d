"""Code that the exhibits of SlabGraph and Meerkat share: calls of other benches on the graphs of a case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from minigr.apps.common.sources import highest_degree
from minigr.apps.dynamic.common.maintained import Recompute
from minigr.bench import dynamic
from minigr.bench.apps import measure_apps
from minigr.bench.component_schemes import component_schemes
from minigr.bench.document import Row
from minigr.bench.dynamic_calls import UNWEIGHTED, Plan
from minigr.bench.maintained import ANSWERS, KINDS, Batches, drawn_batches, measure_maintained
from minigr.bench.named import without_weights
from minigr.bench.papers.exhibit import EDGE_FACTOR, Case
from minigr.bench.recipes import KINDS as RECIPES
from minigr.bench.recipes import GivenGraph, Recipe, Source

FULL = 10_000
"""The number of edges of a batch that answers follow in Meerkat's paper."""
_ROOM = 8  # the graph has this many times the edges of all batches, so that enough different edges can be drawn


def sources(case: Case) -> Iterator[Source]:
    """The given graphs, without weights; and a uniform and an R-MAT graph, both directed."""
    for name, graph in case.given_graphs():
        yield GivenGraph(name, graph)
    if case.scale is None:
        return
    for kind in RECIPES:
        recipe = Recipe(kind, case.scale, EDGE_FACTOR)
        case.facts[recipe.name] = recipe.facts()
        yield recipe


def parts(names: Sequence[str], case: Case, values: Sequence[str] = (UNWEIGHTED,)) -> list[Row]:
    """Run parts of ``minigr bench dynamic``. Batches have 2^16 edges and more, but at most half of its edges."""
    rows = []
    for source in sources(case):
        sizes = [1 << exponent for exponent in dynamic.default_exponents(case.device)]
        sizes = [size for size in sizes if 2 * size <= source.num_drawn] or [max(source.num_drawn // 16, 1)]
        plan = Plan(source, case.device, sizes, case.repeat, tell=case.tell, values=values)
        rows += dynamic.measure_dynamic(names, plan)
    return rows


def apps(names: Sequence[str], case: Case) -> list[Row]:
    """Run ``minigr bench apps --dynamic`` without peers."""
    rows: list[Row] = []
    for name, graph in case.graphs():
        start = highest_degree(graph)
        rows += measure_apps(name, graph, start, names, [], case.repeat, dynamic=True, tell=case.tell)
    return rows


def followed(
    answers: Sequence[str], case: Case, sizes: Sequence[int] = (FULL,), recompute: Recompute = "auto"
) -> list[Row]:
    """Run ``minigr bench maintained`` with a batch for each sample. On small graphs batches are smaller."""
    rows: list[Row] = []
    for name, graph in case.graphs():
        if all(ANSWERS[answer].needs_weights and not graph.weighted for answer in answers):
            continue
        batches = [Batches(kind, size, case.repeat) for size in _fitting(graph, case, sizes) for kind in KINDS]
        rows += measure_maintained(name, graph, highest_degree(graph), answers, batches, case.tell, recompute)
    return rows


def schemes(case: Case, sizes: Sequence[int] = (FULL,)) -> list[Row]:
    """Time schemes that join components after insertions, with a batch of random pairs for each sample."""
    rows = []
    for name, graph in case.graphs():
        source = GivenGraph(name, without_weights(graph)).undirected()
        for size in _fitting(graph, case, sizes):
            batches = drawn_batches(source.graph, Batches("pairs", size, case.repeat))
            case.tell(f"{source.name}: batches of {size:,}")
            found = component_schemes(source.graph, batches, 1, case.device, case.tell)
            rows += [{**each, "key": {"graph": source.name, "batch": size, **each["key"]}} for each in found]
    return rows


def _fitting(graph: Any, case: Case, sizes: Sequence[int]) -> list[int]:
    """The sizes of batches, smaller on small graphs."""
    most = max(graph.num_edges // (_ROOM * (case.repeat + 1)), 1)
    return sorted({min(size, most) for size in sizes})
