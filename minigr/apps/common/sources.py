"""Which vertices searches begin at, and how far a sum over several has come."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigr.apps.common.checks import check_sources, require
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError
from minigr.program.executor import Progress


def highest_degree(graph: Any, source: int | None = None) -> int:
    """The source where none is given: the vertex of highest degree, the lowest id among equals.

    With a `source`, where paths from it are to end: such a vertex among the others.

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
    """The vertices to search from, as an array on the host: all, those given, or a sample of them.

    Raises
    ------
    GraphError
        If one of `sources` is not a vertex of the graph.
    ProblemError
        If a source is given twice, if both sources and a number of samples are given, or more than there are vertices.
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
    """How many vertices to draw, so that means over them are near to the means over all; None: all.

    The mean of numbers from 0 to 1 over k vertices, drawn without putting them back, is further than `epsilon` from the
    mean over all with a chance of at most ``2 * exp(-2 * k * epsilon**2)`` (Hoeffding, Probability Inequalities for
    Sums of Bounded Random Variables, Journal of the American Statistical Association 1963, sections 2 and 6). So all
    of `numbers` means for each vertex are near with a chance of at least `confidence`. One vertex more is drawn,
    because a vertex that is drawn itself tells nothing of its own mean.

    Raises
    ------
    ProblemError
        If `epsilon` or `confidence` is not between 0 and 1.
    """
    for name, value in (("epsilon", epsilon), ("confidence", confidence)):
        require(0 < value < 1, f"{algorithm}: {name}={value} must be above 0 and below 1")
    there = graph.num_live_vertices
    enough = math.log(2 * numbers * max(there, 1) / (1 - confidence)) / 2 / epsilon / epsilon
    return math.ceil(enough) + 1 if enough < there - 1 else None


def in_turn(graph: Any, sources: Any, progress: Progress | None) -> Iterator[int]:
    """Each of `sources` in `graph`; `progress` is told after each how many are done, and of how many."""
    for done, source in enumerate(graph._device.rounds(sources), 1):
        yield int(source)
        if progress is not None:
            progress(done, len(sources))
