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
    """A `DynamicGraph` in several parts: each has the slab hashes of the vertices that it owns.

    Batches do to it what they do to a `DynamicGraph`. A batch is dealt out to the owners of its edges' ends, in its
    order, and is done in all parts or, if it raises, in none. What runs over a `PartitionedGraph` runs over it, over
    the slabs as they are.

    Parameters
    ----------
    num_vertices : int
        Vertices are numbered from 0.
    devices : sequence of str, "mpi" or Mpi
        The device of each part; as for `PartitionedGraph.from_edges`.
    deal : {"auto", "ranges", "hash"}
        Who owns a vertex, as for `PartitionedGraph.from_edges`; it stays so. By default by a hash, because there are
        no edges yet to go by. Ranges are equal in vertices.
    directed : bool
    weighted : bool or dtype
        As for `DynamicGraph`.
    load_factor, in_edges, allow_self_loops
        As for `DynamicGraph`. A directed graph needs in-edges for operators that look at these.
    capacity : int, optional
        As for `DynamicGraph`: edges that all parts together are to have room for, each for an equal share.
    expected_degrees, expected_in_degrees : int or integer array [n], optional
        As for `DynamicGraph`; the same in all processes.

    Attributes
    ----------
    num_vertices, num_edges, num_arcs, num_self_loops : int
    directed, allow_self_loops : bool
    parts : list of Part
        Those that this process holds. Change the graph by its own methods only.
    num_parts : int
    devices : tuple of str
        The device of each part.
    version : int
        Grows with each batch and rehash, whether it changed anything or not.

    Notes
    -----
    Where each process holds a part, all of them must make the same calls in the same order, as for `PartitionedGraph`.
    Each gives a share of a batch, which may be empty; the batch is their shares, one process after the other.

    A vertex takes twelve bytes in each part, thirteen once a vertex was deleted, and a slab of 128 bytes in the part
    that owns it.

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
        """Take the edges of a static graph in parts."""
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
        """The graph of the edges ``src[i], dst[i]``; the last of equal edges counts.

        Parameters
        ----------
        src, dst : integer arrays or sequences [m]
        weights : array or sequence [m], optional
            Their dtype becomes the graph's.
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
        """The edges of a static graph; of parallel ones the last, and no self-loops unless `allow_self_loops`.

        Parameters
        ----------
        graph : Graph or PartitionedGraph
        devices : sequence of str, "mpi" or Mpi, optional
            The device of each part, for a `Graph`. Those of a `PartitionedGraph` stay.
        deal : {"auto", "ranges", "hash"}, optional
            Who owns a vertex, for a `Graph`; by default ``"auto"``.
        load_factor, in_edges, allow_self_loops, capacity, expected_degrees, expected_in_degrees
            As for the class.

        Raises
        ------
        GraphError
            As `PartitionedGraph.from_graph` does, and for devices or a deal beside a `PartitionedGraph`.
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
        """The graph that `save` wrote, of this class or of `DynamicGraph`, dealt out to parts.

        Parameters
        ----------
        path : path-like
            The file, which all processes see.
        devices, deal
            As for `PartitionedGraph.from_edges`.

        Raises
        ------
        FormatError
            If the file is not one that `save` wrote, or holds what no graph has.
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
        """bool[k], of NumPy's: whether there is an edge from ``src[i]`` to ``dst[i]``.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            Over processes each asks for its own.

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
        """[k], of NumPy's: the weight of the edge from ``src[i]`` to ``dst[i]``, or `default` where there is none.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            Over processes each asks for its own.
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
        """Whether `mark` was called."""
        return bool(self.parts[0].graph.has_mark)

    @reading
    def added_since_mark(self) -> tuple[Any, Any, Any]:
        """The arcs that were inserted after the last `mark` and are still there, in no particular order.

        As `DynamicGraph.added_since_mark`. Over processes each gets those that leave the vertices of its part.

        Returns
        -------
        src, dst : int32[k], of NumPy's
        weights : [k], of NumPy's, or None

        Raises
        ------
        GraphError
            If there was no mark.

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
        """How full slabs are to be when buckets are counted out."""
        return float(self.parts[0].graph.load_factor)

    @reading
    def live_vertices(self) -> Any:
        """int32[num_live_vertices], of NumPy's: the ids that were not deleted, in increasing order."""
        return CPU.asarray(self.parts[0].graph.live_vertices())

    @reading
    def copy(self) -> PartitionedDynamicGraph:
        """The same graph in arrays of its own, in the same parts.

        Raises
        ------
        OutOfMemoryError, PartError
        """

        def copied(number: int) -> DynamicPart:
            part = self.parts[number]
            return replace(part, graph=part.graph.copy())

        other = type(self).__new__(type(self))
        with self._exchange.together():
            other._hold(self._team.each(copied), self.deal, self.directed, self._exchange)
        other.allow_self_loops, other.keeps_in_edges = self.allow_self_loops, self.keeps_in_edges
        other._start()
        other._count(self.num_arcs, self.num_self_loops)
        return other

    @reading
    def save(self, path: Any) -> None:
        """Write the graph to a NumPy archive, as `DynamicGraph.save` does; the first process gathers and writes it.

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
        """The edges as a `PartitionedGraph` with the same parts: compressed sparse rows. O(n + m log d)."""
        with self._exchange.together():
            self._check_alike()
            graphs = self._team.each(lambda index: self.parts[index].static())
            return PartitionedGraph(graphs, self.deal, self.directed, self._exchange)

    def make_in_edges(self) -> None:
        """Refuse what needs in-edges if the graph is directed and does not keep them."""
        if not self.keeps_in_edges:
            raise GraphError(
                "this needs in-edges, and the directed graph does not keep them: make it with in_edges=True"
            )
