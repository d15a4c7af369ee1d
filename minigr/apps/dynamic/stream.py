"""A window that slides over a stream of timed edges, and answers that follow it."""

from __future__ import annotations

import math
import time as clock
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from minigr.apps.common.checks import require
from minigr.apps.dynamic.common import changes
from minigr.apps.dynamic.common.maintained import Maintained
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from minigr.graphs import checks
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import batch as batches
from minigr.signatures import names_options

MAX_STEPS = 10**8
"""Steps that a stream may be cut into: what is told of them fills the memory before."""


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
    graph : DynamicGraph
        Takes the edges.
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
        For this graph; each follows all batches.
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
    if getattr(graph, "layout", None) != "slabs":
        raise GraphError(f"stream: graph must be a DynamicGraph, got {type(graph).__name__}")
    with scope(graph._device):
        source = checks.as_ids(graph._device, src, "src", graph.num_vertices)
        target = checks.as_ids(graph._device, dst, "dst", graph.num_vertices)
        batches.check_lengths(source, target)
        if graph._num_dead:
            batches.refuse_dead(graph._dead, source, target)
        values = batches.as_batch_weights(graph._device, weights, len(source), graph.weight_dtype)
        seen = _times(time, len(source))
        ends = _ends(seen, batch)
        width = _width(window, seen, ends)
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
        following = _seen_next(graph, CPU.asarray(source), CPU.asarray(target))
        steps: list[Step] = []
        came = gone = 0
        for end in track(ends, "streaming", disable=not progress, console=Console(stderr=True)):
            begun = clock.perf_counter()
            now, past = _before(seen, end), _before(seen, end - width)
            coming, new = slice(came, now), 0
            if now > came:
                some = None if values is None else values[coming]
                new = changes.insert(graph, answers, source[coming], target[coming], some)
            late = gone + np.flatnonzero(following[gone:past] >= now)
            lost = 0
            if len(late):
                places = graph._device.asarray(late)
                lost = changes.delete(graph, answers, source[places], target[places])
            came, gone = now, past
            step = Step(len(steps), end, new, lost, clock.perf_counter() - begun)
            steps.append(step)
            if callback is not None:
                callback(step)
    return steps


def _times(time: Any, count: int) -> Any:
    """`time` as an array on the host, in order."""
    seen = checks.as_vector(CPU, CPU.asarray(time), "time")
    if len(seen) != count:
        raise GraphError(f"time has length {len(seen)}, but src has length {count}: give one time to each edge")
    if seen.dtype.kind == "f":
        odd = ~np.isfinite(seen)
        if odd.any():
            position = int(odd.argmax())
            raise GraphError(f"time[{position}] is {seen[position]}: every edge needs a time that is a finite number")
        seen = seen.astype(np.float64)
    elif seen.dtype.kind == "b":
        seen = seen.astype(np.int8)
    back = seen[1:] < seen[:-1]
    if back.any():
        position = int(back.argmax()) + 1
        raise GraphError(
            f"time[{position}] is {seen[position]}, after {seen[position - 1]}: sort the edges by time, e.g. by "
            "np.argsort(time, kind='stable')"
        )
    return seen


def _ends(seen: Any, batch: Any) -> list[Any]:
    """The times at which steps end, as numbers of Python's, which don't overflow."""
    if np.ndim(batch):
        given = checks.as_vector(CPU, CPU.asarray(batch), "batch")
        require(bool(np.isfinite(given).all()), "stream: the times of batch= must be finite numbers")
        require(bool((given[1:] >= given[:-1]).all()), "stream: the times of batch= must not fall")
        return given.tolist()
    share = _number(batch, "batch", seen)
    require(share < math.inf, f"stream: batch={batch!r} must be finite: give the times at which steps end")
    if not len(seen):
        return []
    first, last = seen[0].item(), seen[-1].item()
    require(last - first < 1e307, f"stream: the times from {first} to {last} are too far apart for float64")
    count = (last - first) // share + 1
    require(
        count <= MAX_STEPS,
        f"stream: the times from {first} to {last} make more than {MAX_STEPS:,} steps of batch={batch!r}: give a "
        "greater one, or the times at which steps end",
    )
    require(
        first + share > first and last + share > last,
        f"stream: batch={batch!r} is lost in rounding beside times such as {last}: give a greater one",
    )
    ends = [first + share * number for number in range(1, int(count) + 3)]
    return ends[: 1 + bisect_right(ends, last)]  # up to the first after the last edge, if rounded


def _width(window: Any, seen: Any, ends: list[Any]) -> Any:
    """`window` as a number of Python's."""
    width = _number(window, "window", seen)
    for end in (ends[0], ends[-1]) if ends else ():
        require(
            end - width < end,
            f"stream: window={window!r} is lost in rounding beside times such as {end}: give a greater one",
        )
    return width


def _number(value: Any, name: str, seen: Any) -> Any:
    """`value`, which is to be above 0, as a number of Python's; whole, if times are and it can be."""
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ProblemError(f"stream: {name}={value!r} must be a number, in the unit of the times")
    require(number > 0, f"stream: {name}={value!r} must be above 0")
    return int(number) if seen.dtype.kind in "iu" and number < math.inf and number == int(number) else number


def _before(seen: Any, end: Any) -> int:
    """How many edges were seen before `end`; NumPy would round to compare whole numbers with others."""
    if seen.dtype.kind in "iu":
        bounds = np.iinfo(seen.dtype)
        if not bounds.min < end <= bounds.max:
            return len(seen) if end > bounds.max else 0
        end = seen.dtype.type(math.ceil(end))
    return int(np.searchsorted(seen, end))


def _seen_next(graph: Any, src: Any, dst: Any) -> Any:
    """For each edge of the stream the place where it is seen again; the stream's length if it isn't."""
    one, other = (src, dst) if graph.directed else (np.minimum(src, dst), np.maximum(src, dst))
    key = one.astype(np.int64) * graph.num_vertices + other
    order = np.argsort(key, kind="stable")
    following = np.full(len(key), len(key))
    again = key[order[1:]] == key[order[:-1]]
    following[order[:-1][again]] = order[1:][again]
    return following
