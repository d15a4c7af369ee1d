"""Graph: a static graph as compressed sparse rows, on the CPU or a GPU."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from minigr.device import Device, device_of, host_view, resolve
from minigr.errors import GraphError, OutOfMemoryError
from minigr.graphs import checks, construct, edit
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.arcs import ROWS_AT_ONCE, Arcs
from minigr.graphs.backend import builder, moved_arcs, scope
from minigr.graphs.columns import NO_COLUMNS, Columns, followed, in_order
from minigr.graphs.kept import Kept
from minigr.held import arrays_in, with_arrays
from minigr.memory import fits, out_of_memory, require, require_graph, require_rows, rows_fit

_TO_SEARCH = "rows_to_search"  # the name of these rows in `kept`
_MANY_ROWS = 1 << 16  # with so many rows, a list of the rows that are not empty pays off


class Graph:
    """A static graph in compressed sparse rows.

    Create a graph with `from_edges`, `from_csr`, `from_scipy`, `from_networkx`, `minigr.read` or `minigr.generate`. The
    arrays that a graph returns belong to the graph: do not write to them.

    Vertices are numbered from 0 (int32). Each row of neighbors is sorted. Parallel edges keep the order in which they
    were given. An undirected graph stores each edge as two arcs with one weight, and each self-loop as one arc.

    Attributes
    ----------
    num_vertices : int
    directed : bool
    is_sorted : bool
        Always True: each row is in increasing order.
    layout : str
        ``"csr"``: the name of the graph's layout, one of the layouts of `minigr.graphs.adjacency`.
    """

    __slots__ = (
        "__weakref__",
        "_device",
        "_edge_columns",
        "_kept",
        "_max_degree",
        "_out",
        "_structure",
        "_vertex_columns",
        "_weight_summary",
        "directed",
        "num_vertices",
    )

    is_sorted = True
    layout = "csr"
    version = 0  # a static graph never changes

    def __init__(self, out_edges: Adjacency, directed: bool, device: Device, *, simple: bool = False):
        # The caller, one of the constructors below, has checked or built the rows. `simple`: the graph is known to be
        # simple.
        self.num_vertices = out_edges.num_vertices
        self.directed = directed
        self._device = device
        self._out = out_edges
        self._kept = Kept()
        self._vertex_columns = self._edge_columns = NO_COLUMNS
        self._structure: tuple[int, bool] | None = (0, False) if simple else None
        self._max_degree: dict[bool, int] = {}
        self._weight_summary: tuple[float, float, float] | None = None

    @classmethod
    @out_of_memory
    def from_edges(
        cls,
        src: Any,
        dst: Any,
        weights: Any = None,
        *,
        num_vertices: int | None = None,
        directed: bool = False,
        device: str | Device | None = None,
        arcs: Literal["device", "host"] = "device",
    ) -> Graph:
        """Build a graph from the edges ``src[i], dst[i]``. O(n + m) on the CPU; the GPU sorts each row.

        Parameters
        ----------
        src, dst : integer arrays or sequences [m]
            Vertex ids, from 0. Parallel edges and self-loops are kept.
        weights : array or sequence [m], optional
            int32, int64, float32 or float64. Narrower integers and bool are widened. NaN is not allowed.
        num_vertices : int, optional
            By default, one more than the largest id.
        directed : bool
            If False, each edge is stored in both directions.
        device : str, optional
            By default, the device of `src` if `src` is a CuPy array, otherwise the default of `minigr.device.resolve`.
        arcs : {'device', 'host'}
            ``"host"`` keeps the arcs of a graph on a GPU in host memory; see `to`. The CPU then builds the graph.

        Raises
        ------
        GraphError
            If ids are not integers, are negative or are too large; if lengths differ; or if weights have another dtype
            or contain NaN.
        OutOfMemoryError
            If the graph does not fit into the memory of the device, or its arcs do not fit into host memory.

        Examples
        --------
        >>> g = Graph.from_edges([0, 1, 2], [1, 2, 0], [5.0, 6.0, 7.0], device="cpu")
        >>> g
        Graph(3 vertices, 3 edges, undirected, float64 weights, cpu)
        >>> g.neighbors(0)
        array([1, 2], dtype=int32)
        """
        checks.check_arcs(arcs)
        directed = checks.as_flag(directed, "directed")
        where = construct.choose_device(device, src)
        with scope(where):
            rows = construct.rows_of_edges(where, arcs, src, dst, weights, num_vertices, mirror=not directed)
        return cls(rows, directed, where)

    @classmethod
    @out_of_memory
    def from_csr(
        cls,
        offsets: Any,
        indices: Any,
        weights: Any = None,
        *,
        directed: bool = False,
        device: str | Device | None = None,
        validate: bool = True,
        arcs: Literal["device", "host"] | None = None,
    ) -> Graph:
        """Build a graph from compressed sparse rows, without a copy if the dtypes and the device already match.

        Parameters
        ----------
        offsets : integer array [n + 1]
            An int64 array is used without a copy.
        indices : integer array [m]
            An int32 array is used without a copy. Each row must be sorted. The rows of an undirected graph must hold
            both directions of each edge, with one weight.
        weights : array [m], optional
        directed : bool
        device : str, optional
            By default, the device of `indices` if `indices` is a CuPy array.
        validate : bool
            Whether to check all of these rules, in O(n + m). If False, results for arrays that break a rule are
            undefined.
        arcs : {'device', 'host'}, optional
            ``"host"`` keeps the arcs of a graph on a GPU in host memory; see `to`. Arcs of a graph that already has its
            arcs on the host are used without a copy, other arcs are copied. By default, such arcs stay on the host, and
            other arcs are moved to `device`.

        Raises
        ------
        GraphError
            If the arrays break a rule above. The message names the first place.
        OutOfMemoryError
            If the graph does not fit into the memory of the device, or its arcs do not fit into host memory.

        Examples
        --------
        >>> Graph.from_csr([0, 1, 2], [1, 0], device="cpu").num_edges
        1
        """
        if arcs is not None:
            checks.check_arcs(arcs)
        directed = checks.as_flag(directed, "directed")
        where = construct.choose_device(device, indices)
        with scope(where):
            rows = construct.rows_of_csr(where, arcs, offsets, indices, weights, directed, validate)
        return cls(rows, directed, where)

    @classmethod
    @out_of_memory
    def from_scipy(
        cls,
        matrix: Any,
        *,
        directed: bool = True,
        weights: bool = True,
        device: str | Device | None = None,
        arcs: Literal["device", "host"] = "device",
    ) -> Graph:
        """Build a graph from a square sparse matrix: an arc i -> j for each stored entry (i, j), zeros included.

        Parameters
        ----------
        matrix : SciPy or CuPy sparse matrix or array [n, n]
        directed : bool
            If False, the matrix must be symmetric. Its entries (i, j) and (j, i) are the two directions of an edge.
        weights : bool
            Whether the values become weights.
        device : str, optional
        arcs : {'device', 'host'}
            As for `from_edges`.

        Examples
        --------
        >>> import scipy.sparse
        >>> Graph.from_scipy(scipy.sparse.eye_array(3, format="csr"), device="cpu").num_edges
        3
        """
        from minigr.graphs.convert import csr_of_matrix

        return cls.from_csr(*csr_of_matrix(matrix, weights), directed=directed, device=device, arcs=arcs)

    @classmethod
    @out_of_memory
    def from_networkx(
        cls,
        graph: Any,
        weight: str | None = None,
        *,
        device: str | Device | None = None,
        arcs: Literal["device", "host"] = "device",
        vertex_columns: bool | Sequence[str] = False,
        edge_columns: bool | Sequence[str] = False,
    ) -> Graph:
        """Build a graph from a NetworkX graph; its nodes become 0, 1, ... in the order of ``list(graph)``.

        Parameters
        ----------
        graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        weight : str, optional
            The edge attribute that holds the weight. Every edge must have the attribute. If None, the graph has no
            weights.
        device : str, optional
        arcs : {'device', 'host'}
            As for `from_edges`.
        vertex_columns, edge_columns : bool or sequence of str
            Attributes of nodes and of edges to store as columns. If True, all attributes except the weight. By default,
            none. A column is an array of numbers or bools if each node or edge has a number or bool; NaN marks missing
            real numbers. Otherwise a column is an array of objects, with None for missing values.

        Raises
        ------
        GraphError
            If an edge has no weight, if no node or edge has a requested attribute, or if the name of an attribute is
            not a string.

        Examples
        --------
        >>> import networkx
        >>> Graph.from_networkx(networkx.path_graph(4), device="cpu").num_edges
        3

        >>> town = networkx.Graph()
        >>> town.add_edge("a", "b", road="A1")
        >>> Graph.from_networkx(town, edge_columns=True, device="cpu").edge_columns["road"].tolist()
        ['A1']
        """
        from minigr.graphs.convert import edges_of_networkx
        from minigr.graphs.networkx_attributes import columns_of_networkx

        src, dst, weights, count = edges_of_networkx(graph, weight)
        options: dict[str, Any] = {"num_vertices": count, "directed": graph.is_directed()}
        made = cls.from_edges(src, dst, weights, **options, device=device, arcs=arcs)
        if not vertex_columns and not edge_columns:
            return made
        vertices, edges = columns_of_networkx(graph, vertex_columns, edge_columns, weight)
        in_rows = in_order(lambda numbers: cls.from_edges(src, dst, numbers, **options, device="cpu"), edges, len(src))
        return made.with_columns(vertices, in_rows)

    @out_of_memory
    def to_edges(self, *, both_ways: bool = False) -> tuple[Any, Any, Any]:
        """Return the edges as arrays on the device of the graph, in the order of the rows.

        Parameters
        ----------
        both_ways : bool
            If True, list each edge of an undirected graph in both directions, as PyTorch Geometric's ``edge_index``
            does. If False, list each edge once, with source <= target.

        Returns
        -------
        src, dst : int32 arrays
        weights : array, or None

        Examples
        --------
        >>> Graph.from_edges([0, 2], [1, 1], device="cpu").to_edges()
        (array([0, 1], dtype=int32), array([1, 2], dtype=int32), None)
        """
        with scope(self._device):
            src, dst = self._builder.row_of_arcs(self.offsets, self.num_arcs), self.indices
            if self.directed or both_ways:
                return src, dst, self.weights
            once = self._device.expect(src <= dst, self.num_edges)
            return src[once], dst[once], None if self.weights is None else self.weights[once]

    @out_of_memory
    def to_scipy(self) -> Any:
        """Return a ``scipy.sparse.csr_array`` [n, n] in host memory.

        The values are the weights, or int32 ones if the graph has no weights. The matrix of a graph on the CPU shares
        indices and weights with the graph: do not change them in place. O(n), or O(m) without weights.

        Examples
        --------
        >>> Graph.from_edges([0], [1], [2.5], device="cpu").to_scipy().toarray()
        array([[0. , 2.5],
               [2.5, 0. ]])
        """
        from minigr.graphs.convert import matrix_of

        return matrix_of(self._out)

    @out_of_memory
    def to_networkx(self, *, columns: bool = False) -> Any:
        """Return a ``networkx.Graph`` or ``DiGraph``, or their Multi kind if edges repeat, with weights as ``weight``.

        Parameters
        ----------
        columns : bool
            Whether to store the columns as attributes of nodes and edges, with Python values. Missing values (None,
            NaN, NaT) are left out.

        Raises
        ------
        GraphError
            If the graph has weights and an edge column ``weight``.

        Examples
        --------
        >>> sorted(Graph.from_edges([0, 1], [1, 2], device="cpu").to_networkx().edges())
        [(0, 1), (1, 2)]
        """
        from minigr.graphs.convert import networkx_of

        return networkx_of(self, columns)

    @out_of_memory
    def to(self, device: str | Device, *, arcs: Literal["device", "host"] = "device") -> Graph:
        """Return the graph on another device, or the graph itself if it is already there.

        Parameters
        ----------
        device : str
        arcs : {'device', 'host'}
            ``"host"`` is for a graph that is too large for GPU memory. Neighbors and weights stay in page-locked host
            memory, and kernels read them there. Arrays that are built from them, such as in-edges, also stay there.
            Everything else is on the GPU: 8 bytes per vertex, fields, frontiers. All algorithms and operators run
            unchanged, as fast as the link to the host allows. On the CPU both values have the same effect.

        Raises
        ------
        GraphError
            If `arcs` has another value.
        DeviceError
            If the device does not exist.
        OutOfMemoryError
            If the graph does not fit into the memory of the device, or its arcs do not fit into host memory.

        Notes
        -----
        If a graph has its arcs on the host, its copy on the CPU shares these arcs.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1], [1, 2], device="cpu")
        >>> graph.to("cpu") is graph
        True
        """
        checks.check_arcs(arcs)
        where = self._device.beside(resolve(device))
        if where == self._device and (arcs == self.arcs or not where.is_cuda):
            return self
        arrays = [array for array in (self.indices, self.weights) if array is not None]
        stay = host_view(self.indices) is not None and (arcs == "host" or not where.is_cuda)
        longer = 0 if stay else sum(int(array.nbytes) for array in arrays)
        require_graph(where, int(self.offsets.nbytes), longer, "the graph", arcs_in=arcs)
        with scope(where):
            moved = (moved_arcs(array, where, arcs) for array in arrays)
            graph = Graph(Adjacency(where.asarray(self.offsets), *moved), self.directed, where)
        graph._vertex_columns, graph._edge_columns = self._vertex_columns, self._edge_columns
        return graph

    @property
    def device(self) -> str:
        """The device of the arrays: ``"cpu"``, ``"cuda:0"``, ..."""
        return str(self._device)

    @property
    def arcs(self) -> Literal["device", "host"]:
        """``"host"`` if a GPU reads neighbors and weights from host memory, otherwise ``"device"``."""
        return self._out.arcs

    @property
    def _builder(self) -> Any:
        return builder(self._device, self.arcs)

    @property
    def _home_of_arcs(self) -> Device:
        """The device in whose memory the arcs are."""
        return self._device.host if self.arcs == "host" else self._device

    @property
    def out_edges(self) -> Adjacency:
        """The rows of out-neighbors, or of neighbors for an undirected graph."""
        return self._out

    @property
    def offsets(self) -> Any:
        """int64[n + 1]: the start of each row of `indices`."""
        return self._out.offsets

    @property
    def indices(self) -> Any:
        """int32[num_arcs]: the neighbors, row by row."""
        return self._out.indices

    @property
    def weights(self) -> Any:
        """[num_arcs]: the weight of each arc, or None."""
        return self._out.weights

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self._out.weights is not None

    @property
    def weight_dtype(self) -> Any:
        """The dtype of the weights, or None."""
        return None if self._out.weights is None else self._out.weights.dtype

    @property
    def num_live_vertices(self) -> int:
        """Number of vertices. Equal to `num_vertices`, because a static graph never deletes vertices."""
        return self.num_vertices

    @property
    def num_edge_ids(self) -> int:
        """One more than the largest arc id: the length of an array with one element for each id."""
        return self.num_arcs

    @property
    def storage(self) -> tuple[Any, ...]:
        """Values that identify the state of the graph's memory. Empty, because a static graph has only one state."""
        return ()

    @property
    def most_edge_ids(self) -> int:
        """Number of positions that there is room for, of out-edges or in-edges: the number of arcs."""
        return self.num_arcs

    @property
    def keeps_in_edges(self) -> bool:
        """Whether in-edges are available. Always True, because `in_edges` builds them."""
        return True

    @property
    def has_room_for_in_edges(self) -> bool:
        """Whether in-edges exist or fit into memory. Callers that can work without in-edges build them only then."""
        if not self.directed or "in_edges" in self._kept:
            return True
        return self._fits(ids=True)

    def _fits(self, *, ids: bool = False) -> bool:
        """Whether there is room for another copy of the rows."""
        return rows_fit(self._device, self.num_vertices, self.num_arcs, self.weights, ids=ids, arcs_in=self.arcs)

    @out_of_memory
    def weight_summary(self) -> tuple[float, float, float]:
        """Return the minimum, mean and maximum weight; computed once and kept. All 0 in a graph without arcs.

        Raises
        ------
        GraphError
            If the graph has no weights.
        """
        if not self.weighted:
            raise GraphError("the graph has no weights: build it with weights=, or use an algorithm that needs none")
        if self._weight_summary is None:
            self._weight_summary = self._summarized() if self.num_arcs else (0.0, 0.0, 0.0)
        return self._weight_summary

    def _summarized(self) -> tuple[float, float, float]:
        with scope(self._device):
            least, total, greatest = self._builder.summarize(self.weights)
            mean = total / self.num_arcs
            if math.isinf(mean):  # is the mean infinite, or only the sum?
                mean = self._builder.summarize(self.weights, 1.0 / self.num_arcs)[1]
        return least, mean, greatest

    @property
    def num_arcs(self) -> int:
        """Number of stored arcs. For an undirected graph: two for each edge, and one for each self-loop."""
        return self._out.num_arcs

    @property
    def num_edges(self) -> int:
        """Number of edges, each counted once. O(m) at first use for an undirected graph."""
        return self.num_arcs if self.directed else (self.num_arcs + self.num_self_loops) // 2

    @property
    @out_of_memory
    def num_self_loops(self) -> int:
        """Number of self-loops. O(m) at first use."""
        return self._loops_and_repeats()[0]

    @property
    @out_of_memory
    def has_parallel_edges(self) -> bool:
        """Whether any two edges join the same vertices, in the same direction if directed. O(m) at first use."""
        return self._loops_and_repeats()[1]

    @property
    @out_of_memory
    def is_simple(self) -> bool:
        """Whether the graph has no self-loops and no parallel edges. O(m) at first use."""
        return self._loops_and_repeats() == (0, False)

    @property
    def memory(self) -> int:
        """Size of the arrays in bytes, including the arrays in `kept`."""
        return sum(int(array.nbytes) for array in arrays_in((self._out, self._kept)).values())

    @property
    def kept(self) -> dict[str, int]:
        """Data that algorithms built from the graph and keep with it for the next call: names, and sizes in bytes.

        - ``in_edges``: the in-edges of a directed graph, or the ids of the in-edges of an undirected graph.
        - ``reverse``: the reverse of a directed graph.
        - ``by_degree``: the graph of `by_degree`.
        - ``orientation``: the orientation in which triangles are sought.
        - ``edge_order``, ``first_arc_order``: the edge orders of similarities.
        - ``chances``: the chances of a random walk.
        - ``sums``: sums of weights along rows, with which edges are drawn. ``in_sums``: the same along the rows of
          in-edges.
        - ``stamps``: the stamps that number the vertices of samples.
        - ``rows_to_search``: for a pull on a GPU, the vertices that have edges, if many have none; and the first
          neighbors of vertices, if the arcs are on the host.

        Arrays that several entries share are counted once.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1], [2, 2], directed=True, device="cpu")
        >>> _ = graph.in_edges()
        >>> graph.kept
        {'in_edges': 56}
        """
        return self._kept.sizes(self._out)

    def drop(self, *names: str) -> None:
        """Drop the entries of `kept` with these names, or all entries if no name is given.

        An entry is built again when it is needed. Dropping ``in_edges`` also drops ``reverse`` and ``rows_to_search``,
        which are built from the in-edges. Memory that other objects still hold is not freed.

        Raises
        ------
        GraphError
            If no entry has one of the names. In this case nothing is dropped.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1], [2, 2], directed=True, device="cpu")
        >>> _ = graph.reverse()
        >>> graph.drop()
        >>> graph.kept
        {}
        """
        self._kept.drop(names)

    def _find_facts(self) -> None:
        """Compute the facts that an estimate needs about the graph and kept data but can't find in pieces. O(n + m)."""
        for inward in (False, True):
            self.max_degree(inward=inward)
        self._loops_and_repeats()
        if self.weighted:
            self.weight_summary()
        self._kept._find_facts()

    def _with_arrays(self, change: Callable[[Any], Any]) -> Graph:
        """See `minigr.held.with_arrays`."""
        out = with_arrays(self._out, change)
        changed = Graph(out, self.directed, device_of(out.offsets))
        changed._kept = self._kept._with_arrays(change)
        changed._structure, changed._weight_summary = self._structure, self._weight_summary
        changed._max_degree = self._max_degree  # shared, so that a value computed by one is known to both
        return changed

    def _with_all_arrays(self, change: Callable[[Any], Any]) -> Graph:
        """Like `_with_arrays`, but also changes the columns, which are not part of the graph's memory."""
        changed = self._with_arrays(change)
        changed._vertex_columns = self._vertex_columns._with_arrays(change)
        changed._edge_columns = self._edge_columns._with_arrays(change)
        return changed

    @property
    def host_memory(self) -> int:
        """Number of bytes of `memory` that a GPU reads from host memory. 0 unless `arcs` is ``"host"``."""
        if self.arcs == "device":
            return 0
        held = arrays_in((self._out, self._kept)).values()
        return sum(int(array.nbytes) for array in held if host_view(array) is not None)

    @out_of_memory
    def in_edges(self, ids: bool | None = None) -> Adjacency:
        """Return the rows of in-neighbors, built at first use.

        Building takes O(n + m) time, 4 bytes per arc plus the weights, and 8 more bytes per arc for ids.

        Parameters
        ----------
        ids : bool, optional
            Whether `edge_ids` is needed: ``edge_ids[p]`` is the id of the arc at position p. By default, a directed
            graph builds `edge_ids`. By default, an undirected graph returns its own rows, with ``edge_ids`` None: the
            id of the in-edge at position p is then p, the id of its reverse arc, which has the same weight. If False,
            ``edge_ids`` is None unless it already exists.

        Examples
        --------
        >>> rows = Graph.from_edges([0, 1], [2, 2], directed=True, device="cpu").in_edges()
        >>> rows.indices, rows.edge_ids
        (array([0, 1], dtype=int32), array([0, 1]))
        """
        if not self.directed and not ids:
            return self._out
        with_ids = ids is not False

        def serves(rows: Adjacency) -> bool:
            return rows.edge_ids is not None or not with_ids

        return self._kept.get("in_edges", self.version, lambda: self._in_edges(with_ids), serves)

    def _rows_to_search(self, ids: bool | None = None) -> Adjacency:
        """Like `in_edges`, for searches on a GPU. If there is room, adds arrays that make searches shorter.

        If many rows are empty, a search goes through a list of the other rows, because lanes with an empty row would
        wait for their warp. The beginnings of the listed rows have an array of their own, so that memory accesses are
        close together. A search for a parent mostly ends at the first neighbor. If arcs are on the host and the first
        neighbor is in GPU memory, such a search reads nothing over the link. Both are built at first use and kept: up
        to 9 bytes per vertex for the list, and 4 bytes per vertex for first neighbors.
        """
        rows, distant = self.in_edges(ids), self.arcs == "host"
        lists = self.num_vertices >= _MANY_ROWS
        if not (lists or distant):
            return rows
        room = (9 * lists + 4 * distant) * self.num_vertices + 8 * ROWS_AT_ONCE
        if _TO_SEARCH not in self._kept and not fits(self._device, room):
            return rows

        def made() -> Adjacency:
            with scope(self._device):
                firsts = self._builder.first_entries(rows.offsets, rows.indices) if distant else None
                nonempty, begins = self._builder.nonempty_rows(rows.offsets) if lists else (None, None)
            return replace(rows, firsts=firsts, nonempty=nonempty, nonempty_offsets=begins)

        def serves(held: Adjacency) -> bool:
            return held.indices is rows.indices and held.edge_ids is rows.edge_ids

        return self._kept.get(_TO_SEARCH, self.version, made, serves)

    def _in_edges(self, ids: bool) -> Adjacency:
        count, what = self.num_arcs, "the graph's in-edges"
        require_rows(self._device, self.num_vertices, count, self.weights, what, ids=ids, arcs_in=self.arcs)
        with scope(self._device):
            arcs = replace(self._arcs(), turn=True, long_rows=partial(self._long_rows, inward=True))
            rows = Adjacency(*self._builder.rows(self.num_vertices, arcs, with_ids=ids))
        if not self.directed:  # the transpose equals the graph, so share its arrays
            return Adjacency(self.offsets, self.indices, self.weights, rows.edge_ids)
        return rows

    @out_of_memory
    def out_degree(self) -> Any:
        """Return the length of each row as int64[n], on the device of the graph. A self-loop counts once."""
        with scope(self._device):
            return self.offsets[1:] - self.offsets[:-1]

    degree = out_degree

    @out_of_memory
    def by_degree(self) -> tuple[Graph, Any]:
        """Return the graph with vertices renumbered by decreasing out-degree, and the new number of each vertex.

        The graph is built at first use. If a few vertices have most of the edges, the data that an algorithm keeps for
        these vertices is then close together, and in the caches. Building takes a sort of the arcs, and as much memory
        as the graph.

        Returns
        -------
        graph : Graph
        place : int32[n]
            Vertex v of this graph is vertex ``place[v]`` of the new graph. Vertices of equal degree keep their order.

        Examples
        --------
        >>> graph, place = Graph.from_edges([0, 1, 2], [3, 3, 3], device="cpu").by_degree()
        >>> place, graph.degree()
        (array([1, 2, 3, 0], dtype=int32), array([3, 1, 1, 1]))
        """
        return self._kept.get("by_degree", self.version, self._by_degree)

    def by_degree_if_it_fits(self) -> tuple[Graph, Any] | None:
        """Return the result of `by_degree`, or None if the result is not kept and there is no room for it."""
        if "by_degree" not in self._kept and not self._fits():
            return None
        try:
            return self.by_degree()
        except OutOfMemoryError:  # free memory may be fragmented
            return None

    def _by_degree(self) -> tuple[Graph, Any]:
        what = "the graph with its vertices by degree"
        require_rows(self._device, self.num_vertices, self.num_arcs, self.weights, what, arcs_in=self.arcs)
        with scope(self._device):
            xp, build = self._device.xp, self._builder
            order = xp.argsort(-self.out_degree(), kind="stable")
            place = xp.empty(self.num_vertices, np.int32)
            place[order] = xp.arange(self.num_vertices, dtype=np.int32)
            del order  # free the order before the rows are built, which takes most memory
            arcs = replace(self._arcs(), place=place, permutes=True, long_rows=self._long_rows)
            graph = Graph(Adjacency(*build.rows(self.num_vertices, arcs)[:3]), self.directed, self._device)
        graph._structure, graph._weight_summary = self._structure, self._weight_summary
        graph._max_degree = dict(self._max_degree)
        return graph, place

    @out_of_memory
    def reverse(self) -> Graph:
        """Return the graph with each edge reversed, on the same arrays. An undirected graph is its own reverse.

        The reverse is built from the in-edges at first use, and kept. It takes 8 bytes per arc in addition to the
        in-edges. An edge has another id in the reverse.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1], [2, 2], directed=True, device="cpu").reverse()
        >>> graph.offsets, graph.indices
        (array([0, 0, 0, 2]), array([0, 1], dtype=int32))
        """
        if not self.directed:
            return self
        return self._kept.get("reverse", self.version, self._reverse)

    def _reverse(self) -> Graph:
        rows = self.in_edges()
        require(self._home_of_arcs, 8 * self.num_arcs, "the ids of edges of the graph turned round")
        with scope(self._device):
            ids = self._builder.inverse(rows.edge_ids)
        turned = Graph(Adjacency(rows.offsets, rows.indices, rows.weights), True, self._device)
        inward = Adjacency(self.offsets, self.indices, self.weights, ids)
        turned._kept.get("in_edges", turned.version, lambda: inward)
        return followed(self, turned, lambda graph: graph.reverse())

    @out_of_memory
    def subgraph(self, vertices: Any) -> Graph:
        """Return the graph of some vertices and all edges between them. Its vertex i is vertex ``vertices[i]`` of this
        graph.

        To copy values that were found for the subgraph back to this graph, use ``values[vertices] = found``. Vertices
        without an edge to another chosen vertex stay.

        Parameters
        ----------
        vertices : integer array or sequence [k]
            Each vertex at most once.

        Returns
        -------
        Graph
            A graph with k vertices on the device of this graph. Weights, parallel edges and self-loops are kept.

        Raises
        ------
        GraphError
            If a vertex does not exist, or is given twice.

        Notes
        -----
        O(n) to number the vertices, and O(arcs that leave the vertices). On a GPU, each row is sorted. Other arcs are
        not copied. To keep the names of the vertices, use ``mg.Labels(labels[vertices])``.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], [5.0, 6.0, 7.0, 8.0], device="cpu")
        >>> graph.subgraph([3, 0, 1]).to_edges()
        (array([0, 1], dtype=int32), array([1, 2], dtype=int32), array([8., 5.]))
        """
        with scope(self._device):
            ids = checks.as_ids(self._device, vertices, "vertices", self.num_vertices)
            rows = edit.rows_between(self._device, self._out, ids)
        made = Graph(rows, self.directed, self._device, simple=self._structure == (0, False))
        return followed(self, made, lambda graph: graph.subgraph(ids), ids)

    @out_of_memory
    def edge_subgraph(self, edges: Any) -> Graph:
        """Return the graph of some edges and all vertices. Vertices keep their numbers, and so their names.

        To keep only the vertices with an edge, use ``part.subgraph(np.flatnonzero(part.degree()))``. For a directed
        graph, use ``part.degree() + part.in_degree()``.

        Parameters
        ----------
        edges : integer array or sequence [k], or bool array
            Edge ids or a mask. Ids are positions in `indices`, such as the ids in a `Frontier` of edges, in `bridges`
            or in a minimum spanning forest. A mask has an element for each arc as in an edge field, or for each edge in
            the order of `to_edges`. An edge of an undirected graph stays if one of its two arcs is chosen.

        Returns
        -------
        Graph
            A graph on the device of this graph. Weights, parallel edges and self-loops are kept.

        Raises
        ------
        GraphError
            If an edge does not exist, or a mask has another length.

        Notes
        -----
        O(n + m). Temporarily takes up to 9 bytes for each arc, or up to 17 bytes for an undirected graph.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], [5.0, 6.0, 7.0, 8.0], device="cpu")
        >>> src, dst, weights = graph.to_edges()
        >>> graph.edge_subgraph(weights > 6).to_edges()
        (array([0, 2], dtype=int32), array([3, 3], dtype=int32), array([8., 7.]))
        """
        with scope(self._device):
            options: dict[str, Any] = {"directed": self.directed, "count": self.num_edges}
            rows = edit.rows_of_some(self._device, self._out, edges, **options)
        made = Graph(rows, self.directed, self._device, simple=self._structure == (0, False))
        return followed(self, made, lambda graph: graph.edge_subgraph(edges))

    @out_of_memory
    def simplify(self, weights: edit.Combine = "sum", *, self_loops: bool = False) -> Graph:
        """Return the graph with parallel edges merged into one edge, and without self-loops: a simple graph.

        Parameters
        ----------
        weights : {"sum", "min", "max", "first", "count"}
            The weight of a merged edge: the sum, minimum or maximum of the weights, the weight of the edge that was
            given first, or the number of edges. A graph without weights gets weights only with ``"count"``.
        self_loops : bool
            Whether self-loops stay. Parallel self-loops are merged, too.

        Returns
        -------
        Graph
            A graph on the device of this graph, directed if this graph is. Sums are int64 or float64, counts are int64.
            Other weights keep their dtype.

        Raises
        ------
        GraphError
            If `weights` has another value. If int64 can't hold a sum, or a sum is NaN, as that of inf and -inf is.

        Notes
        -----
        O(n + m). Floating-point sums are added in one fixed order on each device.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1, 1, 2], [1, 0, 2, 2], [5.0, 6.0, 7.0, 8.0], device="cpu")
        >>> graph.simplify("min").to_edges()
        (array([0, 1], dtype=int32), array([1, 2], dtype=int32), array([5., 7.]))
        """
        edit.check_combine(weights)
        with scope(self._device):
            options: dict[str, Any] = {"directed": self.directed, "loops": self.num_self_loops}
            rows = edit.rows_simplified(self._device, self._out, weights, keep_loops=self_loops, **options)
        made = Graph(rows, self.directed, self._device, simple=not self_loops)
        return followed(self, made, lambda graph: graph.simplify("first", self_loops=self_loops))

    @out_of_memory
    def to_undirected(self, weights: edit.Combine | Literal["each"] = "sum") -> Graph:
        """Return the graph without edge directions, or the graph itself if it is undirected.

        Parameters
        ----------
        weights : {"sum", "min", "max", "first", "count", "each"}
            The weight of the edge between two vertices, computed from all edges between them in both directions, as for
            `simplify`. For ``"first"``, the first edge is an edge from the smaller to the larger vertex, if such an
            edge exists. ``"each"`` keeps each edge, so edges in both directions become parallel edges.

        Returns
        -------
        Graph
            A graph on the device of this graph, with dtypes as for `simplify`. Self-loops stay.

        Raises
        ------
        GraphError
            If `weights` has another value. If int64 can't hold a sum, or a sum is NaN, as that of inf and -inf is.

        Notes
        -----
        O(n + m) on a CPU; on a GPU each row is sorted. Takes the memory of both graphs, and of a graph with each edge
        in both directions. To keep only edges that exist in both directions, first call
        ``graph.edge_subgraph(graph.has_edges(dst, src))``.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1, 1], [1, 0, 2], [5.0, 6.0, 7.0], directed=True, device="cpu")
        >>> graph.to_undirected().to_edges()
        (array([0, 1], dtype=int32), array([1, 2], dtype=int32), array([11.,  7.]))
        """
        edit.check_combine(weights, "each")
        if not self.directed:
            return self
        with scope(self._device):
            made = Graph(edit.rows_both_ways(self, weights), False, self._device)
        which: Any = "each" if weights == "each" else "first"
        return followed(self, made, lambda graph: graph.to_undirected(which))

    @out_of_memory
    def with_weights(self, weights: Any) -> Graph:
        """Return the graph with other weights. Both graphs share all other arrays.

        Parameters
        ----------
        weights : array or sequence
            One element for each edge in the order of `to_edges`, or for each arc as in an edge field. In an array for
            arcs, both arcs of an undirected edge must have one weight. int32, int64, float32 or float64; narrower
            integers and bool are widened. NaN is not allowed. An array for arcs with the right dtype and device is used
            without a copy.

        Raises
        ------
        GraphError
            If the length or the dtype does not match, a weight is NaN, or an edge has two weights.

        Notes
        -----
        O(m). Weights for undirected edges temporarily take 8 bytes for each arc, and twice the memory of the weights.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 0], device="cpu")
        >>> graph.with_weights([5.0, 6.0, 7.0]).weights
        array([5., 6., 5., 7., 6., 7.])
        """
        with scope(self._device):
            options: dict[str, Any] = {"directed": self.directed, "count": self.num_edges}
            return self._with_rows(edit.rows_with_weights(self._device, self._out, weights, **options))

    def without_weights(self) -> Graph:
        """Return the graph without weights on the same arrays, or the graph itself if it has no weights. O(1).

        Examples
        --------
        >>> Graph.from_edges([0], [1], [2.5], device="cpu").without_weights().weighted
        False
        """
        return self._with_rows(replace(self._out, weights=None)) if self.weighted else self

    @property
    def vertex_columns(self) -> Columns:
        """Named vertex data in host memory. Empty unless `with_columns` or a table set columns."""
        return self._vertex_columns

    @property
    def edge_columns(self) -> Columns:
        """Named edge data in host memory, in the order of `to_edges`."""
        return self._edge_columns

    @out_of_memory
    def with_columns(self, vertices: Any = None, edges: Any = None) -> Graph:
        """Return the graph with additional columns, on the same arrays.

        `to`, `with_weights`, `subgraph`, `edge_subgraph`, `simplify`, `to_undirected` and `reverse` keep columns, and
        so do functions that use these methods, such as `minigr.largest_component`. If several edges become one, the
        edge keeps the values of the first edge. `contract` drops columns, because each new vertex would have many
        values.

        Parameters
        ----------
        vertices : pandas or polars DataFrame, Arrow Table, or dict of columns, optional
            One row for each vertex. A column is a NumPy, CuPy, pandas, polars or Arrow array, or a sequence. Columns
            are kept in host memory, without a copy if they are already there. New columns replace columns with the same
            names.
        edges : pandas or polars DataFrame, Arrow Table, or dict of columns, optional
            One row for each edge in the order of `to_edges`.

        Raises
        ------
        GraphError
            If the number of values does not match, a value is masked, or a name is not a string or is there twice.

        Notes
        -----
        O(1), except that the edges of an undirected graph are counted. Each edit of a graph with edge columns is
        repeated on the numbers of the edges. Such an edit takes several times as long, and memory for a copy of the
        graph and a second result. Edits of other graphs cost nothing extra.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 0], device="cpu")
        >>> graph = graph.with_columns(edges={"road": ["E6", "E18", "E39"]})
        >>> graph.subgraph([2, 0]).edge_columns["road"].tolist()
        ['E18']
        """
        graph = self._with_rows(self._out)
        graph._vertex_columns = self._vertex_columns.joined(vertices, self.num_vertices, "vertices")
        if edges is not None:
            graph._edge_columns = self._edge_columns.joined(edges, self.num_edges, "edges")
        graph._weight_summary = self._weight_summary
        return graph

    def without_columns(self) -> Graph:
        """Return the graph without columns on the same arrays, or the graph itself if it has no columns. O(1).

        Examples
        --------
        >>> graph = Graph.from_edges([0], [1], device="cpu").with_columns(vertices={"age": [30, 40]})
        >>> len(graph.without_columns().vertex_columns)
        0
        """
        if not self._vertex_columns and not self._edge_columns:
            return self
        graph = self._with_rows(self._out)
        graph._vertex_columns = graph._edge_columns = NO_COLUMNS
        graph._weight_summary = self._weight_summary
        return graph

    def _with_rows(self, rows: Adjacency) -> Graph:
        """The graph with other weights. Everything that is known about the graph, except the weights, stays known."""
        graph = Graph(rows, self.directed, self._device)
        graph._structure, graph._max_degree = self._structure, self._max_degree
        graph._vertex_columns, graph._edge_columns = self._vertex_columns, self._edge_columns
        return graph

    @out_of_memory
    def contract(self, labels: Any) -> Graph:
        """Return the graph in which all vertices with label i become vertex i.

        An edge of the result stands for all edges between two labels. Its weight is the sum of their weights, or their
        number if the graph has no weights. The edges between vertices with the same label become a self-loop. The
        weight of the self-loop is the sum of their weights, each counted once. So the weights of both graphs have the
        same sum.

        Parameters
        ----------
        labels : integer array [n]
            Labels from 0, for instance the result of `connected_components` or `louvain`. A label that no vertex has
            becomes a vertex without edges.

        Returns
        -------
        Graph
            A graph without parallel edges on the device of this graph, directed if this graph is. The number of
            vertices is one more than the largest label. Weights are int64 or float64.

        Raises
        ------
        GraphError
            If `labels` are not n whole numbers, or a label is negative. If int64 can't hold a sum of weights, or a
            sum is NaN, as that of inf and -inf is.

        Notes
        -----
        O(n + m) on a CPU; on a GPU each row is sorted. Floating-point sums are added in one fixed order on each device.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
        >>> graph.contract([0, 0, 0, 1, 1]).to_edges()
        (array([0, 0, 1], dtype=int32), array([0, 1, 1], dtype=int32), array([3, 1, 1]))
        """
        with scope(self._device):
            groups, largest = checks.as_ids_up_to(self._device, labels, "labels")
            if len(groups) != self.num_vertices:
                raise GraphError(
                    f"labels has length {len(groups)}, but there are {self.num_vertices} vertices: give a label to each"
                )
            how: dict[str, Any] = {"directed": self.directed, "loops": self.num_self_loops}
            rows = edit.rows_of_groups(self._device, self._out, groups, largest + 1, **how)
        return Graph(rows, self.directed, self._device)

    @out_of_memory
    def max_degree(self, *, inward: bool = False) -> int:
        """Return the largest out-degree, or in-degree if `inward`; computed once and kept. 0 in a graph without
        vertices.
        """
        key = inward and self.directed
        if key not in self._max_degree:
            rows = self._kept.peek("in_edges") if key else self._out
            if rows is None:
                self._max_degree[key] = int(self.in_degree().max()) if self.num_vertices else 0
            else:
                self._max_degree[key] = _longest(rows.offsets, self._device)
        return self._max_degree[key]

    def _assume_row(self, longest: int, *, inward: bool) -> None:
        """Assume a longest row of this length, so that all parts of a partitioned graph are handled alike."""
        self._max_degree[inward and self.directed] = longest

    def _long_rows(self, least: int, *, inward: bool = False) -> tuple[int, int]:
        """For an estimate, describe the long rows of this outline: see `minigr.graphs.arcs.LongRows`.

        If the values of the rows are not known, as for the in-edges (`inward`) of a directed graph, only the longest
        row is known. Then all rows are assumed to be long.
        """
        longest = self.max_degree(inward=inward)
        if longest <= least:
            return 0, longest
        if (inward and self.directed) or self.offsets.values is None:
            return self.num_arcs, longest
        values = self.offsets.values
        return sum(_of_lengths(values, device_of(values), lambda each: int(each[each > least].sum()))), longest

    def _arcs(self) -> Arcs:
        return Arcs(self.indices, offsets=self.offsets, weights=self.weights)

    def longest_row(self, *, inward: bool = False) -> int:
        """Return the largest number of positions that a vertex's arcs take, or its in-arcs if `inward`.

        Equal to `max_degree`, because rows have no gaps.
        """
        return self.max_degree(inward=inward)

    @out_of_memory
    def in_degree(self) -> Any:
        """Return the number of arcs that end at each vertex as int64[n]. For an undirected graph, the degree."""
        with scope(self._device):
            if not self.directed:
                return self.out_degree()
            rows = self._kept.peek("in_edges")
            begins = self._builder.in_offsets(self.offsets, self.indices) if rows is None else rows.offsets
            return begins[1:] - begins[:-1]

    def neighbors(self, vertex: int) -> Any:
        """Return the sorted out-neighbors of `vertex` as int32[degree], without a copy.

        Raises
        ------
        GraphError
            If the vertex does not exist.
        """
        v = checks.as_vertex_count(vertex, "vertex")
        if v >= self.num_vertices:
            raise GraphError(f"vertex {v} does not exist: the graph has {self.num_vertices} vertices, numbered from 0")
        return self.indices[int(self.offsets[v]) : int(self.offsets[v + 1])]

    @out_of_memory
    def has_edges(self, src: Any, dst: Any) -> Any:
        """Return whether each edge from ``src[i]`` to ``dst[i]`` exists, as bool[k]. O(log degree) each.

        Examples
        --------
        >>> Graph.from_edges([0, 1], [1, 2], device="cpu").has_edges([0, 2], [2, 1])
        array([False,  True])
        """
        with scope(self._device):
            source = checks.as_ids(self._device, src, "src", self.num_vertices)
            target = checks.as_ids(self._device, dst, "dst", self.num_vertices)
            if len(source) != len(target):
                raise GraphError(f"src has length {len(source)}, but dst has length {len(target)}: a pair needs both")
            return self._builder.contains(self.offsets, self.indices, source, target)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = f"{self.weights.dtype} weights" if self.weighted else "unweighted"
        where = f"{self.device}, arcs on the host" if self.arcs == "host" else self.device
        return f"Graph({self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind}, {weights}, {where})"

    def _loops_and_repeats(self) -> tuple[int, bool]:
        if self._structure is None:
            with scope(self._device):
                self._structure = self._builder.self_loops_and_repeats(self.offsets, self.indices)
        return self._structure


def _longest(offsets: Any, device: Device) -> int:
    """The length of the longest row."""
    return max(_of_lengths(offsets, device, lambda lengths: int(lengths.max())), default=0)


def _of_lengths(offsets: Any, device: Device, look: Callable[[Any], int]) -> list[int]:
    """Results of `look` for the lengths of some rows at a time, so that there is no array of all lengths."""
    some = 1 << (18 if device.is_cuda else 14)
    with scope(device):
        ends = (offsets[first : first + some + 1] for first in range(0, len(offsets) - 1, some))
        return [look(each[1:] - each[:-1]) for each in ends]
