"""GraphBatch: many small graphs side by side, as one graph without edges between them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from minigr.device import CPU, Device, resolve
from minigr.errors import GraphError
from minigr.graphs import batch_items
from minigr.graphs.adjacency import Adjacency
from minigr.graphs.backend import builder, scope
from minigr.graphs.checks import as_ids, as_vector
from minigr.graphs.construct import choose_device
from minigr.graphs.graph import Graph
from minigr.memory import out_of_memory
from minigr.missing import with_values


class GraphBatch:
    """Many graphs in one set of compressed sparse rows.

    Create a batch with `from_graphs`, `from_edges`, `from_graph` or `minigr.batch.read`. The arrays that a batch
    returns belong to the batch: do not write to them.

    The vertices of graph i are numbers ``vertex_offsets[i]`` to ``vertex_offsets[i + 1] - 1`` of `graph`. `graph` is an
    ordinary `Graph`: an app or enactor that runs over `graph` runs over all graphs of the batch at once. ``batch[i]``
    is graph i by itself, with vertices from 0. ``batch[a:b]``, ``batch[[3, 1]]`` and ``batch[mask]`` are batches of
    some graphs.

    Attributes
    ----------
    graph : Graph
        All graphs as one graph.
    graph_labels : array [num_graphs] or None
        A label from a data set for each graph, such as its class. The labels are in host memory, and have no effect
        here.
    vertex_labels : array [num_vertices] or None
        The same for each vertex.

    Examples
    --------
    >>> batch = GraphBatch.from_graphs([[(0, 1), (1, 2)], [(0, 1)]], device="cpu")
    >>> batch
    GraphBatch(2 graphs, 5 vertices, 3 edges, undirected, unweighted, cpu)
    >>> batch[1]
    Graph(2 vertices, 1 edges, undirected, unweighted, cpu)
    >>> batch.graph.neighbors(4)
    array([3], dtype=int32)
    """

    __slots__ = ("__weakref__", "_host_offsets", "_kept", "_vertex_offsets", "graph", "graph_labels", "vertex_labels")

    def __init__(self, graph: Graph, host_offsets: Any, graph_labels: Any = None, vertex_labels: Any = None):
        # The caller, one of the constructors below, has checked the arguments: int64 offsets in host memory.
        self.graph = graph
        self._host_offsets = host_offsets
        self._vertex_offsets: Any = None
        self.graph_labels = _labels(graph_labels, len(host_offsets) - 1, "graph_labels", "graphs")
        self.vertex_labels = _labels(vertex_labels, graph.num_vertices, "vertex_labels", "vertices")
        self._kept: dict[Any, Any] = {}  # results about the batch that algorithms keep for the next call

    @classmethod
    @out_of_memory
    def from_graphs(
        cls,
        graphs: Iterable[Any],
        *,
        num_vertices: Sequence[int | None] | None = None,
        directed: bool | None = None,
        weight: str | None = None,
        graph_labels: Any = None,
        device: str | Device | None = None,
    ) -> GraphBatch:
        """Build a batch from graphs, in this order. O(n + m), plus about 30 microseconds of Python for each graph.

        Parameters
        ----------
        graphs : iterable
            Each item is one of

            - pairs ``[(0, 1), (1, 2)]``, or an integer array [m, 2];
            - a tuple of columns ``(src, dst)`` or ``(src, dst, weights)``;
            - a SciPy or CuPy sparse matrix [n, n], whose values are weights;
            - a NetworkX graph, whose nodes become 0, 1, ... in the order of ``list(graph)``;
            - a `Graph`.
        num_vertices : sequence of int, optional
            The number of vertices of each graph. By default, for pairs and columns, one more than the largest id.
        directed : bool, optional
            Whether the graphs are directed. By default, NetworkX graphs and `Graph` objects keep their kind, pairs and
            columns are undirected, and matrices are directed. If False, matrices must be symmetric.
        weight : str, optional
            The edge attribute of NetworkX graphs that holds the weight. If None, NetworkX graphs have no weights.
        graph_labels : array, one for each graph, optional
        device : str, optional

        Raises
        ------
        GraphError
            If an item is not one of the forms above, or if some graphs are directed or weighted and others are not. The
            message begins with the position of the graph. Weights of several dtypes are promoted as NumPy does.

        Examples
        --------
        >>> import networkx as nx
        >>> GraphBatch.from_graphs([nx.path_graph(4), nx.empty_graph(2), nx.star_graph(3)], device="cpu")
        GraphBatch(3 graphs, 10 vertices, 6 edges, undirected, unweighted, cpu)
        """
        if not isinstance(graphs, Iterable) or hasattr(graphs, "is_directed"):  # NetworkX's yield their nodes
            raise GraphError(
                f"from_graphs takes a sequence of graphs, got {type(graphs).__name__}: put a single graph in a list"
            )
        edges = batch_items.joined(graphs, num_vertices, directed, weight)
        return cls._of_joined(edges, resolve(device), graph_labels)

    @classmethod
    def _of_joined(cls, edges: batch_items.Edges, device: Device, graph_labels: Any = None) -> GraphBatch:
        # The batch of edges that `batch_items` has checked.
        count, columns = int(edges.vertex_offsets[-1]), (edges.src, edges.dst, edges.weights)
        graph = Graph.from_edges(*columns, num_vertices=count, directed=edges.directed, device=device)
        return cls(graph, edges.vertex_offsets, graph_labels)

    @classmethod
    @out_of_memory
    def from_edges(
        cls,
        src: Any,
        dst: Any,
        vertex_offsets: Any,
        weights: Any = None,
        *,
        edge_offsets: Any = None,
        directed: bool = False,
        graph_labels: Any = None,
        vertex_labels: Any = None,
        device: str | Device | None = None,
    ) -> GraphBatch:
        """Build a batch from all edges of all graphs, without Python for each graph.

        Parameters
        ----------
        src, dst, weights, directed, device
            As in `Graph.from_edges`.
        vertex_offsets : integer array [number of graphs + 1]
            The vertices of graph i are ``vertex_offsets[i]`` to ``vertex_offsets[i + 1] - 1``.
        edge_offsets : integer array [number of graphs + 1], optional
            The edges of graph i are ``edge_offsets[i]`` to ``edge_offsets[i + 1] - 1``. The ends of these edges are
            numbered from 0 in each graph. By default, the vertices of all graphs are numbered consecutively.
        graph_labels : array, one for each graph, optional
        vertex_labels : array, one for each vertex, optional

        Raises
        ------
        GraphError
            As for `Graph.from_edges`; if offsets do not begin with 0 or if they decrease; if an edge joins two graphs;
            or if a graph does not have a vertex with a given id.

        Examples
        --------
        >>> GraphBatch.from_edges([0, 1, 3], [1, 2, 4], [0, 3, 5], device="cpu").sizes
        array([3, 2])
        >>> GraphBatch.from_edges([0, 1, 0], [1, 2, 1], [0, 3, 5], edge_offsets=[0, 2, 3], device="cpu").sizes
        array([3, 2])
        """
        offsets, where = _offsets(vertex_offsets), choose_device(device, src)
        if edge_offsets is not None:
            src, dst = _numbered_through(where, src, dst, offsets, edge_offsets)
        graph = Graph.from_edges(src, dst, weights, num_vertices=int(offsets[-1]), directed=directed, device=where)
        if edge_offsets is not None:
            return cls(graph, offsets, graph_labels, vertex_labels)
        return cls.from_graph(graph, offsets, graph_labels=graph_labels, vertex_labels=vertex_labels)

    @classmethod
    @out_of_memory
    def from_graph(
        cls, graph: Graph, vertex_offsets: Any, *, graph_labels: Any = None, vertex_labels: Any = None
    ) -> GraphBatch:
        """Build a batch from one graph that holds all graphs, without a copy.

        Parameters
        ----------
        graph : Graph
            All graphs as one graph.
        vertex_offsets : integer array or sequence
            The first vertex of each graph, followed by the number of all vertices.
        graph_labels : array or sequence, optional
            One label for each graph.
        vertex_labels : array or sequence, optional
            One label for each vertex.

        Raises
        ------
        GraphError
            If offsets do not go from 0 to the number of vertices or if they decrease, or if an edge joins two graphs.
        """
        if not isinstance(graph, Graph):
            raise GraphError(f"expected a Graph, got {type(graph).__name__}: a DynamicGraph has to_graph()")
        offsets = _offsets(vertex_offsets)
        if offsets[-1] != graph.num_vertices:
            raise GraphError(
                f"vertex_offsets end with {offsets[-1]}, but there are {graph.num_vertices} vertices: they must agree"
            )
        batch = cls(graph, offsets, graph_labels, vertex_labels)
        batch._refuse_edges_between()
        return batch

    @property
    def num_graphs(self) -> int:
        """Number of graphs; also ``len(batch)``."""
        return len(self._host_offsets) - 1

    @property
    def num_vertices(self) -> int:
        """Number of vertices of all graphs."""
        return self.graph.num_vertices

    @property
    def num_edges(self) -> int:
        """Number of edges of all graphs, each counted once."""
        return self.graph.num_edges

    @property
    def directed(self) -> bool:
        """Whether edges have a direction; the same for all graphs."""
        return self.graph.directed

    @property
    def weighted(self) -> bool:
        """Whether edges have weights; the same for all graphs."""
        return self.graph.weighted

    @property
    def device(self) -> str:
        """The device of the arrays."""
        return self.graph.device

    @property
    @out_of_memory
    def vertex_offsets(self) -> Any:
        """int64[num_graphs + 1]: where the vertices of each graph begin, on the device of the batch."""
        if self._vertex_offsets is None:
            self._vertex_offsets = self.graph._device.asarray(self._host_offsets)
        return self._vertex_offsets

    @property
    def host_offsets(self) -> Any:
        """`vertex_offsets` in host memory."""
        return self._host_offsets

    @property
    @out_of_memory
    def sizes(self) -> Any:
        """int64[num_graphs]: the number of vertices of each graph, in host memory."""
        return np.diff(self._host_offsets)

    @out_of_memory
    def graph_of_vertex(self) -> Any:
        """Return the graph of each vertex as int32[num_vertices], on the device of the batch.

        Examples
        --------
        >>> GraphBatch.from_graphs([[(0, 1)], [(0, 1), (1, 2)]], device="cpu").graph_of_vertex()
        array([0, 0, 1, 1, 1], dtype=int32)
        """
        with scope(self.graph._device):
            return _owners(self.graph._device.xp, self.vertex_offsets, self.num_vertices)

    @out_of_memory
    def vertices(self, local: Any, graphs: Any = None) -> Any:
        """Return the ids in `graph` of vertices given by their ids within their own graphs, as int32.

        The array is on the device of the batch. A frontier can begin at one vertex of each graph:
        ``Frontier.of(batch.vertices(0))``.

        Parameters
        ----------
        local : int or integer array
            One id, or an id for each of `graphs`.
        graphs : integer array, optional
            By default, each graph once.

        Raises
        ------
        GraphError
            If a graph does not exist, or does not have the vertex. The message names the first such graph.

        Examples
        --------
        >>> GraphBatch.from_graphs([[(0, 1)], [(0, 1), (1, 2)]], device="cpu").vertices([1, 2])
        array([1, 4], dtype=int32)
        """
        which = np.arange(self.num_graphs) if graphs is None else as_ids(CPU, graphs, "graphs", self.num_graphs)
        wanted = np.atleast_1d(CPU.asarray(with_values(local, "local")))
        if wanted.size == 0:
            wanted = wanted.astype(np.int64)
        if wanted.ndim != 1 or wanted.dtype.kind not in "iu" or wanted.size not in (1, len(which)):
            given = f"{wanted.size} ids" if wanted.ndim == 1 and wanted.dtype.kind in "iu" else repr(local)
            raise GraphError(f"local must be a vertex id, or one for each of {len(which)} graphs, got {given}")
        wanted = np.broadcast_to(wanted, len(which))
        sizes = self.sizes[which]
        bad = (wanted < 0) | (wanted >= sizes)
        if bad.any():
            first = int(bad.argmax())
            raise GraphError(f"graph {which[first]} has {sizes[first]} vertices, so it has no vertex {wanted[first]}")
        return self.graph._device.asarray((self._host_offsets[which] + wanted).astype(np.int32))

    @out_of_memory
    def split(self, values: Any) -> list[Any]:
        """Split `values`, an array with an element for each vertex, into one view for each graph.

        Raises
        ------
        GraphError
            If the number of elements is not the number of vertices.

        Examples
        --------
        >>> batch = GraphBatch.from_graphs([[(0, 1)], [(0, 1), (1, 2)]], device="cpu")
        >>> batch.split(batch.graph.degree())
        [array([1, 1]), array([1, 2, 1])]
        """
        self._require_one_each(values)
        ends = self._host_offsets.tolist()
        return [values[begin:end] for begin, end in pairwise(ends)]

    @out_of_memory
    def reduce(self, values: Any, op: str = "add", **options: Any) -> Any:
        """Reduce an array with an element for each vertex to [num_graphs]; see `primitives.segreduce`.

        Parameters
        ----------
        values : array [num_vertices]
        op : str
            ``"add"``, ``"min"``, ``"max"`` or another operation of `minigr.primitives.segreduce`.
        **options
            Options of `minigr.primitives.segreduce`: `initial`, the result for a graph without vertices, and `dtype`.

        Examples
        --------
        >>> batch = GraphBatch.from_graphs([[(0, 1)], [(0, 1), (1, 2)]], device="cpu")
        >>> batch.reduce(batch.graph.degree(), "max")
        array([1, 2])
        """
        from minigr.primitives import segreduce

        self._require_one_each(values)
        return segreduce(values, self.vertex_offsets, op=op, device=self.device, validate=False, **options)

    @out_of_memory
    def to(self, device: str | Device) -> GraphBatch:
        """Return the batch on another device, or the batch itself if it is already there."""
        moved = self.graph.to(device)
        return self if moved is self.graph else GraphBatch(moved, self._host_offsets, *self._all_labels())

    def __len__(self) -> int:
        return self.num_graphs

    def __iter__(self) -> Iterator[Graph]:
        return (self[i] for i in range(len(self)))

    @out_of_memory
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            begin, end, step = key.indices(len(self))
            return self._range(begin, max(begin, end)) if step == 1 else self._chosen(np.arange(begin, end, step))
        if hasattr(key, "__len__"):
            return self._chosen(self._positions(key))
        try:
            index = operator.index(key)
        except TypeError:
            raise TypeError(f"a batch is indexed by an integer, a slice, integers or a mask, not {key!r}") from None
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no graph {index}: the batch has {len(self)} graphs, numbered from 0")
        return self._range(index % len(self), index % len(self) + 1).graph

    def __repr__(self) -> str:
        return f"GraphBatch({self.num_graphs:,} graphs, {repr(self.graph).partition('(')[2]}"

    def _all_labels(self) -> tuple[Any, Any]:
        return self.graph_labels, self.vertex_labels

    def _range(self, begin: int, end: int) -> GraphBatch:
        """Graphs `begin` to ``end - 1``."""
        first, last = int(self._host_offsets[begin]), int(self._host_offsets[end])
        g = self.graph
        with scope(g._device):
            rows = g.offsets[first : last + 1]
            a, b = int(rows[0]), int(rows[-1])
            weights = None if g.weights is None else g.weights[a:b].copy()
            graph = Graph(Adjacency(rows - a, g.indices[a:b] - np.int32(first), weights), g.directed, g._device)
        labels = _part(self.graph_labels, slice(begin, end)), _part(self.vertex_labels, slice(first, last))
        return GraphBatch(graph, self._host_offsets[begin : end + 1] - first, *labels)

    def _chosen(self, which: Any) -> GraphBatch:
        """The graphs at these positions, in this order."""
        g, xp = self.graph, self.graph._device.xp
        sizes = self.sizes[which]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        old = _ranges(np, self._host_offsets[which], sizes)
        with scope(g._device):
            vertices = g._device.asarray(old)
            moved = g._device.asarray(np.repeat(offsets[:-1] - self._host_offsets[which], sizes))
            degrees = g.offsets[vertices + 1] - g.offsets[vertices]
            rows = xp.zeros(len(vertices) + 1, np.int64)
            xp.cumsum(degrees, out=rows[1:])
            arcs = _ranges(xp, g.offsets[vertices], degrees)
            shift = moved[_owners(xp, rows, len(arcs))]
            indices = (g.indices[arcs] + shift).astype(np.int32)
            weights = None if g.weights is None else g.weights[arcs]
            graph = Graph(Adjacency(rows, indices, weights), g.directed, g._device)
        return GraphBatch(graph, offsets, _part(self.graph_labels, which), _part(self.vertex_labels, old))

    def _positions(self, key: Any) -> Any:
        wanted = CPU.asarray(with_values(key, "key"))
        if wanted.size == 0 and not hasattr(key, "dtype"):
            wanted = wanted.astype(np.int64)  # an empty list has no dtype to be wrong about
        if wanted.dtype == bool:
            if wanted.shape != (len(self),):
                raise IndexError(f"a mask must have an element for each of {len(self)} graphs, got {wanted.shape}")
            return np.flatnonzero(wanted)
        if wanted.ndim != 1 or wanted.dtype.kind not in "iu":
            raise TypeError(f"a batch is indexed by an integer, a slice, integers or a mask, not {wanted.dtype} values")
        bad = (wanted < -len(self)) | (wanted >= len(self))
        if bad.any():
            raise IndexError(f"there is no graph {wanted[bad][0]}: the batch has {len(self)} graphs, numbered from 0")
        return np.where(wanted < 0, wanted + len(self), wanted)

    def _require_one_each(self, values: Any) -> None:
        if len(values) != self.num_vertices:
            raise GraphError(f"there are {len(values)} values, but {self.num_vertices} vertices: give a value to each")

    def _refuse_edges_between(self) -> None:
        g, xp = self.graph, self.graph._device.xp
        with scope(g._device):
            owners = self.graph_of_vertex()
            rows = _owners(xp, g.offsets, g.num_arcs)
            crossing = owners[rows] != owners[g.indices]
            if bool(crossing.any()):
                arc = int(crossing.argmax())
                u, v = int(rows[arc]), int(g.indices[arc])
                raise GraphError(
                    f"the edge {u} -> {v} joins graph {int(owners[u])} and graph {int(owners[v])}: "
                    "the edges of a batch stay within its graphs; see vertex_offsets"
                )


def _offsets(array: Any, name: str = "vertex_offsets") -> Any:
    """`array` as int64 offsets in host memory. They must begin with 0 and must not decrease."""
    offsets = as_vector(CPU, array, name)
    if offsets.dtype.kind not in "iu" or len(offsets) == 0 or offsets[0] != 0:
        raise GraphError(
            f"{name} must be num_graphs + 1 integers that begin with 0; "
            f"got {len(offsets)} of dtype {offsets.dtype}" + (f", beginning with {offsets[0]}" if len(offsets) else "")
        )
    offsets = offsets.astype(np.int64)
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        first = falls.argmax()
        raise GraphError(f"{name} fall from {offsets[first]} at graph {first}: offsets must not decrease")
    return offsets


def _numbered_through(device: Device, src: Any, dst: Any, vertex_offsets: Any, edge_offsets: Any) -> tuple[Any, Any]:
    """The ends of edges as ids in the batch. The given ends are numbered from 0 in each graph."""
    ends = {"src": as_ids(device, src, "src"), "dst": as_ids(device, dst, "dst")}
    edges = _offsets(edge_offsets, "edge_offsets")
    if len(edges) != len(vertex_offsets):
        counts = f"{len(edges) - 1} graphs, but vertex_offsets for {len(vertex_offsets) - 1} graphs"
        raise GraphError(f"edge_offsets are for {counts}: these numbers must agree")
    for name, ids in ends.items():
        if len(ids) != edges[-1]:
            raise GraphError(f"edge_offsets end with {edges[-1]}, but {name} has length {len(ids)}: they must agree")
    with scope(device):
        owners = builder(device).row_of_arcs(device.asarray(edges), int(edges[-1]))
        sizes = device.asarray(np.diff(vertex_offsets).astype(np.int32))[owners]
        for name, ids in ends.items():
            bad = ids >= sizes
            if bool(bad.any()):
                edge = int(bad.argmax())
                graph = int(owners[edge])
                raise GraphError(
                    f"graph {graph}: {name} of edge {edge - edges[graph]} is {int(ids[edge])}, but the graph has "
                    f"{int(sizes[edge])} vertices, numbered from 0"
                )
        shift = device.asarray(vertex_offsets[:-1].astype(np.int32))[owners]
        return ends["src"] + shift, ends["dst"] + shift


def _labels(labels: Any, count: int, name: str, what: str) -> Any:
    if labels is None:
        return None
    given = with_values(labels, name)
    try:
        array = CPU.asarray(given)
    except ValueError as error:  # lists of several lengths
        raise GraphError(f"{name} can't be read as an array: {error}") from error
    if array.shape[:1] != (count,):
        raise GraphError(f"{name} has shape {array.shape}, but there are {count} {what}: give one to each")
    return array


def _part(labels: Any, which: Any) -> Any:
    return None if labels is None else labels[which]


def _owners(xp: Any, offsets: Any, count: int) -> Any:
    """int32[count]: the range that contains each position."""
    return (xp.searchsorted(offsets, xp.arange(count), side="right") - 1).astype(np.int32)


def _ranges(xp: Any, starts: Any, lengths: Any) -> Any:
    """int64: the numbers of all ranges, one range after the other."""
    ends = xp.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    positions = xp.arange(total)
    owner = xp.searchsorted(ends, positions, side="right")
    return positions - (ends - lengths)[owner] + starts[owner]
