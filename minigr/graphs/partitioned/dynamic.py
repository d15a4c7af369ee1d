"""PartitionedDynamicGraph: a graph that changes, in several parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.errors import GraphError
from minigr.graphs import checks
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.dynamic import edge_batch, export
from minigr.graphs.dynamic.hints import Hints
from minigr.graphs.dynamic.layout import LOAD_FACTOR
from minigr.graphs.graph import Graph
from minigr.graphs.guard import reading
from minigr.graphs.partitioned.batches import PartsBatches
from minigr.graphs.partitioned.deal import Rule, deal_of
from minigr.graphs.partitioned.dynamic_part import DynamicPart
from minigr.graphs.partitioned.dynamic_rows import DynamicRows
from minigr.graphs.partitioned.graph import Devices, PartitionedGraph, homes_of
from minigr.graphs.partitioned.part import joined
from minigr.graphs.partitioned.share import Piece
from minigr.memory import out_of_memory

_Expected = tuple[int | None, Any, Any]  # capacity, expected_degrees, expected_in_degrees


class PartitionedDynamicGraph(PartsBatches):
    """A `DynamicGraph` in several parts. Each part has the slab hashes of the vertices that it owns.

    Batches have the same effect as on a `DynamicGraph`. A batch is dealt out to the owners of the ends of its edges, in
    the order of the batch. A batch is applied in all parts or, if it raises, in no part. Everything that runs over a
    `PartitionedGraph` also runs over this graph, directly over the slabs.

    Parameters
    ----------
    num_vertices : int
        Vertices are numbered from 0.
    devices : sequence of str, "mpi" or Mpi
        The device of each part, as for `PartitionedGraph.from_edges`.
    deal : {"auto", "ranges", "hash"}
        The rule that assigns vertices to parts, as for `PartitionedGraph.from_edges`. The rule does not change later.
        By default, a hash, because the graph has no edges yet. Ranges have equal numbers of vertices.
    directed : bool
    weighted : bool or dtype
        As for `DynamicGraph`.
    load_factor, in_edges, allow_self_loops
        As for `DynamicGraph`. Operators that read in-edges require `in_edges` if the graph is directed.
    capacity : int, optional
        As for `DynamicGraph`: the number of edges that all parts together should have room for. Each part has room for
        an equal share.
    expected_degrees, expected_in_degrees : int or integer array [n], optional
        As for `DynamicGraph`. Must be the same in all processes.

    Attributes
    ----------
    num_vertices, num_edges, num_arcs, num_self_loops : int
    directed, allow_self_loops : bool
    parts : list of Part
        The parts that this process holds. Change the graph only with its own methods.
    num_parts : int
    devices : tuple of str
        The device of each part.
    version : int
        Increases with each batch and rehash, even if nothing changed.

    Notes
    -----
    If each process holds a part, all processes must make the same calls in the same order, as for `PartitionedGraph`.
    Each process passes a share of a batch, which may be empty. The batch consists of the shares, one process after
    another.

    A vertex takes twelve bytes in each part, or thirteen once a vertex has been deleted. It also takes a slab of 128
    bytes in the part that owns the vertex.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.PartitionedDynamicGraph(4, devices=["cpu"] * 2, directed=False)
    >>> graph.insert_edges([0, 1, 2, 1], [1, 2, 3, 0])
    3
    >>> mg.bfs(graph, 0).depth.gather()
    array([0, 1, 2, 3], dtype=int32)
    >>> graph.delete_edges([1], [2])
    1
    >>> mg.bfs(graph, 0).depth.gather()
    array([ 0,  1, -1, -1], dtype=int32)
    """

    @out_of_memory
    def __init__(
        self,
        num_vertices: int,
        *,
        devices: Devices,
        deal: Rule = "auto",
        directed: bool = True,
        weighted: Any = False,
        load_factor: float = LOAD_FACTOR,
        in_edges: bool = False,
        allow_self_loops: bool = False,
        capacity: int | None = None,
        expected_degrees: Any = None,
        expected_in_degrees: Any = None,
    ) -> None:
        n = checks.as_vertex_count(num_vertices)
        dtype = edge_batch.as_weight_dtype(weighted)
        exchange, homes = homes_of(devices, deal)
        with exchange.together():
            chosen = deal_of("hash" if deal == "auto" else deal, np.zeros(n, np.int64), exchange.num_parts)

            def empty(device: Any) -> Graph:
                weights = None if dtype is None else device.empty(0, dtype)
                return Graph(
                    Adjacency(device.full(n + 1, 0, np.int64), device.empty(0, np.int32), weights), directed, device
                )

            graphs = [empty(device) for device in homes]
            rows = PartitionedGraph(graphs, chosen, bool(directed), exchange)
            hints = capacity, expected_degrees, expected_in_degrees
            self._begin_with(rows, load_factor, in_edges, allow_self_loops, hints)

    def _begin_with(
        self, rows: PartitionedGraph, load_factor: float, in_edges: bool, allow_self_loops: bool, expected: _Expected
    ) -> None:
        """Start with the edges of a static graph in parts."""
        self.allow_self_loops, self.keeps_in_edges = bool(allow_self_loops), not rows.directed or bool(in_edges)
        self._start()
        factor = edge_batch.as_load_factor(load_factor)
        hints = Hints.of(CPU, rows.num_vertices, rows.directed, in_edges, *expected)
        if in_edges:
            rows.make_in_edges()

        def part(number: int) -> DynamicPart:
            own = rows.parts[number]
            own_hints = hints.of_part(own.device, own.num_parts)
            made = DynamicRows(own.graph, own.owned, factor, bool(in_edges), self.allow_self_loops, own_hints)
            return DynamicPart(own.index, made, own.deal, own.num_parts, own.owned, own.ghosts, own.mirrors)

        self._hold(rows._team.each(part), rows.deal, rows.directed, rows._exchange)
        self._count(*self._counted())

    @classmethod
    @out_of_memory
    def from_edges(
        cls,
        src: Any,
        dst: Any,
        weights: Any = None,
        *,
        devices: Devices,
        deal: Rule = "auto",
        num_vertices: int | None = None,
        directed: bool = True,
        load_factor: float = LOAD_FACTOR,
        in_edges: bool = False,
        allow_self_loops: bool = False,
        capacity: int | None = None,
        expected_degrees: Any = None,
        expected_in_degrees: Any = None,
    ) -> PartitionedDynamicGraph:
        """Build a graph from the edges ``src[i], dst[i]``. Of equal edges, the last one counts.

        Parameters
        ----------
        src, dst : integer arrays or sequences [m]
        weights : array or sequence [m], optional
            The dtype of the weights becomes the dtype of the graph.
        devices, deal, num_vertices
            As for `PartitionedGraph.from_edges`, which deals the edges out.
        directed, load_factor, in_edges, allow_self_loops, capacity, expected_degrees, expected_in_degrees
            As for the class.

        Raises
        ------
        GraphError, DeviceError, MissingExtraError, OutOfMemoryError, PartError
            As for `PartitionedGraph.from_edges`.

        Examples
        --------
        >>> from minigr import PartitionedDynamicGraph
        >>> PartitionedDynamicGraph.from_edges([0, 1], [1, 0], directed=False, devices=["cpu"] * 2).num_edges
        1
        """
        rows = PartitionedGraph.from_edges(
            src, dst, weights, num_vertices=num_vertices, directed=directed, devices=devices, deal=deal
        )
        hints = capacity, expected_degrees, expected_in_degrees
        return cls._of(rows, load_factor, in_edges, allow_self_loops, hints)

    @classmethod
    @out_of_memory
    def from_graph(
        cls,
        graph: Graph | PartitionedGraph,
        *,
        devices: Devices | None = None,
        deal: Rule | None = None,
        load_factor: float = LOAD_FACTOR,
        in_edges: bool = False,
        allow_self_loops: bool = False,
        capacity: int | None = None,
        expected_degrees: Any = None,
        expected_in_degrees: Any = None,
    ) -> PartitionedDynamicGraph:
        """Build a graph from the edges of a static graph.

        Of parallel edges, only the last one is kept. Self-loops are dropped unless `allow_self_loops`.

        Parameters
        ----------
        graph : Graph or PartitionedGraph
        devices : sequence of str, "mpi" or Mpi, optional
            The device of each part, for a `Graph`. A `PartitionedGraph` keeps its devices.
        deal : {"auto", "ranges", "hash"}, optional
            The rule that assigns vertices to parts, for a `Graph`. By default, ``"auto"``.
        load_factor, in_edges, allow_self_loops, capacity, expected_degrees, expected_in_degrees
            As for the class.

        Raises
        ------
        GraphError
            As for `PartitionedGraph.from_graph`. Also if `devices` or `deal` is given for a `PartitionedGraph`.
        OutOfMemoryError, PartError

        Examples
        --------
        >>> from minigr import PartitionedDynamicGraph, generate
        >>> PartitionedDynamicGraph.from_graph(generate.path(4, device="cpu"), devices=["cpu"] * 2)
        PartitionedDynamicGraph(4 vertices, 3 edges, undirected, unweighted, 2 parts by ranges: cpu, cpu)
        """
        if isinstance(graph, PartitionedDynamicGraph):
            raise GraphError(
                "from_graph takes a static graph, got a PartitionedDynamicGraph: use graph.copy() or graph.to_graph()"
            )
        if not isinstance(graph, PartitionedGraph):
            if devices is None:
                raise GraphError("devices= is missing: give the device of each part, e.g. ['cpu'] * 4, or 'mpi'")
            graph = PartitionedGraph.from_graph(graph, devices=devices, deal="auto" if deal is None else deal)
        elif devices is not None or deal is not None:
            raise GraphError(
                "the parts of a PartitionedGraph stay where they are: leave out devices= and deal=, or give "
                "graph.gather()"
            )
        hints = capacity, expected_degrees, expected_in_degrees
        return cls._of(graph, load_factor, in_edges, allow_self_loops, hints)

    @classmethod
    @out_of_memory
    def load(cls, path: Any, *, devices: Devices, deal: Rule = "auto") -> PartitionedDynamicGraph:
        """Load a graph that `save` of this class or of `DynamicGraph` wrote, and deal it out to parts.

        Parameters
        ----------
        path : path-like
            The file. All processes must see the file.
        devices, deal
            As for `PartitionedGraph.from_edges`.

        Raises
        ------
        FormatError
            If `save` did not write the file, or the file holds values that no graph has.
        GraphError, DeviceError, MissingExtraError, OSError, OutOfMemoryError, PartError
        """
        rows, options, dead = export.load(path, CPU)
        self = cls.from_graph(rows, devices=devices, deal=deal, **options)
        if dead is not None:
            self.delete_vertices(np.flatnonzero(dead))
        return self

    @classmethod
    def _of(
        cls, rows: PartitionedGraph, load_factor: float, in_edges: bool, allow_self_loops: bool, expected: _Expected
    ) -> PartitionedDynamicGraph:
        self = cls.__new__(cls)
        with rows._exchange.together():
            self._begin_with(rows, load_factor, in_edges, allow_self_loops, expected)
        return self

    # --- queries -------------------------------------------------------------------------------------------------

    @reading
    def has_edges(self, src: Any, dst: Any) -> Any:
        """Return whether each edge from ``src[i]`` to ``dst[i]`` exists, as a NumPy array bool[k].

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            With several processes, each process passes its own pairs.

        Raises
        ------
        GraphError
            As for `DynamicGraph.has_edges`.
        PartError
            If another process failed.
        """
        return self._asked(src, dst, lambda rows, *ends: rows.has_edges(*ends))

    @reading
    def edge_weights(self, src: Any, dst: Any, default: Any = np.nan) -> Any:
        """Return the weight of the edge from ``src[i]`` to ``dst[i]``, or `default` if the edge does not exist.

        The result is a NumPy array [k].

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            With several processes, each process passes its own pairs.
        default : number
            As for `DynamicGraph.edge_weights`.

        Raises
        ------
        GraphError
            As for `DynamicGraph.edge_weights`.
        PartError
            If another process failed.
        """
        return self._asked(src, dst, lambda rows, *ends: rows.edge_weights(*ends, default))

    @property
    def has_mark(self) -> bool:
        """Whether `mark` has been called."""
        return bool(self.parts[0].graph.has_mark)

    @reading
    def added_since_mark(self) -> tuple[Any, Any, Any]:
        """Return the arcs that were inserted after the last `mark` and still exist, in no particular order.

        As `DynamicGraph.added_since_mark`. With several processes, each process gets the arcs that leave the vertices
        of its part.

        Returns
        -------
        src, dst : NumPy int32[k]
        weights : NumPy array [k], or None

        Raises
        ------
        GraphError
            If `mark` was never called.

        Examples
        --------
        >>> import minigr as mg
        >>> graph = mg.PartitionedDynamicGraph(4, devices=["cpu"] * 2)
        >>> graph.mark()
        >>> graph.insert_edges([0, 0], [2, 2])
        1
        >>> graph.added_since_mark()
        (array([0], dtype=int32), array([2], dtype=int32), None)
        """

        def own(index: int) -> Piece:
            src, dst, weights = self.parts[index].graph.added_since_mark()
            return CPU.asarray(src), CPU.asarray(dst), None if weights is None else CPU.asarray(weights)

        return joined(self._team.each(own), np)

    @property
    def load_factor(self) -> float:
        """Target fill of slabs, used to compute the number of buckets."""
        return float(self.parts[0].graph.load_factor)

    @reading
    def live_vertices(self) -> Any:
        """Return the ids of all vertices that are not deleted, in increasing order.

        The result is a NumPy array int32[num_live_vertices].
        """
        return CPU.asarray(self.parts[0].graph.live_vertices())

    @reading
    def copy(self) -> PartitionedDynamicGraph:
        """Return a copy of the graph in arrays of its own, in the same parts.

        Raises
        ------
        OutOfMemoryError, PartError
        """

        def copied(number: int) -> DynamicPart:
            part = self.parts[number]
            return replace(part, graph=part.graph.copy())

        other = type(self).__new__(type(self))
        with self._exchange.together():
            self._check_alike()  # because the copy counts its batches from zero
            other._hold(self._team.each(copied), self.deal, self.directed, self._exchange)
        other.allow_self_loops, other.keeps_in_edges = self.allow_self_loops, self.keeps_in_edges
        other._start()
        other._count(self.num_arcs, self.num_self_loops)
        return other

    @reading
    def save(self, path: Any) -> None:
        """Write the graph to a NumPy archive, as `DynamicGraph.save` does. The first process gathers and writes the
        graph.

        Parameters
        ----------
        path : path-like
            The file.

        Raises
        ------
        OSError
        PartError
            If another process failed.
        """
        with self._exchange.together():
            rows = self._gathered().out_edges
            if self._exchange.process[0] == 0:
                export.save(path, rows, self.parts[0].graph._deleted_ids(), self)

    @reading
    def to_graph(self) -> PartitionedGraph:
        """Return the edges as a `PartitionedGraph` with the same parts: compressed sparse rows. O(n + m log d)."""
        with self._exchange.together():
            self._check_alike()
            graphs = self._team.each(lambda index: self.parts[index].static())
            return PartitionedGraph(graphs, self.deal, self.directed, self._exchange)

    def make_in_edges(self) -> None:
        """Raise `GraphError` if the graph is directed and does not keep its in-edges."""
        if not self.keeps_in_edges:
            raise GraphError(
                "this call needs in-edges, but the directed graph keeps none: make the graph with in_edges=True"
            )
