"""Answers that follow a dynamic graph, compared with computing them again after each batch.

The measure is that of Meerkat (Concessao, Cheramangalath, Dev, Nasre, arXiv 2305.17813, section 6): the time of static
algorithms over the time of dynamic algorithms, for the same batches on the same graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import minigr as mg
from minigr.apps.dynamic.common.maintained import Recompute
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, ignore
from minigr.bench.named import without_weights
from minigr.bench.vanilla import Vanilla, search
from minigr.errors import MeasurementError
from minigr.graphs.backend import builder, scope
from minigr.jit.cache import programs_made
from minigr.program.executor import steps_run
from minigr.program.recordings import forget

AGAIN = "minigr, anew"
"""The ``by`` of rows of answers that are computed again. Stored results have these words."""
_SEED = 1
_CLOSE = 10  # ranks may differ by this times the tolerance, because each may be off by the change of an iteration


@dataclass(frozen=True)
class Answer:
    """An answer to time.

    Attributes
    ----------
    make : callable
        ``(graph, source, recompute) -> answer``, an object of `mg.dynamic`.
    compute : callable
        ``(graph, source) -> result``: the function that computes the same from the graph.
    equal : callable
        ``(answer, result) -> bool``.
    needs_weights : bool
    usual : bool
        Whether the answer is one of `mg.dynamic`, and is timed by default.
    """

    make: Callable[[Any, int, Recompute], Any]
    compute: Callable[[Any, int], Any]
    equal: Callable[[Any, Any], bool]
    needs_weights: bool = False
    usual: bool = True


def _alike(name: str) -> Callable[[Any, Any], bool]:
    return lambda answer, result: bool((getattr(answer, name) == getattr(result, name)).all())


def _close(tolerance: float) -> Callable[[Any, Any], bool]:
    return lambda a, b: bool(abs(a.rank - b.rank).sum() <= _CLOSE * tolerance * len(b.rank))


def _ranks(tolerance: float) -> Answer:
    return Answer(
        lambda g, _, when: mg.dynamic.PageRank(g, tol=tolerance, recompute=when),
        lambda g, _: mg.pagerank(g, tol=tolerance),
        _close(tolerance),
    )


def _vanilla(by_weight: bool) -> Answer:
    return Answer(
        lambda g, s, when: Vanilla(g, s, by_weight, when),
        lambda g, s: search(g, s, by_weight),
        _alike("length"),
        needs_weights=by_weight,
        usual=False,
    )


def _are_proper(answer: Any, result: Any) -> bool:
    """Whether both colorings give neighbors different colors. They may differ, because a graph has many colorings."""
    rows = answer.graph.to_graph()
    src = builder(answer.graph._device).row_of_arcs(rows.offsets, rows.num_arcs)
    apart = src != rows.indices
    return all(bool((color[src] != color[rows.indices])[apart].all()) for color in (answer.color, result.color))


ANSWERS = {
    "bfs": Answer(lambda g, s, when: mg.dynamic.BFS(g, s, recompute=when), lambda g, s: mg.bfs(g, s), _alike("depth")),
    "sssp": Answer(
        lambda g, s, when: mg.dynamic.SSSP(g, s, recompute=when), lambda g, s: mg.sssp(g, s), _alike("distance"), True
    ),
    "components": Answer(
        lambda g, _, when: mg.dynamic.ConnectedComponents(g, recompute=when),
        lambda g, _: mg.connected_components(g),
        _alike("label"),
    ),
    "pagerank": _ranks(1e-6),  # the default tolerance, also NetworkX's: a few iterations over all vertices
    "pagerank-1e-10": _ranks(1e-10),
    "triangles": Answer(
        lambda g, _, when: mg.dynamic.TriangleCount(g, recompute=when),
        lambda g, _: mg.triangle_count(g),
        lambda answer, result: answer.total == result.total,
    ),
    "core-number": Answer(
        lambda g, _, when: mg.dynamic.CoreNumber(g, recompute=when), lambda g, _: mg.core_number(g), _alike("core")
    ),
    "coloring": Answer(
        lambda g, _, when: mg.dynamic.Coloring(g, recompute=when), lambda g, _: mg.coloring(g), _are_proper
    ),
    "bfs-vanilla": _vanilla(by_weight=False),
    "sssp-vanilla": _vanilla(by_weight=True),
}
"""All answers by name. A new answer needs only an entry here."""


@dataclass(frozen=True)
class Batches:
    """The kind of batches: ``"edges"`` of the graph, deleted, then inserted; or random ``"pairs"``, inserted first."""

    kind: str
    size: int
    count: int


KINDS = ("edges", "pairs")


def unfit(answers: Sequence[str], graph: Any) -> dict[str, str]:
    """The answers among these that can't be computed on the graph, by name, with the reason."""
    needy = [name for name in answers if ANSWERS[name].needs_weights and not graph.weighted]
    return dict.fromkeys(needy, "needs edge weights")


def measure_maintained(
    name: str,
    graph: Any,
    source: int,
    answers: Sequence[str],
    batches: Sequence[Batches],
    tell: Tell = ignore,
    recompute: Recompute = "auto",
) -> Iterator[Row]:
    """Time answers that follow batches, and the same answers computed again after each batch.

    Parameters
    ----------
    name : str
        The name of the graph in the rows' keys.
    graph : Graph
        If it is directed, the answers keep in-edges.
    source : int
        The vertex where searches start.
    answers : sequence of str
        Names of `ANSWERS`. Answers that need weights are left out if the graph has none.
    batches : sequence of Batches
        If there are several sizes, the rows' keys have the size as ``batch``.
    tell : callable
    recompute : {"auto", "always", "never"}
        When answers are computed again instead of repaired.

    Yields
    ------
    Row
        As soon as it is measured. Each batch is a sample, without the time of the update of the graph. Batches for
        which programs were compiled are left out. All rows have ``iterations``, the steps of loops of all batches.
        Rows of answers that follow also have ``speedup``, the time of computing again over the time of following, both
        summed over the batches; ``speedup_with_graph``, which adds the update of the graph to both times;
        ``graph_ms``, the time of this update; ``updates``, how many repairs and recomputations there were; and
        ``touched``, how many vertices were looked at again in all batches.

    Raises
    ------
    MeasurementError
        If an answer is not equal to the same answer computed again.
    """
    several = len({some.size for some in batches}) > 1
    drawn: dict[tuple[bool, Batches], list[Any]] = {}  # shared by all answers, because drawing takes a while
    absent = unfit(answers, graph)
    for which in (each for each in answers if each not in absent):
        answer = ANSWERS[which]
        subject = graph if answer.needs_weights else without_weights(graph)
        slabs = mg.DynamicGraph.from_graph(subject, in_edges=graph.directed)
        for some in batches:  # a first follower compiles the programs of repairs
            tell(f"{name}: {which}, rehearsed")
            if (subject.weighted, some) not in drawn:
                drawn[subject.weighted, some] = drawn_batches(subject, some)
            _rehearse(answer.make(slabs, source, "never"), drawn[subject.weighted, some][0], some)
        follower = answer.make(slabs, source, recompute)
        for some in batches:
            own = drawn[subject.weighted, some]
            key = {"graph": name, "answer": which, **({"batch": some.size} if several else {}), "batches": some.kind}
            for change, timings in _rounds(answer, follower, source, some.kind, own, f"{name}: {which}", tell):
                yield from timings.rows({**key, "change": change})


def _rehearse(follower: Any, batch: Any, batches: Batches) -> None:
    changes = [lambda: follower.delete_edges(*batch[:2]), lambda: follower.insert_edges(*batch)]
    for change in changes if batches.kind == "edges" else reversed(changes):
        change()


class _Timings:
    """Times of batches in milliseconds."""

    def __init__(self) -> None:
        self.whole: list[float] = []
        self.own: list[float] = []
        self.again: list[float] = []
        self.kinds: Counter[str] = Counter()
        self.touched = 0
        self.steps, self.steps_again = 0, 0

    def add(self, whole: float, again: float, update: Any, steps: tuple[int, int]) -> None:
        self.steps, self.steps_again = self.steps + steps[0], self.steps_again + steps[1]
        self.whole.append(whole)
        self.own.append(update.seconds * 1e3)
        self.again.append(again)
        self.kinds[update.kind] += 1
        self.touched += update.touched

    def rows(self, key: dict[str, Any]) -> list[Row]:
        if not self.own:
            raise MeasurementError(
                f"{' '.join(map(str, key.values()))}: programs were compiled in each batch: run the command again, "
                "which finds them compiled"
            )
        own, again = sum(self.own), sum(self.again)
        update = sum(self.whole) - own
        found: dict[str, Any] = {"speedup": again / own, "speedup_with_graph": (again + update) / (own + update)}
        found |= {"graph_ms": update / len(self.own), "updates": dict(self.kinds), "touched": self.touched}
        return [
            row({**key, "by": MINIGR}, self.own, **found, iterations=self.steps),
            row({**key, "by": AGAIN}, self.again, iterations=self.steps_again),
        ]


def _rounds(
    answer: Answer, follower: Any, source: int, kind: str, batches: Sequence[Any], label: str, tell: Tell
) -> Iterator[tuple[str, _Timings]]:
    changes = ("delete", "insert") if kind == "edges" else ("insert", "delete")
    for change in changes:  # the first batch warms up and is not sampled
        timings = _Timings()
        for number, batch in enumerate(batches):
            tell(f"{label}, {change} {kind}, {number} of {len(batches) - 1}")
            ends = batch if change == "insert" else batch[:2]
            _apply(answer, follower, source, change, ends, timings if number else _Timings())
        yield change, timings


def _apply(answer: Answer, follower: Any, source: int, change: str, batch: Any, timings: _Timings) -> None:
    graph = follower.graph
    device = graph._device
    device.synchronize()
    begun, made, steps = perf_counter(), programs_made(), [steps_run()]
    getattr(follower, f"{change}_edges")(*batch)
    device.synchronize()
    whole, update = (perf_counter() - begun) * 1e3, follower.last_update
    steps.append(steps_run())
    graph._facts.clear()  # the follower has to find out facts about the graph after each batch, so do this here, too
    forget(graph)  # the follower's steps are recorded again after each batch, so record them here again, too
    begun = perf_counter()
    result = answer.compute(graph, source)
    device.synchronize()
    again = (perf_counter() - begun) * 1e3
    steps.append(steps_run())
    if programs_made() == made:
        timings.add(whole, again, update, (steps[1] - steps[0], steps[2] - steps[1]))
    if not answer.equal(follower, result):
        raise MeasurementError(f"{follower._name} is wrong after a batch to {change}: this is a defect of minigr")


def _require_edges(there: int, needed: int, batches: Batches) -> None:
    if there < needed:
        raise MeasurementError(f"the graph has too few edges for {batches.count} batches: give a smaller --batch")


def drawn_batches(graph: Any, batches: Batches) -> list[tuple[Any, ...]]:
    """`count` + 1 batches on the graph's device, weighted if the graph is; no two batches share an edge."""
    rng, device = np.random.default_rng(_SEED), graph._device
    size, number = batches.size, batches.size * (batches.count + 1)
    of_edges = batches.kind == "edges"
    _require_edges(graph.num_edges, number if of_edges else int(graph.weighted), batches)  # pairs have edges' weights
    with scope(device):
        weights = None
        if of_edges:
            arcs = device.asarray(np.unique(rng.integers(0, graph.num_arcs, 4 * number)))
            src = (device.xp.searchsorted(graph.offsets, arcs, side="right") - 1).astype(np.int32)
            dst = graph.indices[arcs]
            once = src != dst if graph.directed else src < dst  # only one of the two arcs of an edge
            _require_edges(int(once.sum()), number, batches)
            order = device.asarray(rng.permutation(int(once.sum()))[:number])
            src, dst, arcs = src[once][order], dst[once][order], arcs[once][order]
            weights = graph.weights[arcs] if graph.weighted else None
        else:
            src, dst = (device.asarray(rng.integers(0, graph.num_vertices, number, np.int32)) for _ in range(2))
            if graph.weighted:
                weights = graph.weights[device.asarray(rng.integers(0, graph.num_arcs, number))]
        parts = [slice(i, i + size) for i in range(0, len(src), size)]
        columns = (src, dst) if weights is None else (src, dst, weights)
        return [tuple(device.xp.ascontiguousarray(column[part]) for column in columns) for part in parts]
