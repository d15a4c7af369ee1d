"""A sliding window over a stream of timed edges, and answers that follow the window."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Collection, Sequence
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
        Number of the step, from 0.
    end : number
        End of the window, which is the time from ``end - window`` up to but not including ``end``.
    inserted, deleted : int
        Number of edges that are new in the window, and number of edges that have left the window.
    seconds : float
        Time to update graph and answers.
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
    """Feed timed edges through a graph, batch by batch; an edge stays while it was seen within the window.

    Each step inserts the edges that came since the last step, and deletes the edges that were last seen before the
    window. All answers follow each of the two batches, which the graph receives once. Edges of the graph that are not
    in the stream are unchanged.

    Parameters
    ----------
    graph : DynamicGraph or PartitionedDynamicGraph
        The graph that receives the edges. If the graph is spread over processes, all processes make the same call.
    src, dst : integer arrays or sequences [m]
        The ends of the edges.
    time : array or sequence of numbers [m]
        When each edge was seen: finite, in order of time.
    weights : array or sequence [m], optional
        For a weighted graph. An edge has the weight with which the edge was last seen.
    window : number
        How long an edge stays; above 0. With infinity, no edge leaves.
    batch : number, or array or sequence of numbers
        Length of a step, or the times at which steps end, in order. Edges seen at the last of these times or later are
        left out.
    answers : sequence of answers of `mg.dynamic`
        Answers for this graph, which must then be a `DynamicGraph`. Each answer follows all batches.
    callback : function, optional
        Function that is called with a `Step` after each step, when graph and answers are up to date.
    progress : bool
        Whether to show a progress bar on standard error.

    Returns
    -------
    list of Step

    Raises
    ------
    GraphError
        If `graph` is not a dynamic graph, or refuses the edges. If a time is infinite, NaN or out of order. If an
        element of `answers` is not an answer of `mg.dynamic`, is for another graph, or cannot handle the edges. If
        `callback` cannot be called. Nothing is changed then.
    ProblemError
        If `window` or `batch` is not a number above 0, if either is so small compared to the times that it is lost in
        rounding, if `batch` makes more than 10^8 steps, or if the times of `batch` decrease. Nothing is changed then.

    Notes
    -----
    The work is O(m log m), plus the work of the batches. If times are whole numbers, windows are cut exactly; a
    `window` or `batch` such as 3.0 counts as a whole number. Otherwise, windows are cut in float64.

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
        if not isinstance(answers, Collection) or len({id(answer) for answer in answers}) < len(answers):
            raise GraphError("stream: answers must be a list of answers, with each answer once")
        for answer in answers:
            if not isinstance(answer, Maintained):
                raise GraphError(
                    f"stream: answers holds a {type(answer).__name__}: give answers of mg.dynamic, such as "
                    "mg.dynamic.TriangleCount(graph)"
                )
            if answer.graph is not graph:
                raise GraphError(f"stream: {answer._name} is an answer for another graph: make one for this graph")
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
