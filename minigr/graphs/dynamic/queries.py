"""The queries of a dynamic graph, which do not change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from minigr.errors import GraphError
from minigr.graphs.adjacency import SlabAdjacency
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import edge_batch, export
from minigr.graphs.dynamic.backend import kernels
from minigr.graphs.dynamic.layout import KEYS, LANES
from minigr.graphs.dynamic.report import MemoryReport, memory_report
from minigr.graphs.dynamic.state import State
from minigr.graphs.dynamic.storage import Slabs
from minigr.graphs.dynamic.update import Direction
from minigr.graphs.dynamic.weights import weight_summary
from minigr.graphs.graph import Graph
from minigr.graphs.guard import reading
from minigr.primitives.reduce_ops import number_or_none

_DEGREE, _IN_DEGREE, _WEIGHTS = "greatest degree", "greatest in-degree", "range of weights"  # names of facts


class Queries(State):
    """The part of `DynamicGraph` that does not change the graph."""

    layout = "slabs"
    arcs: Literal["device", "host"] = "device"  # a dynamic graph can't have its edges on the host

    @property
    def num_live_vertices(self) -> int:
        """Number of vertices, without deleted vertices."""
        return self.num_vertices - self._num_dead

    @property
    def num_arcs(self) -> int:
        """Number of stored arcs. For an undirected graph: two for each edge, and one for each self-loop."""
        return self._out.num_arcs

    @property
    def num_self_loops(self) -> int:
        """Number of self-loops."""
        return self._out.num_loops

    @property
    def num_edges(self) -> int:
        """Number of edges, each counted once."""
        return self.num_arcs if self.directed else (self.num_arcs + self.num_self_loops) // 2

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self._out.weights is not None

    @property
    def weight_dtype(self) -> Any:
        """The dtype of the weights, or None."""
        return self._out.weight_dtype

    @property
    def load_factor(self) -> float:
        """Target fill of slabs, used to compute the number of buckets."""
        return self._load_factor

    @reading
    def out_degree(self) -> Any:
        """Return the number of arcs that start at each vertex as int64[num_vertices].

        A self-loop counts once. The degree of a deleted vertex is 0.
        """
        with scope(self._device):
            return self._out.degrees[: self.num_vertices].astype(np.int64)

    degree = out_degree

    @reading
    def in_degree(self) -> Any:
        """Return how many arcs end at each vertex as int64[num_vertices]. O(n + m) unless in-edges are kept."""
        with scope(self._device):
            if not self.directed:
                return self.out_degree()
            if self._in is not None:
                return self._in.degrees[: self.num_vertices].astype(np.int64)
            indices = export.rows_of(self._out).indices
            return self._device.xp.bincount(indices, minlength=self.num_vertices).astype(np.int64, copy=False)

    @reading
    def neighbors(self, vertex: int) -> Any:
        """Return a sorted copy of the out-neighbors of `vertex` as int32[degree].

        Raises
        ------
        GraphError
            If the vertex never existed. A deleted vertex has no neighbors.
        """
        with scope(self._device):
            found = export.arcs_of(self._out, self._ids([vertex], "vertex"))[1]
            if len(found):
                found.sort()
            return found

    @reading
    def has_edges(self, src: Any, dst: Any) -> Any:
        """Return whether each edge from ``src[i]`` to ``dst[i]`` exists, as bool[k].

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]

        Raises
        ------
        GraphError
            If ids are not integers, are negative or are not below `num_vertices`, or if lengths differ.

        Notes
        -----
        O(1) each: a search of the chain of one bucket, usually 1 to 2 slabs long (Awad et al., section IV-D).
        """
        return self._find(src, dst, False)[0]

    @reading
    def edge_weights(self, src: Any, dst: Any, default: Any = np.nan) -> Any:
        """Return the weight of the edge from ``src[i]`` to ``dst[i]``, or `default` if the edge does not exist, as an
        array [k].

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
        default : number
            A value that the dtype of the weights can hold. Integers have no NaN, so `default` is required for integer
            weights.

        Raises
        ------
        GraphError
            As for `has_edges`. Also if the graph has no weights, or the dtype of the weights cannot hold `default`.

        Examples
        --------
        >>> from minigr import DynamicGraph
        >>> g = DynamicGraph.from_edges([0, 1], [1, 0], [5, 7], device="cpu")
        >>> g.edge_weights([0, 1, 0], [1, 0, 0], default=-1)
        array([ 5,  7, -1])
        """
        if not self.weighted:
            raise GraphError("the graph has no weights: make it with weighted=True, or ask has_edges()")
        dtype = self.weight_dtype
        missing = number_or_none(default, dtype)
        if missing is None:
            kind = "a whole number" if dtype.kind == "i" else "a number"
            raise GraphError(f"weights are {dtype}, which can't hold default={default!r}: give {kind} of this type")
        found, slots = self._find(src, dst, True)
        with scope(self._device):
            xp = self._device.xp
            return xp.where(found, self._out.weights[xp.maximum(slots, 0)], missing)

    def _find(self, src: Any, dst: Any, with_slots: bool) -> tuple[Any, Any]:
        with scope(self._device):
            source, target = edge_batch.as_pairs(self._device, src, dst, self.num_vertices)
            found, slots, bad = self._out.kernels.find(self._out, source, target, with_slots)
            if bad >= 0:
                edge_batch.refuse_ids(self._device, source, target, self.num_vertices)
            return found, slots

    @reading
    def _mark_arcs(self, src: Any, dst: Any, bits: Any, only: Any = None) -> Any:
        """Set the bits of the arcs of some pairs, in both directions if undirected. Returns the arcs' ids, int64[].

        Pairs without an edge and self-loops are skipped. Equal pairs count once.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
        bits : int32[num_edge_ids // 32 + 1]
            A bit for each arc id. All bits must be 0.
        only : bool[k], optional
            Which of the pairs count.

        Raises
        ------
        GraphError
            As for `has_edges`. In this case no bit is set.
        """
        with scope(self._device):
            source, target = edge_batch.as_pairs(self._device, src, dst, self.num_vertices)
            ids, bad = self._out.kernels.mark(self._out, source, target, not self.directed, only, bits)
            if bad >= 0:
                self._device.fill(bits, 0)
                edge_batch.refuse_ids(self._device, source, target, self.num_vertices)
            return ids

    @reading
    def live_vertices(self) -> Any:
        """Return the ids of all vertices that are not deleted as int32[num_live_vertices], in increasing order."""
        with scope(self._device):
            xp = self._device.xp
            if not self._num_dead:
                return xp.arange(self.num_vertices, dtype=np.int32)
            return xp.flatnonzero(~self._dead[: self.num_vertices]).astype(np.int32)

    def _refuse_dead(self, src: Any, dst: Any) -> None:
        """Raise `GraphError` if an edge has an end that was deleted. All ids must be in range."""
        if self._num_dead:
            edge_batch.refuse_dead(self._dead, src, dst)

    def _deleted_ids(self) -> Any:
        xp = self._device.xp
        dead = self._dead[: self.num_vertices] if self._num_dead else xp.zeros(0, bool)
        return xp.flatnonzero(dead).astype(np.int32)

    @property
    def has_mark(self) -> bool:
        """Whether `mark` has been called."""
        return self._out.marks is not None

    @reading
    def added_since_mark(self) -> tuple[Any, Any, Any]:
        """Return the arcs that were inserted after the last `mark` and still exist, in no particular order.

        An edge counts as inserted if the edge did not exist just before the insertion. Replacing a weight does not
        count as an insertion. Deleting an edge and inserting it again does.

        Returns
        -------
        src, dst : int32[k]
            Both arcs of each undirected edge.
        weights : [k] or None

        Raises
        ------
        GraphError
            If `mark` was never called.

        Notes
        -----
        Concessao et al. (Meerkat), section 3.3: update iterators. O(slabs).

        Examples
        --------
        >>> from minigr import DynamicGraph
        >>> g = DynamicGraph.from_edges([0], [1], num_vertices=3, device="cpu")
        >>> g.mark()
        >>> g.insert_edges([0, 1], [1, 2])
        1
        >>> g.added_since_mark()
        (array([1], dtype=int32), array([2], dtype=int32), None)
        """
        if not self.has_mark:
            raise GraphError("the graph has no mark yet: call mark() before the batches that you want to tell apart")
        with scope(self._device):
            return export.added_since_mark(self._out)

    @reading
    def to_graph(self) -> Graph:
        """Return the edges as a `Graph`: sorted compressed sparse rows. O(n + m log d).

        Deleted vertices have no edges.
        """
        with scope(self._device):
            graph = Graph(export.rows_of(self._out), self.directed, self._device)
        version, greatest = self._facts.get(_DEGREE, (-1, 0))
        if version == self.version:  # known, so it need not be computed again
            graph._max_degree[False] = greatest
        return graph

    @reading
    def save(self, path: Any) -> None:
        """Write the graph to a NumPy archive (.npz): its edges as rows, and its options. `minigr.read` also reads the
        file.

        Parameters
        ----------
        path : path-like
            The file.

        Raises
        ------
        OSError
        """
        with scope(self._device):
            export.save(path, export.rows_of(self._out), self._deleted_ids(), self)

    @property
    def kept(self) -> dict[str, int]:
        """Data that algorithms built from the graph and keep with it for the next call: names, and sizes in bytes.

        ``orientation`` is the orientation in which triangles are sought. It stays until its first use after an update.
        """
        return self._kept.sizes(())

    def drop(self, *names: str) -> None:
        """Drop the entries of `kept` with these names, or all entries if no name is given.

        An entry is built again when it is needed.

        Raises
        ------
        GraphError
            If no entry has one of the names. In this case nothing is dropped.
        """
        self._kept.drop(names)

    def _find_facts(self) -> None:
        """See `Graph._find_facts`."""
        for inward in (False, True):
            self.max_degree(inward=inward)
            self.longest_row(inward=inward)
        if self.weighted:
            self.weight_summary()
        self._kept._find_facts()

    def _with_arrays(self, change: Callable[[Any], Any]) -> Queries:
        """See `minigr.held.with_arrays`."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._directions = [
            Direction(one.slabs._with_arrays(change), one.mirror, one.reverse) for one in self._directions
        ]
        other._device, other._allocator = other._out.device, other._out.allocator
        for one in other._directions:
            one.slabs.kernels = kernels(other._device)
        other._dead = None if self._dead is None else change(self._dead)
        other._kept, other._facts = self._kept._with_arrays(change), dict(self._facts)
        return other

    # --- what operators ask for: see minigr.graphs.adjacency --------------------------------------------------------

    @property
    def out_edges(self) -> SlabAdjacency:
        """The slabs of out-neighbors, or of neighbors for an undirected graph. Valid until the next update."""
        return self._out.adjacency()

    def in_edges(self, ids: bool | None = None) -> SlabAdjacency:
        """Return the slabs of in-neighbors. `ids` has no effect, because the ends of an in-edge determine its id.

        Raises
        ------
        GraphError
            If the graph is directed and does not keep its in-edges.
        """
        if not self.directed:
            return self._out.adjacency()
        if self._in is None:
            raise GraphError(
                "this call needs in-edges, but the directed graph keeps none: make the graph with in_edges=True"
            )
        return self._in.adjacency()

    def reverse(self) -> Queries:
        """Return a view of the graph with each edge reversed. The view has the same slabs, without a copy.

        The view supports queries and runs like this graph. It is valid until the next update of the graph.

        Raises
        ------
        GraphError
            If the graph is directed and does not keep its in-edges.

        Examples
        --------
        >>> from minigr import DynamicGraph
        >>> g = DynamicGraph.from_edges([0, 1], [2, 2], in_edges=True, device="cpu")
        >>> g.reverse().neighbors(2)
        array([0, 1], dtype=int32)
        """
        self.in_edges()
        return Reversed(self)

    @property
    def keeps_in_edges(self) -> bool:
        """Whether in-edges are available: the graph is undirected, or keeps its in-edges."""
        return not self.directed or self._in is not None

    has_room_for_in_edges = keeps_in_edges

    @property
    def num_edge_ids(self) -> int:
        """Number of lanes of all slabs: more than the largest arc id, until the next update."""
        return LANES * self._out.bump

    @property
    def storage(self) -> tuple[Any, ...]:
        """The arrays of slabs, and whether rows are tidy. If all of these are the same, only sizes of the adjacency
        differ.
        """
        return (*self._out.storage, *(() if self._in is None else self._in.storage))

    @property
    def most_edge_ids(self) -> int:
        """Number of lanes that there is memory for, of out-edges or in-edges, whichever is larger."""
        return max(len(self._out.pool), 0 if self._in is None else len(self._in.pool))

    @reading
    def edges_there(self, ids: Any) -> Any:
        """Return which of `ids` are ids of arcs, as bool[k]. `ids` are int64 and below `num_edge_ids`."""
        with scope(self._device):
            return (self._out.pool[ids] >= 0) & (ids % LANES < KEYS)

    @reading
    def max_degree(self, *, inward: bool = False) -> int:
        """Return the largest out-degree, or in-degree if `inward` and in-edges are kept. 0 in a graph without vertices.

        O(n) after an update, then kept.
        """
        slabs = self._side(inward)
        return self._known(
            _DEGREE if slabs is self._out else _IN_DEGREE, lambda: _greatest(slabs.degrees[: slabs.num_vertices])
        )

    @reading
    def longest_row(self, *, inward: bool = False) -> int:
        """Return the largest number of lanes that a vertex's base slabs have, or have had since the first call.

        The first call takes O(n). If `inward`, the slabs of in-edges are counted.
        """
        slabs = self._side(inward)
        if slabs.most_buckets is None:
            with scope(self._device):
                slabs.most_buckets = _greatest(self._device.xp.ascontiguousarray(slabs.buckets()))
        return LANES * slabs.most_buckets

    def _side(self, inward: bool) -> Slabs:
        return self._in if inward and self._in is not None else self._out

    @reading
    def weight_summary(self) -> tuple[float, float, float]:
        """Return the minimum, mean and maximum weight. All 0 in a graph without arcs. O(slabs) after an update, then
        kept.

        Raises
        ------
        GraphError
            If the graph has no weights.
        """
        if not self.weighted:
            raise GraphError(
                "the graph has no weights: make it with weighted=True, or use an algorithm without weights"
            )
        return self._known(_WEIGHTS, lambda: weight_summary(self._out))

    def _known(self, what: Any, find: Callable[[], Any]) -> Any:
        """The result of `find`, computed again only after an update."""
        version, value = self._facts.get(what, (-1, None))
        if version != self.version:
            with scope(self._device):
                value = find()
            self._facts = {**self._facts, what: (self.version, value)}  # another thread may be copying the old one
        return value

    @reading
    def memory(self) -> MemoryReport:
        """Return the bytes by part, and how full the slabs are. O(n)."""
        with scope(self._device):
            dead = 0 if self._dead is None else int(self._dead.nbytes)
            return memory_report([one.slabs for one in self._directions], dead)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = f"{self.weight_dtype} weights" if self.weighted else "unweighted"
        live = self.num_live_vertices
        return f"DynamicGraph({live:,} vertices, {self.num_edges:,} edges, {kind}, {weights}, {self.device})"


class Reversed(Queries):
    """The result of `DynamicGraph.reverse`: the same slabs, with out-edges and in-edges exchanged."""

    def __init__(self, graph: Queries) -> None:
        self.__dict__.update(vars(graph))
        self._directions = graph._directions[::-1]
        self._facts = {what: found for what, found in graph._facts.items() if what == _WEIGHTS}

    def __repr__(self) -> str:
        return f"{super().__repr__()}, reversed"


def _greatest(values: Any) -> int:
    return int(values.max()) if len(values) else 0
