"""Apps that run once over all graphs of a batch as one graph, because the result is then right for each graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.apps.coloring import coloring as color_graph
from minigr.apps.components import connected_components
from minigr.apps.pagerank import check_parameters
from minigr.apps.pagerank import pagerank as rank_graph
from minigr.apps.triangles import triangle_count
from minigr.batch.backend import require_batch
from minigr.batch.results import ByVertex
from minigr.graphs.backend import scope
from minigr.graphs.batch import GraphBatch
from minigr.program.control import Driver
from minigr.signatures import names_options


@dataclass(frozen=True)
class Components(ByVertex):
    """The connected components of each graph; ``result[i]`` has the labels of graph i.

    Attributes
    ----------
    label : int32 array, one for each vertex
        The least vertex of the component of each vertex, as an id within its graph.
    num_components : int64 array, one for each graph
    vertex_offsets : int64 array, one more than there are graphs
        Where the vertices of each graph begin, in host memory.
    """

    _values = "label"

    label: Any
    num_components: Any
    vertex_offsets: Any


@names_options
def components(batch: GraphBatch, *, driver: Driver = "auto") -> Components:
    """The (weakly) connected components of each graph; see `connected_components`.

    Parameters
    ----------
    batch : GraphBatch
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If `batch` is not a GraphBatch.
    ProblemError
        If the driver is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> batch = mg.GraphBatch.from_graphs([[(0, 1), (2, 3)], [(0, 1)]], device="cpu")
    >>> result = mg.batch.components(batch)
    >>> result.num_components, result[0]
    (array([2, 1]), array([0, 0, 2, 2], dtype=int32))
    """
    require_batch(batch, "components")
    root = connected_components(batch.graph, driver=driver).label
    with scope(batch.graph._device):
        xp = batch.graph._device.xp
        first = batch.vertex_offsets[batch.graph_of_vertex()]
        is_root = (root == xp.arange(batch.num_vertices)).astype(np.int64)
        label = (root - first).astype(np.int32)
    return Components(label, batch.reduce(is_root), batch.host_offsets)


@dataclass(frozen=True)
class Triangles(ByVertex):
    """The triangles of each graph; ``result[i]`` has the number of triangles at each vertex of graph i.

    Attributes
    ----------
    per_vertex : int64 array, one for each vertex
    total : int64 array, one for each graph
    vertex_offsets : int64 array, one more than there are graphs
        Where the vertices of each graph begin, in host memory.
    """

    _values = "per_vertex"

    per_vertex: Any
    total: Any
    vertex_offsets: Any


@names_options
def triangles(batch: GraphBatch, *, driver: Driver = "auto") -> Triangles:
    """Count the triangles of each graph; see `triangle_count`.

    Parameters
    ----------
    batch : GraphBatch
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError
        If `batch` is not a GraphBatch.
    ProblemError
        If the driver is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> batch = mg.GraphBatch.from_graphs([[(0, 1), (1, 2), (2, 0)], [(0, 1)]], device="cpu")
    >>> mg.batch.triangles(batch).total
    array([1, 0])
    """
    require_batch(batch, "triangles")
    count = triangle_count(batch.graph, per_vertex=True, driver=driver).per_vertex
    return Triangles(count, batch.reduce(count) // 3, batch.host_offsets)


@dataclass(frozen=True)
class Coloring(ByVertex):
    """A coloring of each graph; ``result[i]`` has the colors of graph i.

    Attributes
    ----------
    color : int32 array, one for each vertex
        Colors from 0; neighbors have different colors.
    num_colors : int32 array, one for each graph
    vertex_offsets : int64 array, one more than there are graphs
        Where the vertices of each graph begin, in host memory.
    """

    _values = "color"

    color: Any
    num_colors: Any
    vertex_offsets: Any


@names_options
def coloring(batch: GraphBatch, order: Any = "largest_first", seed: int = 0, *, driver: Driver = "auto") -> Coloring:
    """Color the vertices of each graph greedily; see `minigr.coloring`.

    The random numbers of a vertex depend on its place in the batch, so its color may also depend on its place.

    Parameters
    ----------
    batch : GraphBatch
    order : {"largest_first", "random"} or integer array
        The order of coloring: vertices of higher degree first, a random order, or an array of all vertices of the batch
        in this order, as for `minigr.coloring`.
    seed : int
        The seed of the random numbers, if there are any.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError, ProblemError
        If `batch` is not a GraphBatch, and as for `minigr.coloring`.

    Examples
    --------
    >>> import minigr as mg
    >>> batch = mg.GraphBatch.from_graphs([[(0, 1), (1, 2), (2, 0)], [(0, 1)]], device="cpu")
    >>> mg.batch.coloring(batch).num_colors
    array([3, 2], dtype=int32)
    """
    require_batch(batch, "coloring")
    color = color_graph(batch.graph, order, seed, driver=driver).color
    return Coloring(color, batch.reduce(color + np.int32(1), "max", initial=0), batch.host_offsets)


@dataclass(frozen=True)
class Ranks(ByVertex):
    """The PageRank of each graph; ``result[i]`` has the ranks of graph i.

    Attributes
    ----------
    rank : float64 array, one for each vertex
        The ranks of each graph sum to 1.
    iterations : int
        The number of iterations, for all graphs together.
    converged : bool
        False if `max_iter` ended the iteration.
    vertex_offsets : int64 array, one more than there are graphs
        Where the vertices of each graph begin, in host memory.
    """

    _values = "rank"

    rank: Any
    iterations: int
    converged: bool
    vertex_offsets: Any


@names_options
def pagerank(
    batch: GraphBatch, damping: float = 0.85, tol: float = 1e-6, max_iter: int = 1000, *, driver: Driver = "auto"
) -> Ranks:
    """The PageRank of each graph, weighted if the graphs have weights; see `minigr.pagerank`.

    One iteration runs over all graphs, and jumps lead to each graph equally often. The ranks within a graph are then
    proportional to the graph's own PageRank, independent of the origin of the jumps. At the end, the ranks of each
    graph are scaled to sum to 1.

    Parameters
    ----------
    batch : GraphBatch
    damping : float
        The probability of following an edge, at least 0 and below 1.
    tol : float
        The iteration ends when the total change of all ranks is less than `tol` times the number of vertices of the
        smallest graph. For the total, the ranks of each graph are scaled to sum to 1. The ranks of each graph then
        change by less than the threshold of a run on this graph alone. Most graphs get more iterations than they need.
    max_iter : int
        The maximum number of iterations.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Raises
    ------
    GraphError, ProblemError
        As for `minigr.pagerank`.

    Examples
    --------
    >>> import minigr as mg
    >>> batch = mg.GraphBatch.from_graphs([[(0, 1), (0, 2)], [(0, 1)]], device="cpu")
    >>> mg.batch.pagerank(batch).rank.round(3)
    array([0.486, 0.257, 0.257, 0.5  , 0.5  ])
    """
    require_batch(batch, "pagerank")
    check_parameters("pagerank", damping, tol)
    filled = batch.sizes[batch.sizes > 0]
    strictest = filled.min() / (len(filled) * batch.num_vertices) if len(filled) else 1.0
    with scope(batch.graph._device):
        owners = batch.graph_of_vertex()
        jumps = 1.0 / batch.graph._device.asarray(batch.sizes)[owners]
    result = rank_graph(batch.graph, damping, tol * strictest, max_iter, jumps, precision="double", driver=driver)
    total = batch.reduce(result.rank)
    with scope(batch.graph._device):
        rank = result.rank / total[owners]
    return Ranks(rank, result.iterations, result.converged, batch.host_offsets)
