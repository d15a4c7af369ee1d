"""Neighbors drawn at random, layer after layer, in the form that PyTorch Geometric's loaders take.

Hamilton, Ying, Leskovec, Inductive Representation Learning on Large Graphs (NeurIPS 2017): a vertex draws some of its
neighbors, those that are new draw some of theirs, and so on. A layer is a scan of how many edges each vertex draws, a
pass that draws all of them, and the numbering of the vertices that they lead to.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr import memory
from minigr.apps.common.checks import check_vertices, require, require_nonnegative_weights, scale_of, takes_graph
from minigr.apps.common.draws import kept_sums, key_of
from minigr.apps.neighbor_sampling.numbering import Numbering, grown
from minigr.apps.neighbor_sampling.rows import Rows
from minigr.graphs.backend import scope
from minigr.primitives.transform import transform

_ALL = 2**62  # a fan-out that no degree comes to


def take_id(i, edge, ids):
    """The id of an edge in place of its position."""
    edge[i] = ids[edge[i]]


@dataclass(frozen=True)
class NeighborSampleResult:
    """A sample of edges, with the names that PyTorch Geometric's ``SamplerOutput`` has for its parts.

    Vertices are numbered as they come: the seeds, in their order, then those that the first layer found, and so on.

    Attributes
    ----------
    node : int64 array
        The vertices by their numbers, each once.
    row, col : int64 arrays, one element for each edge drawn
        Numbers of its ends: the neighbor that was drawn, and the vertex that drew it. Layer after layer.
    edge : int64 array, one element for each edge drawn
        Its id: where it stands among the arcs of the graph. Of an undirected graph, the arc from ``col`` to ``row``; of
        a dynamic graph, in ``graph.to_graph()``.
    num_sampled_nodes : tuple of int
        How many seeds there are, and how many vertices each layer found.
    num_sampled_edges : tuple of int
        How many edges each layer drew.
    """

    node: Any
    row: Any
    col: Any
    edge: Any
    num_sampled_nodes: tuple[int, ...]
    num_sampled_edges: tuple[int, ...]


@takes_graph
def sample_neighbors(
    graph: Any, seeds: Any, fanouts: Any, *, replace: bool = False, weighted: bool = False, inward: bool = True,
    seed: int = 0,
) -> NeighborSampleResult:  # fmt: skip
    """Some neighbors of each of `seeds`, some neighbors of those that are new among these, and so on.

    What is drawn depends on the graph, the seeds and `seed` alone, whatever the device and the number of threads; the
    numbers of vertices also on the order of the seeds. A vertex draws once, in the layer after the one that found it.
    Parallel edges count each, and a self-loop leads to the vertex itself.

    A draw takes O(1), without replacement O(fanout) arithmetic; by weight with replacement O(log degree), and without
    it a vertex looks at all of its edges, in O(degree). Memory is 24 bytes for each edge of the result, 8 more for each
    of a layer while it is drawn, and 4 for each vertex of the graph. By weight with replacement the graph keeps 8 bytes
    for each arc, a directed graph keeps its in-edges, and on a CPU a graph that is much larger than the sample keeps
    the 4 bytes for each vertex, so that the next sample takes no work for other vertices. A dynamic graph is copied
    into rows first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    seeds : int or sequence of int
        Vertices, each once.
    fanouts : int or sequence of int
        For each layer, how many edges a vertex draws; -1 for all of its edges.
    replace : bool
        Whether a vertex may draw an edge several times: it then draws as many as `fanouts` says, if it has any.
        Otherwise it takes all of its edges where it has no more.
    weighted : bool
        Whether an edge is drawn with a chance in proportion to its weight, which must be at least 0 and finite; an edge
        of weight 0 never. Without replacement one edge after the other is drawn of those that are left.
    inward : bool
        Whether edges that lead to a vertex are drawn, as messages travel along edges. False: those that lead from it.
        Of an undirected graph it is no matter.
    seed : int
        Of the random numbers.

    Raises
    ------
    GraphError
        If one of `seeds` is not a vertex, or `seed` not a whole number of 64 bits; by weight, if the graph has no
        weights, a negative or an infinite one.
    ProblemError
        If one of `seeds` is given twice, a fan-out is no whole number of at least 1 or -1, or a layer would draw more
        than some 2 billion edges.
    OutOfMemoryError
        If the device has no room for the sample.

    Notes
    -----
    By weight without replacement, edges are ordered by logarithms, which a GPU may round otherwise than a CPU. The same
    edges are drawn unless two numbers agree in all of their digits.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([1, 2, 3, 3], [0, 0, 1, 2], directed=True, device="cpu")
    >>> sample = mg.sample_neighbors(g, [0], [2, 1])
    >>> sample.node, sample.row, sample.col
    (array([0, 1, 2, 3]), array([1, 2, 3, 3]), array([0, 0, 1, 2]))
    >>> sample.num_sampled_nodes, sample.num_sampled_edges
    ((1, 2, 1), (2, 2))
    """
    counts, device = _as_fanouts(fanouts), graph._device
    keys = [key_of(seed, layer) for layer in range(len(counts))]
    if weighted:
        require_nonnegative_weights(graph, "sample_neighbors")
    with scope(device):
        first = check_vertices(graph, [seeds] if np.ndim(seeds) == 0 else seeds, "seeds")
        found = Numbering(graph, first)
        rows, ids = _rows(graph, weighted, replace, inward)
        row, col, edge = (device.empty(0, np.int64) for _ in range(3))
        drawn: list[int] = []
        for layer, (count, key) in enumerate(zip(counts, keys, strict=True), 1):
            frontier, again = found.node[found.first :], replace and count < _ALL
            begins = rows.begins(frontier, count, again)
            most = graph.num_arcs if count == _ALL else len(frontier) * count
            total = int(device.number(begins[-1:], expected=most if again else min(most, graph.num_arcs)))
            found.require_stamps(total)
            memory.require(device, 32 * total + 24 * len(row), f"{total:,} edges of a layer")
            row, col, edge = (grown(device, array, total) for array in (row, col, edge))
            done = sum(drawn)
            rows.draw(begins, frontier, found.first, count, again, key, col[done:], edge[done:])
            found.enter(rows.indices, edge[done:], row[done:], onward=layer < len(counts))
            drawn.append(total)
        found.finish()
        if ids is not None:
            transform(take_id, count=len(edge), edge=edge, ids=ids)
    return NeighborSampleResult(found.node, row, col, edge, tuple(found.sizes), tuple(drawn))


def _rows(graph: Any, weighted: bool, replace: bool, inward: bool) -> tuple[Rows, Any]:
    """What edges are drawn from, and their ids, where positions are none."""
    plain = graph if graph.layout == "csr" else graph.to_graph()
    taken = plain.in_edges() if inward else plain.out_edges
    rows = Rows(graph._device, taken.offsets, taken.indices)
    if weighted:
        sums = kept_sums(plain, inward=inward) if replace else None
        rows = Rows(graph._device, taken.offsets, taken.indices, taken.weights, sums, scale_of(plain))
    return rows, taken.edge_ids


def _as_fanouts(fanouts: Any) -> list[int]:
    """A fan-out for each layer; `_ALL` for -1."""
    given: Sequence[Any] = [fanouts] if np.ndim(fanouts) == 0 else fanouts
    found = []
    for layer, fanout in enumerate(given):
        try:
            count = operator.index(fanout)
        except TypeError:
            count = 0
        require(
            0 < count < _ALL or count == -1,
            f"sample_neighbors: fanouts[{layer}] is {fanout!r}: give a whole number of at least 1, or -1 for all edges",
        )
        found.append(_ALL if count == -1 else count)
    return found
