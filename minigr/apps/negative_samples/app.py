"""Random pairs of vertices without an edge: negative examples for models that predict edges.

Mikolov, Sutskever, Chen, Corrado, Dean, Distributed Representations of Words and Phrases and their Compositionality
(NeurIPS 2013): negative samples, by frequency to the power of 3/4. On graphs Tang, Qu, Wang, Zhang, Yan, Mei, LINE:
Large-scale Information Network Embedding (WWW 2015), by degree. If a drawn pair has an edge, another pair is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from minigr import memory
from minigr.apps.common.checks import check_vertices, require, takes_graph
from minigr.apps.common.draws import key_of
from minigr.apps.common.tables import EdgeTable
from minigr.apps.negative_samples.chances import chances_of
from minigr.apps.negative_samples.draw import PAIRS, Draw, NegativeProblem
from minigr.errors import GraphError
from minigr.graphs.backend import scope
from minigr.graphs.checks import is_single, whole_number
from minigr.operators.calls import compute
from minigr.program.frontier import Frontier


@dataclass(frozen=True)
class NegativeSamplesResult(EdgeTable, columns=("src", "dst"), vertices=("src", "dst")):
    """Pairs without an edge.

    Attributes
    ----------
    src, dst : int64 arrays, one element for each pair
        The two vertices of each pair. They differ, and there is no edge from ``src`` to ``dst``.
    """

    src: Any
    dst: Any


@takes_graph
def negative_samples(
    graph: Any, count: int, *, sources: Any = None, power: float = 0.0, seed: int = 0
) -> NegativeSamplesResult:
    """Draw `count` pairs of different vertices, independently, without an edge from the first to the second vertex.

    A pair may occur more than once. The pairs depend only on the graph, the arguments and `seed`, not on the device. If
    no sources are given, the first pairs do not depend on `count`.

    A draw takes O(log degree) work, and is repeated if the drawn pair has an edge. For a source that has edges to
    nearly all vertices, a draw takes O(vertices) work. Memory is 24 bytes for each pair, and 4 bytes for each vertex.
    With `power`, memory is up to 24 bytes for each vertex, and up to 48 bytes for each vertex of a directed graph.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    count : int
        Number of pairs; with `sources`, the number of pairs for each source.
    sources : int or sequence of int, optional
        First vertices of the pairs, each `count` times, in this order. By default, first vertices are drawn from all
        vertices.
    power : float
        An exponent from 0 to 1. Vertices are drawn in proportion to their degree to this power. In a directed graph,
        the out-degree counts for first vertices, and the in-degree counts for second vertices. With 0, all vertices
        have the same chance. Word2vec and LINE use 0.75.
    seed : int
        Seed of the random numbers.

    Raises
    ------
    GraphError
        If one of `sources` is not a vertex, or has no pair without an edge. If `count` is not a whole number from 0 to
        2**31 - 1, or `seed` is not a whole number of 64 bits. If the graph has no vertices to draw from, or, with
        `power`, no edges. If 1024 drawn pairs in a row have edges.
    ProblemError
        If `power` is not a number from 0 to 1.
    OutOfMemoryError
        If the device has no room for the pairs.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.generate.path(4, device="cpu")
    >>> pairs = mg.negative_samples(g, 4, sources=[0])
    >>> pairs.src, sorted(set(pairs.dst.tolist()))
    (array([0, 0, 0, 0]), [2, 3])
    """
    key, device = key_of(seed, 0), graph._device
    most = whole_number(count, "negative_samples: count", 0, 2**31 - 1)
    require(
        isinstance(power, Real) and 0 <= power <= 1, f"negative_samples: power={power!r} must be a number from 0 to 1"
    )
    with scope(device):
        given = None
        if sources is not None:
            given = check_vertices(graph, [sources] if is_single(sources) else sources, "sources")
        items = most if given is None else most * len(given)
        memory.require(device, 24 * items, f"{items:,} pairs without an edge")
        tail = device.full(items, 0, np.int64) if given is None else given.astype(np.int64).repeat(most)
        drawing = {"tail": tail, "head": device.full(items, -1, np.int64), "given": given is not None, "key": key}
        if items:
            problem = NegativeProblem(graph, **drawing, **chances_of(graph, float(power)))
            compute(problem, Frontier.of_pairs(tail, tail), Draw)
            _require_found(drawing["head"], tail, given)
    return NegativeSamplesResult(tail, drawing["head"])


def _require_found(head: Any, tail: Any, given: Any) -> None:
    missing = head < 0
    if not bool(missing.any()):
        return
    if given is None:
        raise GraphError(
            f"negative_samples: {PAIRS} drawn pairs in a row have an edge, so nearly all pairs do: pass sources= to "
            "mg.negative_samples, which then looks through all vertices"
        )
    raise GraphError(
        f"negative_samples: source {int(tail[int(missing.argmax())])} has an edge to each vertex that may be drawn: "
        "leave this source out"
    )
