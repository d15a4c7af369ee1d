"""The sources of searches, and the progress of a sum over several sources."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_sources, require, require_numbers
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from minigr.program.executor import Progress


def highest_degree(graph: Any, source: int | None = None) -> int:
    """The default source: the vertex of highest degree, and among equal degrees the lowest id.

    With a `source`, the default target of paths from it: the vertex of highest degree among all other vertices.

    Raises
    ------
    GraphError
        If the graph has no vertices.
    """
    if graph.num_vertices == 0:
        raise GraphError("the graph has no vertices, so there is no source to start from")
    if source is None:
        return int(graph.degree().argmax())
    degree = graph.degree().copy()
    degree[source] = -1
    return int(degree.argmax())


def choose_sources(graph: Any, sources: Any, samples: Any, seed: int, algorithm: str) -> Any:
    """The vertices to search from, as an array on the host: all vertices, the given ones, or a random sample.

    Raises
    ------
    GraphError
        If one of `sources` is not a vertex of the graph.
    ProblemError
        If a source is given twice, if both `sources` and `samples` are given, or if `samples` is not a number from 1 to
        the number of vertices.
    """
    if sources is not None:
        require(samples is None, f"{algorithm}: give either sources or samples, not both")
        given = check_sources(graph, sources)
        unique, counts = np.unique(given, return_counts=True)
        for vertex in unique[counts > 1][:1]:
            raise ProblemError(f"{algorithm}: source {vertex} is given more than once: leave repeated ones out")
        return given
    everyone = CPU.asarray(graph.live_vertices()) if graph.num_live_vertices < graph.num_vertices else None
    if samples is None:
        host = graph._device.host.xp
        return host.arange(graph.num_vertices, dtype=np.int32) if everyone is None else everyone
    try:
        count = operator.index(samples)
    except TypeError:
        raise ProblemError(f"{algorithm}: samples={samples!r} must be a whole number of vertices") from None
    there = graph.num_live_vertices
    require(0 < count <= there, f"{algorithm}: samples={count}, but there are {there} vertices to draw from")
    drawn = np.random.default_rng(seed).choice(there, count, replace=False)
    return (drawn if everyone is None else everyone[drawn]).astype(np.int32)


def samples_for(graph: Any, epsilon: float, confidence: float, numbers: int, algorithm: str) -> int | None:
    """The size of a sample of vertices whose means are within `epsilon` of the means over all vertices; None: all.

    Let k vertices be drawn without replacement. The mean over them of numbers from 0 to 1 differs by more than
    `epsilon` from the mean over all vertices with a probability of at most ``2 * exp(-2 * k * epsilon**2)`` (Hoeffding,
    Probability Inequalities for Sums of Bounded Random Variables, Journal of the American Statistical Association 1963,
    sections 2 and 6). By this bound, `numbers` means for each vertex are all within `epsilon` with a probability of at
    least `confidence`. One more vertex is drawn, because a vertex in the sample contributes nothing to its own mean.

    Raises
    ------
    ProblemError
        If `epsilon` or `confidence` is not between 0 and 1.
    """
    require_numbers(algorithm, epsilon=epsilon, confidence=confidence)
    for name, value in (("epsilon", epsilon), ("confidence", confidence)):
        require(0 < value < 1, f"{algorithm}: {name}={value} must be above 0 and below 1")
    there = graph.num_live_vertices
    enough = math.log(2 * numbers * max(there, 1) / (1 - confidence)) / 2 / epsilon / epsilon
    return math.ceil(enough) + 1 if enough < there - 1 else None


def in_turn(graph: Any, sources: Any, progress: Progress | None) -> Iterator[int]:
    """Yield each of `sources`. After each, `progress` is called with the number done and the number of sources."""
    for done, source in enumerate(graph._device.rounds(sources), 1):
        yield int(source)
        if progress is not None:
            progress(done, len(sources))
