"""DynamicGraph: a graph that batches of edges and vertices change, on the CPU or a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.device import Device, resolve
from minigr.errors import GraphError
from minigr.graphs import checks, construct
from minigr.graphs.backend import builder, scope
from minigr.graphs.dynamic import edge_batch, export, update, vertices
from minigr.graphs.dynamic.backend import kernels
from minigr.graphs.dynamic.batches import Batches
from minigr.graphs.dynamic.changes import Changes
from minigr.graphs.dynamic.hints import Hints
from minigr.graphs.dynamic.layout import LOAD_FACTOR
from minigr.graphs.dynamic.storage import Slabs
from minigr.graphs.dynamic.transaction import Transaction
from minigr.graphs.dynamic.update import Direction
from minigr.graphs.given import require_static
from minigr.graphs.graph import Graph
from minigr.memory import out_of_memory
from minigr.signals import deferred


class DynamicGraph(Changes, Batches):
    """A graph that batches of edges and vertices change: a slab hash for each vertex.

    Edges are unique. A batch acts as if its edges were applied one after another, regardless of the number of threads.
    If an edge occurs twice in an insertion, the first occurrence creates the edge and the last occurrence sets its
    weight. Inserting an existing edge replaces its weight. Self-loops are dropped unless `allow_self_loops`. A batch is
    applied completely or, if it raises, not at all. This holds for invalid input, for lack of memory, and for a signal
    such as Ctrl-C. The handler of a signal is called when the kernels of the batch are done. Degrees and counts are
    exact after each batch.

    Several threads may read a graph at the same time. A batch is refused if another thread uses the graph when the
    batch begins. A read is refused if it begins during a batch of another thread. This check does not cover arrays
    taken from the graph, such as `out_edges`. It also does not cover the time between two runs of an algorithm that
    consists of several runs.

    Parameters
    ----------
    num_vertices : int
        Vertices are numbered from 0.
    directed : bool
    weighted : bool or dtype
        Whether edges have weights: int32, int64, float32 or float64. True means float32.
    device : str, optional
        See `minigr.device`.
    load_factor : float
        Target fill of the base slabs of a vertex with more than 30 edges, used to compute the number of its buckets; at
        least 1e-6. A lower value makes updates faster, a higher value takes less memory. Above 1, chains are that many
        slabs long. With `math.inf`, each vertex has one bucket, whose chain is searched from its first slab.
    in_edges : bool
        Whether to also keep the in-edges of a directed graph. Updates then take twice the time, and the deletion of a
        vertex no longer scans all edges.
    allow_self_loops : bool
    capacity : int, optional
        Number of edges that the graph should have room for from the start, and after each `rehash`.
    expected_degrees, expected_in_degrees : int or integer array [n], optional
        Number of out-edges (edges, for an undirected graph) and in-edges that each vertex is expected to get soon.
        Vertices get buckets for these numbers, so insertions need not add buckets. A `rehash` computes buckets from the
        existing edges.

    Attributes
    ----------
    directed, allow_self_loops : bool
    version : int
        Increases with each batch and rehash, even if nothing changed. Edge ids are valid while `version` is unchanged.

    Notes
    -----
    Awad, Ashkiani, Porumbescu and Owens, Dynamic Graphs on the GPU (IPDPS 2020): the slab hash, section IV. Concessao,
    Cheramangalath, Dev and Nasre, Meerkat (2023): iteration over the edges inserted since a mark. This implementation
    differs: a vertex gets more buckets as its number of edges grows, weights have a pool of their own, and vertices can
    be deleted.

    Examples
    --------
    >>> g = DynamicGraph(4, weighted=True, device="cpu")
    >>> g.insert_edges([0, 0, 1, 0], [1, 2, 2, 1], [1.0, 2.0, 3.0, 4.0])
    3
    >>> g.has_edges([0, 2], [1, 0])
    array([ True, False])
    >>> g.delete_edges([0, 3], [2, 0], return_mask=True)
    (1, array([ True, False]))
    >>> g
    DynamicGraph(4 vertices, 2 edges, directed, float32 weights, cpu)
    >>> g.to_graph().weights
    array([4., 3.], dtype=float32)
    """

    @out_of_memory
    def __init__(
        self,
        num_vertices: int,
        *,
        directed: bool = True,
        weighted: Any = False,
        device: str | Device | None = None,
        load_factor: float = LOAD_FACTOR,
        in_edges: bool = False,
        allow_self_loops: bool = False,
        capacity: int | None = None,
        expected_degrees: Any = None,
        expected_in_degrees: Any = None,
    ) -> None:
        n = checks.as_vertex_count(num_vertices)
        dtype = edge_batch.as_weight_dtype(weighted)
        where = resolve(device)
        with scope(where):
            sizes = where.xp.zeros(n, np.int32)
            self._start(where, directed, load_factor, allow_self_loops)
            hints = Hints.of(where, n, directed, in_edges, capacity, expected_degrees, expected_in_degrees)
            self._make(sizes, sizes if in_edges else None, dtype, hints)

    def _make(self, out_degrees: Any, in_degrees: Any, weight_dtype: Any, hints: Hints) -> None:
        def sized(degrees: Any, expected: Any) -> Slabs:
            most = degrees if expected is None else self._device.xp.maximum(degrees, expected)
            options = weight_dtype, self._load_factor, hints.room
            return Slabs.sized(self._allocator, kernels(self._device), most, *options)

        self._directions = [Direction(sized(out_degrees, hints.degrees), not self.directed, False)]
        if self.directed and in_degrees is not None:
            self._directions.append(Direction(sized(in_degrees, hints.in_degrees), False, True))

    @classmethod
    @out_of_memory
    def from_edges(
        cls,
        src: Any,
        dst: Any,
        weights: Any = None,
        *,
        num_vertices: int | None = None,
        directed: bool = True,
        device: str | Device | None = None,
        load_factor: float = LOAD_FACTOR,
        in_edges: bool = False,
        allow_self_loops: bool = False,
        capacity: int | None = None,
        expected_degrees: Any = None,
        expected_in_degrees: Any = None,
    ) -> DynamicGraph:
        """Build a graph from the edges ``src[i], dst[i]``, with buckets sized for them: faster than inserting the
        edges.

        Parameters
        ----------
        src, dst : integer arrays or sequences [m]
            Of equal edges, the last one counts.
        weights : array or sequence [m], optional
            int32, int64, float32 or float64, which becomes the dtype of the graph. Narrower integers are widened.
        num_vertices : int, optional
            By default, one more than the largest id.
        directed, device, load_factor, in_edges, allow_self_loops, capacity, expected_degrees, expected_in_degrees
            As for the class.

        Raises
        ------
        GraphError
            As for `Graph.from_edges`.
        OutOfMemoryError

        Notes
        -----
        O(n + m).

        Examples
        --------
        >>> DynamicGraph.from_edges([0, 1, 1], [1, 0, 1], directed=False, device="cpu").num_edges
        1
        """
        where = construct.choose_device(device, src)
        with scope(where):
            count = None if num_vertices is None else checks.as_vertex_count(num_vertices)
            if count is None:
                source, largest = checks.as_ids_up_to(where, src, "src")
                target, other = checks.as_ids_up_to(where, dst, "dst")
                edge_batch.check_lengths(source, target)
                count = 1 + max(largest, other)
            else:
                source, target = edge_batch.as_pairs(where, src, dst, count)
            values = None if weights is None else checks.as_weights(where, weights, len(source))
            self = cls.__new__(cls)
            self._start(where, directed, load_factor, allow_self_loops)
            hints = Hints.of(where, count, directed, in_edges, capacity, expected_degrees, expected_in_degrees)
            self._build(source, target, values, count, hints, mirror=not directed, in_edges=in_edges)
        return self

    @classmethod
    @out_of_memory
    def from_graph(
        cls,
        graph: Graph,
        *,
        device: str | Device | None = None,
        load_factor: float = LOAD_FACTOR,
        in_edges: bool = False,
        allow_self_loops: bool = False,
        capacity: int | None = None,
        expected_degrees: Any = None,
        expected_in_degrees: Any = None,
    ) -> DynamicGraph:
        """Build a graph from the edges of a `Graph`. O(n + m).

        Of parallel edges, only the last one is kept. Self-loops are dropped unless `allow_self_loops`.

        Parameters
        ----------
        graph : Graph
        device : str, optional
            By default, the device of `graph`.
        load_factor, in_edges, allow_self_loops, capacity, expected_degrees, expected_in_degrees
            As for the class.

        Examples
        --------
        >>> from minigr import generate
        >>> DynamicGraph.from_graph(generate.path(4, device="cpu"))
        DynamicGraph(4 vertices, 3 edges, undirected, unweighted, cpu)
        """
        require_static(graph, "from_graph")
        where = graph._device if device is None else resolve(device)
        moved = graph.to(where, arcs=graph.arcs)
        with scope(where):
            rows = builder(where).row_of_arcs(moved.offsets, moved.num_arcs)
            self = cls.__new__(cls)
            self._start(where, graph.directed, load_factor, allow_self_loops)
            arcs = (rows, moved.indices, moved.weights, graph.num_vertices)
            degrees = moved.out_degree().astype(np.int32), None
            if in_edges and graph.directed:  # an estimate assumes in-degrees like the out-degrees
                degrees = degrees[0], degrees[0] if where.is_rehearsed else moved.in_degree().astype(np.int32)
            expected = (expected_degrees, expected_in_degrees)
            hints = Hints.of(where, graph.num_vertices, graph.directed, in_edges, capacity, *expected)
            self._fill(*arcs[:3], degrees, hints, mirror=False)
        return self

    def _build(self, src: Any, dst: Any, weights: Any, n: int, hints: Hints, *, mirror: bool, in_edges: bool) -> None:
        options = {"mirror": mirror, "in_edges": in_edges, "loops": self.allow_self_loops}
        *degrees, bad = kernels(self._device).degrees(self._allocator, src, dst, n, **options)
        if bad >= 0:
            edge_batch.refuse_ids(self._device, src, dst, n)
        self._fill(src, dst, weights, tuple(degrees), hints, mirror=mirror)

    def _fill(self, src: Any, dst: Any, weights: Any, sizes: tuple[Any, Any], hints: Hints, *, mirror: bool) -> None:
        """Make slabs for vertices with these numbers of out-arcs and in-arcs, and put the arcs into the slabs."""
        self._make(*sizes, None if weights is None else weights.dtype, hints)
        directions = [Direction(one.slabs, mirror and not one.reverse, one.reverse) for one in self._directions]
        update.fill(directions, src, dst, weights, sizes, loops=self.allow_self_loops)

    # --- batches of edges ----------------------------------------------------------------------------------------

    def _insert(self, src: Any, dst: Any, weights: Any, return_mask: bool) -> Any:
        """Insert edges as part of the current batch."""
        device, slabs = self._device, self._out
        with scope(device):
            source, target = edge_batch.as_pairs(device, src, dst, slabs.num_vertices)
            values = edge_batch.as_batch_weights(device, weights, source.size, slabs.weight_dtype, with_nan=True)
            if self._num_dead:
                edge_batch.refuse_ids(device, source, target, slabs.num_vertices)
                self._refuse_dead(source, target)
            with deferred():
                grown_from = self._grown_from
                transaction = self._begin()
                self._grown_from = grown_from
                return self._put(source, target, values, return_mask, transaction)

    def _put(self, source: Any, target: Any, values: Any, return_mask: bool, transaction: Transaction) -> Any:
        """Insert edges that were checked."""
        edges, loops = (source, target, values), self.allow_self_loops
        report = update.insert(self._directions, *edges, transaction, loops=loops, with_mask=return_mask)
        return self._answer(report, source, target, return_mask, values)

    def _delete(self, src: Any, dst: Any, return_mask: bool) -> Any:
        """Delete edges as part of the current batch."""
        with scope(self._device):
            source, target = edge_batch.as_pairs(self._device, src, dst, self.num_vertices)
            with deferred():
                report = update.remove(self._directions, source, target, self._begin(), return_mask)
                return self._answer(report, source, target, return_mask)

    def _answer(self, report: Any, src: Any, dst: Any, return_mask: bool, weights: Any = None) -> Any:
        if report.bad >= 0:
            edge_batch.refuse_ids(self._device, src, dst, self.num_vertices)
            checks.refuse_nan(weights)  # a weight may be bad instead of an id
        count = update.edges_of(report, self.directed)
        return (count, report.mask) if return_mask else count

    # --- vertices ------------------------------------------------------------------------------------------------

    def _insert_vertices(self, k: int, src: Any, dst: Any, weights: Any) -> Any:
        """Insert vertices, and edges with them, as part of the current batch."""
        with scope(self._device):
            count = checks.as_vertex_count(k, "k")
            edges = () if src is dst is weights is None else self._edges_with_new(src, dst, weights, count)
            with deferred():
                transaction = self._begin()
                ids = vertices.insert(self, count, transaction, bool(edges))
                if edges:
                    source, target = (vertices.named(ends, ids) for ends in edges[:2])
                    self._put(source, target, edges[2], False, transaction)
                return ids

    def _edges_with_new(self, src: Any, dst: Any, weights: Any, new: int) -> tuple[Any, Any, Any]:
        """Check edges; ``~j`` as an end is vertex j of the `new` vertices."""
        if src is None or dst is None:
            raise GraphError("edges of new vertices need src and dst: give both, or leave out src, dst and weights")
        source, target = edge_batch.as_pairs_with_new(self._device, src, dst, self.num_vertices, new)
        self._refuse_dead(source, target)
        return source, target, edge_batch.as_batch_weights(self._device, weights, len(source), self.weight_dtype)

    def _delete_vertices(self, ids: Any) -> int:
        """Delete vertices as part of the current batch."""
        with scope(self._device):
            gone = self._ids(ids, "ids")
            with deferred():
                return vertices.delete(self, gone, self._begin())

    # --- the whole graph -----------------------------------------------------------------------------------------

    @classmethod
    @out_of_memory
    def load(cls, path: Any, *, device: str | Device | None = None) -> DynamicGraph:
        """Load a graph that `save` wrote, rehashed.

        Parameters
        ----------
        path : path-like
            The file.
        device : str, optional
            The device of the loaded graph.

        Raises
        ------
        FormatError
            If `save` did not write the file, or the file holds values that no graph has.
        OSError, OutOfMemoryError

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     DynamicGraph.from_edges([0, 1], [1, 2], device="cpu").save(folder + "/g.npz")
        ...     DynamicGraph.load(folder + "/g.npz", device="cpu").num_edges
        2
        """
        rows, options, dead = export.load(path, device)
        self = cls.from_graph(rows, **options)
        if dead is not None:
            self._dead, self._num_dead = dead, int(dead.sum())
        return self
