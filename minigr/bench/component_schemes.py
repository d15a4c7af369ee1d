"""Schemes that join the components of a graph after an insertion: those of Meerkat, and the one of `mg.dynamic`.

Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813)
keeps trees of labels and joins them along edges. The paper compares iterators by which a scheme gets the new edges. It
has no such scheme for deletions; `mg.dynamic.ConnectedComponents` follows deletions, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from minigr import DynamicGraph, Enactor, Frontier, Functor, Problem, connected_components, dynamic, join
from minigr.apps.components.programs import flatten
from minigr.bench.document import MINIGR, Row, row
from minigr.bench.measure import Tell, ignore
from minigr.errors import MeasurementError
from minigr.jit.cache import programs_made
from minigr.primitives import transform
from minigr.program.fields import vertex_field
from minigr.program.frontier import Handle


class Trees(Problem):
    label = vertex_field(np.int32)
    updated = vertex_field(np.int32)  # 1: the last batch has edges of this vertex


class Join(Functor):
    def apply_advance(src, dst, label):
        join(label, src, dst)

    def apply(vertex, label):
        flatten(label, vertex)  # so that every vertex is right below its root


class Begin(Functor):
    def apply(vertex, label):
        label[vertex] = vertex


class Updated(Functor):
    def cond_filter(vertex, updated):
        return updated[vertex] == 1

    def apply_filter(vertex, updated):
        updated[vertex] = 0


def flag(i, src, dst, updated):
    """Mark both ends of edge `i` of a batch."""
    updated[src[i]] = 1
    updated[dst[i]] = 1


class AllSlabs(Enactor, problem=Trees, functor=Join, steady=True):
    """Go through all edges again: Meerkat's SlabIterator over all vertices."""

    starts_again = False  # whether to reset all labels first
    flags = False  # whether to go only through vertices that have an edge of the batch
    since: Any = None

    def step(self, frontier: Handle) -> None:
        if self.starts_again:
            self.compute(frontier, Begin)
        some = self.filter(frontier, Updated) if self.flags else frontier
        self.advance(some, output=None, since=self.since)
        self.compute(Frontier.all_vertices())

    def follow(self, src: Any, dst: Any) -> None:
        """Join components along the edges of a batch that is in the graph already."""
        if self.flags:
            transform(flag, src=src, dst=dst, updated=self.problem.updated, count=len(src))
        self.run()


class Static(AllSlabs):
    """Keep nothing between batches: Meerkat's static union-find."""

    starts_again = True


class SlabsOfUpdatedVertices(AllSlabs):
    """Go through all edges of the vertices of the batch: Meerkat's SlabIterator with a flag for each vertex."""

    flags = True


class UpdatedSlabs(AllSlabs):
    """Go through the edges since a mark: Meerkat's UpdateIterator, over all vertices."""

    since = "mark"


class UpdatedSlabsOfUpdatedVertices(AllSlabs):
    """Go through the edges since a mark of the batch's vertices: the UpdateIterator with a flag for each vertex."""

    flags, since = True, "mark"


SCHEMES: dict[str, type[AllSlabs]] = {
    "static": Static,
    "all slabs": AllSlabs,
    "slabs of updated vertices": SlabsOfUpdatedVertices,
    "updated slabs": UpdatedSlabs,
    "updated slabs of updated vertices": UpdatedSlabsOfUpdatedVertices,
}
"""The schemes of Meerkat by name."""
AGAIN, BATCH = "connected_components", "edges of the batch"
"""`mg.connected_components`, and `mg.dynamic.ConnectedComponents`, which joins along the edges of the batch."""


def component_schemes(
    graph: Any, batches: Sequence[tuple[Any, Any]], repeat: int, device: Any, tell: Tell = ignore
) -> list[Row]:
    """Time each scheme for each batch of edges that a graph takes, one batch after the other.

    Parameters
    ----------
    graph : Graph
        The graph before the first batch. Its weights make no difference.
    batches : sequence of (src, dst)
        The ends of the edges of each batch; at least one batch.
    repeat : int
        How often all batches are inserted into a new copy of the graph; at least once.
    device : str or Device
        The device for the graph.
    tell : callable
        Gets a line about the call that runs now.

    Returns
    -------
    list of Row
        A row for each scheme; the key has ``scheme`` and ``by``. A sample is the time for one batch in milliseconds.
        Samples include the time that brings every label right below its root, but not the update of the graph. Schemes
        that use a mark include the time that sets it, and have ``mark_ms``, its mean over the batches. All rows have
        ``edges``, the mean number of edges of a batch, and ``speedup``, the sum of the static scheme's samples over the
        sum of the row's samples.

    Raises
    ------
    MeasurementError
        If two schemes differ in a label, or if programs were compiled during every batch.
    """
    times: dict[str, list[float]] = {name: [] for name in (*SCHEMES, AGAIN, BATCH)}
    marks: list[float] = []
    for turn in range(repeat):
        slabs = DynamicGraph.from_graph(graph.to(device))
        answer = dynamic.ConnectedComponents(slabs, recompute="never")
        schemes = {name: scheme(slabs, max_iterations=1, label=answer.label) for name, scheme in SCHEMES.items()}
        rehearsal = [tuple(ends[:1] for ends in batches[0])] * 2  # the first makes loops ready, the second runs them
        for number, (src, dst) in enumerate([*rehearsal, *batches]):
            tell(f"components, {turn + 1} of {repeat}, batch {number - 1} of {len(batches)}")
            found, mark = _follow(slabs, answer, schemes, src, dst)
            if number > 1 and found:
                marks.append(mark)
                for name, milliseconds in found.items():
                    times[name].append(milliseconds)
    if not marks:
        raise MeasurementError(
            "components: programs were compiled in each batch: run the command again, which finds them compiled"
        )
    rows = []
    for name, samples in times.items():
        facts: dict[str, Any] = {"speedup": sum(times["static"]) / sum(samples)}
        facts["edges"] = sum(len(src) for src, _ in batches) / len(batches)
        if name in SCHEMES and SCHEMES[name].since:
            facts["mark_ms"] = sum(marks) / len(marks)
        rows.append(row({"scheme": name, "by": MINIGR}, samples, **facts))
    return rows


def _follow(
    slabs: Any, answer: Any, schemes: dict[str, AllSlabs], src: Any, dst: Any
) -> tuple[dict[str, float], float]:
    """Milliseconds of each scheme for a batch, and of the mark before it; empty if programs were compiled."""
    made, xp = programs_made(), slabs._device.xp
    mark, _ = _timed(slabs, slabs.mark)
    answer.insert_edges(src, dst)
    flattening, label = _timed(slabs, lambda: answer.label)
    found = {BATCH: answer.last_update.seconds * 1e3 + flattening}
    for name, scheme in schemes.items():
        milliseconds, _ = _timed(slabs, partial(scheme.follow, xp.asarray(src), xp.asarray(dst)))
        found[name] = milliseconds + (mark if scheme.since else 0.0)
        if not bool((scheme.problem.label == label).all()):
            raise MeasurementError(f"components: {name!r} differs from {BATCH!r}: this is a defect of minigr")
    slabs._facts.clear()  # so that the next call finds out the facts about the graph again
    found[AGAIN], result = _timed(slabs, lambda: connected_components(slabs))
    if not bool((result.label == label).all()):
        raise MeasurementError(f"components: {AGAIN!r} differs from {BATCH!r}: this is a defect of minigr")
    return (found if programs_made() == made else {}), mark


def _timed(slabs: Any, call: Callable[[], Any]) -> tuple[float, Any]:
    begun = perf_counter()
    result = call()
    slabs._device.synchronize()
    return (perf_counter() - begun) * 1e3, result
