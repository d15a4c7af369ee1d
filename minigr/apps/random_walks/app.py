"""Random walks: each takes a number of steps from its start, along random edges.

Pearson, The Problem of the Random Walk (Nature 72, 1905); on graphs as in Perozzi, Al-Rfou, Skiena, DeepWalk: Online
Learning of Social Representations (KDD 2014). Walks are independent, so one thread does a whole walk, and there is no
frontier.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr import memory
from minigr.apps.common.checks import check_vertices, require, require_nonnegative_weights, takes_graph
from minigr.apps.common.draws import bits_of, kept_sums, key_of, pick_by_sums, pick_evenly
from minigr.apps.random_walks.biased import walk_with_bias
from minigr.graphs.backend import scope
from minigr.graphs.checks import is_single
from minigr.primitives.transform import transform


def walk_evenly(i, starts, vertices, offsets, indices, length, key):
    """Do walk i, along edges with equal probabilities."""
    here, first = np.int64(starts[i]), i * (length + 1)
    vertices[first] = here
    for step in range(1, length + 1):
        begin, end = offsets[here], offsets[here + 1]
        if begin == end:
            return
        here = np.int64(indices[begin + pick_evenly(bits_of(key, i, step), end - begin)])
        vertices[first + step] = here


def walk_by_weight(i, starts, vertices, offsets, indices, sums, length, key):
    """Do walk i, along edges with probabilities in proportion to their weights."""
    here, first = np.int64(starts[i]), i * (length + 1)
    vertices[first] = here
    for step in range(1, length + 1):
        low, high = offsets[here], offsets[here + 1] - 1
        if high < low or sums[high] == 0.0:
            return
        here = np.int64(indices[pick_by_sums(bits_of(key, i, step), low, high, sums)])
        vertices[first + step] = here


@dataclass(frozen=True)
class RandomWalksResult:
    """Random walks.

    Attributes
    ----------
    vertices : int32 array [walks, length + 1]
        The vertices of each walk, from its start; -1 after a vertex without an edge to follow.
    """

    vertices: Any


@takes_graph
def random_walks(
    graph: Any, starts: Any, length: int, *, weighted: bool = False, p: float = 1.0, q: float = 1.0, seed: int = 0
) -> RandomWalksResult:
    """A walk of `length` steps from each of `starts`, along the direction of edges.

    Each step is independent of the previous steps, unless `p` or `q` is given. The walks depend only on the graph, the
    arguments and `seed`, and not on the device. The first steps of a walk do not depend on `length`. Each parallel edge
    counts. A self-loop leads back to its vertex.

    A step takes O(1) work, or O(log degree) by weight. Memory is 4 bytes for each vertex of the result. By weight,
    memory is 8 bytes more for each arc, for the sums of the weights in each row. The first call makes the sums in
    O(edges) and keeps them with the graph. A dynamic graph is first copied into rows. With `p` or `q`, a step draws
    edges until an edge is accepted. Each draw takes O(log degree), and the number of draws is at most about twice the
    number of edges of the vertex.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    starts : int or sequence of int
        Start vertices. A vertex that is given several times gets as many walks.
    length : int
        Number of steps of each walk.
    weighted : bool
        Whether the chance to follow an edge is proportional to its weight. Weights must be finite and at least 0. An
        edge of weight 0 is never followed. Sums of weights are float64; the weights at a vertex may be as large or
        small as float64 holds.
    p, q : float
        From 1e-9 to 1e9. After a step from u, the chance of an edge is divided by `p` if the edge leads back to u, and
        by `q` if the edge leads to a vertex that u has no edge to: the walks of node2vec. With a low `p`, a walk stays
        near its start. With a low `q`, a walk moves away from its start.
    seed : int
        Seed of the random numbers.

    Raises
    ------
    GraphError
        If a start is not a vertex, or `seed` is not a 64-bit integer; by weight, also if the graph has no weights, or a
        negative or infinite weight.
    ProblemError
        If `length` is not an integer from 0 to 2**31 - 2, or if `p` or `q` is not a number from 1e-9 to 1e9.
    OutOfMemoryError
        If the device has no room for the walks or, by weight, for the sums.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1], [1, 2], directed=True, device="cpu")
    >>> mg.random_walks(g, [0, 2], 3).vertices
    array([[ 0,  1,  2, -1],
           [ 2, -1, -1, -1]], dtype=int32)
    """
    key = key_of(seed, 0)
    p, q = _as_bias(p, "p"), _as_bias(q, "q")
    if weighted:
        require_nonnegative_weights(graph, "random_walks")
    steps, device = _as_length(length), graph._device
    with scope(device):
        first = check_vertices(graph, [starts] if is_single(starts) else starts, "starts")
        rows = graph if graph.layout == "csr" else graph.to_graph()
        memory.require(device, 4 * len(first) * (steps + 1), f"{len(first):,} walks of {steps:,} steps")
        vertices = device.full((len(first), steps + 1), -1, np.int32)
        walk: dict[str, Any] = {"starts": first, "vertices": vertices.reshape(-1), "length": steps, "key": key}
        sums = kept_sums(rows) if weighted else device.empty(0, np.float64)
        if p != 1.0 or q != 1.0:
            walk_with_bias(rows, sums=sums, p=p, q=q, **walk)
        elif weighted:
            transform(walk_by_weight, count=len(first), offsets=rows.offsets, indices=rows.indices, sums=sums, **walk)
        else:
            transform(walk_evenly, count=len(first), offsets=rows.offsets, indices=rows.indices, **walk)
    return RandomWalksResult(vertices)


def _as_length(length: Any) -> int:
    try:
        steps = operator.index(length)
    except TypeError:
        steps = -1
    require(0 <= steps < 2**31 - 1, f"random_walks: length={length!r} must be a whole number from 0 to 2**31 - 2")
    return steps


def _as_bias(value: Any, name: str) -> float:
    try:
        bias = float(value)
    except (TypeError, ValueError):
        bias = 0.0
    require(1e-9 <= bias <= 1e9, f"random_walks: {name}={value!r} must be a number from 1e-9 to 1e9")
    return bias
