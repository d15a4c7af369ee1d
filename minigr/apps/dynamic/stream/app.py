"""A window that slides over a stream of timed edges, and answers that follow it."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from minigr.apps.dynamic.common import updates
from minigr.apps.dynamic.common.maintained import Maintained
from minigr.apps.dynamic.stream.windows import as_times, as_width, ends_of, seen_before, seen_next
from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs import checks
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import edge_batch
from minigr.graphs.dynamic.batches import Batches
from minigr.signatures import names_options


@dataclass(frozen=True)
class Step:
    """One batch of a stream.

    Attributes
    ----------
    number : int
        From 0.
    end : number
        The window is the time from ``end - window`` up to but not including it.
    inserted, deleted : int
        Edges that are new in the window, and that have left it.
    seconds : float
        For graph and answers.
    """

    number: int
    end: Any
    inserted: int
    deleted: int
    seconds: float


@names_options
def stream(
    graph: Any,
    src: Any,
    dst: Any,
    time: Any,
    weights: Any = None,
    *,
    window: Any,
    batch: Any,
    answers: Sequence[Maintained] = (),
    callback: Callable[[Step], Any] | None = None,
    progress: bool = False,
) -> list[Step]:
    """Feed timed edges through a graph, batch by batch: an edge stays for as long as it was seen lately.

    In each step the edges that came since the last one are inserted, and those that were seen for the last time before
    the window are deleted. All answers follow each of the two batches, which the graph is given once. Edges of the
    graph that are not in the stream stay as they are.

    Parameters
    ----------
    graph : DynamicGraph or PartitionedDynamicGraph
        Takes the edges. Over processes all make the same call.
    src, dst : integer arrays or sequences [m]
        The ends of the edges.
    time : array or sequence of numbers [m]
        When each edge was seen, in order; finite.
    weights : array or sequence [m], optional
        For a weighted graph. An edge has the weight with which it was seen last.
    window : number
        How long an edge stays; more than 0. With infinity no edge leaves.
    batch : number, or array or sequence of numbers
        How much time a step is, or the times at which steps end, in order. Edges seen at the last of these or later are
        left out.
    answers : sequence of answers of `mg.dynamic`
        For this graph, which must be a `DynamicGraph` then; each follows all batches.
    callback : function, optional
        Called with a `Step` after each step, when graph and answers are what they are at its end.
    progress : bool
        Whether to show a bar on standard error.

    Returns
    -------
    list of Step

    Raises
    ------
    GraphError
        For edges that the graph refuses or an answer can't do with, times that are infinite, NaN or out of order, or an
        answer for another graph. Nothing is changed then.
    ProblemError
        If `window` or `batch` is not a number above 0, if one is so small beside the times that it is lost in
        rounding, if `batch` makes more than 10^8 steps, or if the times of `batch` fall. Nothing is changed then.

    Notes
    -----
    O(m log m), and what the batches cost. Where times are whole numbers, windows are cut exactly; a `window` or `batch`
    such as 3.0 counts as whole. Otherwise they are cut in float64.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.DynamicGraph(4, directed=False, device="cpu")
    >>> components = mg.dynamic.ConnectedComponents(graph)
    >>> counts = []
    >>> edges = [0, 1, 0, 2], [1, 2, 1, 3], [10, 11, 12, 14]
    >>> steps = mg.stream(graph, *edges, window=3, batch=1, answers=[components],
    ...                   callback=lambda step: counts.append(components.num_components))
    >>> [step.end for step in steps], counts
    ([11, 12, 13, 14, 15], [3, 2, 2, 2, 2])
    """
    if not issubclass(type(graph), Batches):
        raise GraphError(f"stream: graph must be a DynamicGraph, got {type(graph).__name__}")
    with scope(graph._device):
        source = checks.as_ids(graph._device, src, "src", graph.num_vertices)
        target = checks.as_ids(graph._device, dst, "dst", graph.num_vertices)
        edge_batch.check_lengths(source, target)
        graph._refuse_dead(source, target)
        values = edge_batch.as_batch_weights(graph._device, weights, len(source), graph.weight_dtype)
        seen = as_times(time, len(source))
        ends = ends_of(seen, batch)
        width = as_width(window, seen, ends)
        if callback is not None and not callable(callback):
            raise GraphError(f"stream: callback={callback!r}: give a function that takes a Step")
        for answer in answers:
            if not isinstance(answer, Maintained):
                raise GraphError(
                    f"stream: answers holds a {type(answer).__name__}: give answers of mg.dynamic, such as "
                    "mg.dynamic.TriangleCount(graph)"
                )
            if answer.graph is not graph:
                raise GraphError(f"stream: {answer._name} is an answer for another graph: make it for this one")
            answer._check_batch(values)
        following = seen_next(graph, CPU.asarray(source), CPU.asarray(target))
        steps: list[Step] = []
        came = gone = 0
        for end in track(ends, "streaming", disable=not progress, console=Console(stderr=True)):
            begun = clock.perf_counter()
            now, past = seen_before(seen, end), seen_before(seen, end - width)
            coming, new = slice(came, now), 0
            if now > came:
                some = None if values is None else values[coming]
                new = updates.insert(graph, answers, source[coming], target[coming], some)
            late = gone + np.flatnonzero(following[gone:past] >= now)
            lost = 0
            if len(late):
                places = graph._device.asarray(late)
                lost = updates.delete(graph, answers, source[places], target[places])
            came, gone = now, past
            step = Step(len(steps), end, new, lost, clock.perf_counter() - begun)
            steps.append(step)
            if callback is not None:
                callback(step)
    return steps
