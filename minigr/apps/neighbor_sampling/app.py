"""Random samples of neighbors, layer by layer, in the format of PyTorch Geometric's loaders.

Hamilton, Ying, Leskovec, Inductive Representation Learning on Large Graphs (NeurIPS 2017): a vertex draws some of its
neighbors, the new vertices draw some of their neighbors, and so on. A layer has three parts: a scan of the number of
edges that each vertex draws, a pass that draws all edges, and the numbering of the drawn neighbors.
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
from minigr.apps.neighbor_sampling.rows import ALL, Rows
from minigr.graphs.backend import scope
from minigr.graphs.checks import is_single
from minigr.primitives.transform import transform


def take_id(i, edge, ids):
    """Replace the position of an edge by its id."""
    edge[i] = ids[edge[i]]


@dataclass(frozen=True)
class NeighborSampleResult:
    """A sample of edges, with the attribute names of PyTorch Geometric's ``SamplerOutput``.

    Vertices are numbered in the order in which they are found: the seeds in their order, then the new vertices of the
    first layer, and so on.

    Attributes
    ----------
    node : int64 array
        The vertices in the order of their numbers, each once.
    row, col : int64 arrays, one element for each edge drawn
        Numbers of the ends of each edge: ``row`` is the drawn neighbor, and ``col`` is the vertex that drew the edge.
        The edges are in the order of the layers.
    edge : int64 array, one element for each edge drawn
        Id of each edge: its position among the arcs of the graph. For an undirected graph, the position of the arc from
        ``col`` to ``row``. For a dynamic graph, the position in ``graph.to_graph()``.
    num_sampled_nodes : tuple of int
        Number of seeds, then the number of vertices that each layer found.
    num_sampled_edges : tuple of int
        Number of edges that each layer drew.
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
    """Draw some neighbors of each of `seeds`, then some neighbors of the new vertices, and so on.

    The drawn edges depend only on the graph, the seeds and `seed`, not on the device or the number of threads. The
    numbers of vertices also depend on the order of the seeds. A vertex draws once, in the layer after the layer that
    found the vertex. Each parallel edge counts, and a self-loop leads to the vertex itself.

    A draw takes O(1) work; without replacement, it takes O(fanout) arithmetic. By weight with replacement, a draw takes
    O(log degree) work. By weight without replacement, a vertex visits all of its edges, in O(degree) work. Memory is 24
    bytes for each edge of the result, 8 more bytes for each edge of the layer that is being drawn, and 4 bytes for each
    vertex of the graph. By weight with replacement, the graph keeps 8 bytes for each arc. A directed graph keeps its
    in-edges. On a CPU, a graph that is much larger than the sample keeps the 4 bytes for each vertex, so that the next
    sample takes no work for other vertices. A dynamic graph is copied into rows first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    seeds : int or sequence of int
        Vertices, each given once.
    fanouts : int or sequence of int
        For each layer, the number of edges that a vertex draws; -1 for all of its edges.
    replace : bool
        If True, a vertex may draw an edge several times, and draws as many edges as `fanouts` gives, unless the vertex
        has no edges. If False, a vertex that has no more edges than `fanouts` gives draws all of its edges.
    weighted : bool
        If True, an edge is drawn with a probability proportional to its weight, which must be at least 0 and finite. An
        edge of weight 0 is never drawn. Without replacement, edges are drawn one after the other from the remaining
        edges.
    inward : bool
        If True, a vertex draws edges that lead to the vertex, as messages travel along edges. If False, a vertex draws
        edges that lead from the vertex. Ignored for an undirected graph.
    seed : int
        Seed of the random numbers.

    Raises
    ------
    GraphError
        If one of `seeds` is not a vertex, or `seed` is not a whole number of 64 bits. By weight, if the graph has no
        weights, or a weight is negative or infinite.
    ProblemError
        If one of `seeds` is given twice. If a fan-out is neither -1 nor a whole number of at least 1. If a layer would
        draw more than about 2 billion edges.
    OutOfMemoryError
        If the device has no room for the sample.

    Notes
    -----
    By weight without replacement, edges are ordered by logarithms, which a GPU and a CPU may round differently. The
    same edges are drawn unless two numbers agree in all of their digits.

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
        first = check_vertices(graph, [seeds] if is_single(seeds) else seeds, "seeds")
        found = Numbering(graph, first)
        rows, ids = _rows(graph, weighted, replace, inward)
        row, col, edge = (device.empty(0, np.int64) for _ in range(3))
        drawn: list[int] = []
        for layer, (count, key) in enumerate(zip(counts, keys, strict=True), 1):
            frontier, again = found.node[found.first :], replace and count < ALL
            begins = rows.begins(frontier, count, again)
            most = graph.num_arcs if count == ALL else len(frontier) * count
            total = int(device.number(begins[-1:], expected=most if again else min(most, graph.num_arcs)))
            found.require_stamps(total)
            memory.require(device, 32 * total + 24 * len(row), f"{total:,} edges of a layer")
            row, col, edge = (grown(device, array, total) for array in (row, col, edge))
            done = sum(drawn)
            near = rows.draw(begins, frontier, found.first, count, again, key, col[done:], edge[done:])
            found.enter(near, row[done:], onward=layer < len(counts))
            drawn.append(total)
        found.finish()
        if ids is not None:
            transform(take_id, count=len(edge), edge=edge, ids=ids)
    return NeighborSampleResult(found.node, row, col, edge, tuple(found.sizes), tuple(drawn))


def _rows(graph: Any, weighted: bool, replace: bool, inward: bool) -> tuple[Rows, Any]:
    """The rows from which edges are drawn, and the ids of their edges; None if positions are the ids."""
    plain = graph if graph.layout == "csr" else graph.to_graph()
    taken = plain.in_edges() if inward else plain.out_edges
    rows = Rows(graph._device, taken.offsets, taken.indices)
    if weighted:
        sums = kept_sums(plain, inward=inward) if replace else None
        rows = Rows(graph._device, taken.offsets, taken.indices, taken.weights, sums, scale_of(plain))
    return rows, taken.edge_ids


def _as_fanouts(fanouts: Any) -> list[int]:
    """A fan-out for each layer; `ALL` for -1."""
    given: Sequence[Any] = [fanouts] if is_single(fanouts) else fanouts
    found = []
    for layer, fanout in enumerate(given):
        try:
            count = operator.index(fanout)
        except TypeError:
            count = 0
        require(
            0 < count < ALL or count == -1,
            f"sample_neighbors: fanouts[{layer}] is {fanout!r}: give a whole number of at least 1, or -1 for all edges",
        )
        found.append(ALL if count == -1 else count)
    return found
