"""DynamicGraph: a graph that batches of edges and vertices change, on the CPU or a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from minigr.device import Device, resolve
from minigr.errors import GraphError
from minigr.graphs import checks, construct
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import batch, export, growth, update, vertices
from minigr.graphs.dynamic.allocator import Allocator
from minigr.graphs.dynamic.layout import LOAD_FACTOR
from minigr.graphs.dynamic.report import MemoryReport, memory_report
from minigr.graphs.dynamic.storage import Slabs, kernels
from minigr.graphs.dynamic.update import Direction

if TYPE_CHECKING:
    from minigr.graphs.graph import Graph


class DynamicGraph:
    """A graph whose edges and vertices come and go in batches: a slab hash for each vertex.

    Edges are unique. A batch acts as if its edges were given one after the other, whatever the threads that work on it:
    of edges that come twice in an insertion the first makes the edge and the last gives it its weight, and inserting an
    edge that is there replaces its weight. Edges that join a vertex with itself are dropped unless `allow_self_loops`.
    A batch is done whole or, if an error is raised, not at all. Degrees and counts are exact after each.

    A graph is not to be used by two threads at a time while one of them changes it.

    Parameters
    ----------
    num_vertices : int
        Vertices are numbered from 0.
    directed : bool
    weighted : bool or dtype
        Whether edges have weights: int32, int64, float32 or float64; True means float32.
    device : str, optional
        See `minigr.device`.
    load_factor : float
        More than 0, at most 1: how full the slabs of a vertex with more than 30 edges are to be when its buckets are
        counted out. Less makes insertions quicker, more takes less memory.
    in_edges : bool
        Keep the in-edges of a directed graph too. Updates take twice the time, and deleting a vertex no longer goes
        through all edges.
    allow_self_loops : bool

    Attributes
    ----------
    directed, allow_self_loops : bool

    Notes
    -----
    Awad, Ashkiani, Porumbescu and Owens, Dynamic Graphs on the GPU (IPDPS 2020): the slab hash, section IV. Concessao,
    Cheramangalath, Dev and Nasre, Meerkat (2023): iteration over what came since a mark. Other than there, a vertex is
    given more buckets as its edges become more, weights are a pool of their own, and vertices can be deleted.

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
    ) -> None:
        n = checks.as_vertex_count(num_vertices)
        dtype = batch.as_weight_dtype(weighted)
        where = resolve(device)
        with scope(where):
            sizes = where.xp.zeros(n, np.int64)
            self._start(where, directed, load_factor, allow_self_loops)
            self._make(sizes, sizes if in_edges else None, dtype)

    def _start(self, device: Device, directed: bool, load_factor: float, allow_self_loops: bool) -> None:
        self.directed = bool(directed)
        self.allow_self_loops = bool(allow_self_loops)
        self._load_factor = batch.as_load_factor(load_factor)
        self._device = device
        self._allocator = Allocator(device)
        self._dead: Any = None  # bool[room for n]: vertices that were deleted; None if none ever was
        self._num_dead = 0

    def _make(self, out_degrees: Any, in_degrees: Any, weight_dtype: Any) -> None:
        options = (weight_dtype, self._load_factor)
        self._directions = [Direction(Slabs.sized(self._allocator, out_degrees, *options), not self.directed, False)]
        if self.directed and in_degrees is not None:
            self._directions.append(Direction(Slabs.sized(self._allocator, in_degrees, *options), False, True))

    @classmethod
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
    ) -> DynamicGraph:
        """The graph of the edges ``src[i], dst[i]``, with buckets counted out for them: quicker than inserting them.

        Parameters
        ----------
        src, dst : integer arrays or sequences [m]
            The last of equal edges counts.
        weights : array or sequence [m], optional
            int32, int64, float32 or float64, which becomes the graph's dtype; narrower integers are widened.
        num_vertices : int, optional
            By default one more than the largest id.
        directed, device, load_factor, in_edges, allow_self_loops
            As for the class.

        Raises
        ------
        GraphError
            For what `Graph.from_edges` refuses.
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
                source, target = checks.as_ids(where, src, "src"), checks.as_ids(where, dst, "dst")
                batch.check_lengths(source, target)
            else:
                source, target = batch.as_pairs(where, src, dst, count)
            values = None if weights is None else checks.as_weights(where, weights, len(source))
            if count is None:
                count = 1 + max(int(source.max()), int(target.max())) if len(source) else 0
            self = cls.__new__(cls)
            self._start(where, directed, load_factor, allow_self_loops)
            self._build(source, target, values, count, mirror=not directed, in_edges=in_edges, in_order=False)
        return self

    @classmethod
    def from_graph(
        cls,
        graph: Graph,
        *,
        device: str | Device | None = None,
        load_factor: float = LOAD_FACTOR,
        in_edges: bool = False,
        allow_self_loops: bool = False,
    ) -> DynamicGraph:
        """The edges of a `Graph`; of parallel ones the last, and no self-loops unless `allow_self_loops`. O(n + m).

        Parameters
        ----------
        graph : Graph
        device : str, optional
            By default that of `graph`.
        load_factor, in_edges, allow_self_loops
            As for the class.

        Examples
        --------
        >>> from minigr import generate
        >>> DynamicGraph.from_graph(generate.path(4, device="cpu"))
        DynamicGraph(4 vertices, 3 edges, undirected, unweighted, cpu)
        """
        where = graph._device if device is None else resolve(device)
        moved = graph.to(where)
        with scope(where):
            xp = where.xp
            ends = moved.offsets[1:]
            rows = xp.searchsorted(ends, xp.arange(moved.num_arcs), side="right").astype(np.int32)
            self = cls.__new__(cls)
            self._start(where, graph.directed, load_factor, allow_self_loops)
            arcs = (rows, moved.indices, moved.weights, graph.num_vertices)
            self._build(*arcs, mirror=False, in_edges=in_edges, in_order=True)
        return self

    def _build(self, src: Any, dst: Any, weights: Any, n: int, *, mirror: bool, in_edges: bool, in_order: bool) -> None:
        count = kernels(self._device).degrees
        out_degrees, in_degrees, bad = count(self._allocator, src, dst, n, mirror=mirror, in_edges=in_edges)
        if bad >= 0:
            batch.refuse_ids(self._device, src, dst, n)
        self._make(out_degrees, in_degrees, None if weights is None else weights.dtype)
        directions = [Direction(one.slabs, mirror and not one.reverse, one.reverse) for one in self._directions]
        update.insert(directions, src, dst, weights, loops=self.allow_self_loops, in_order=in_order)

    # --- what the graph is ---------------------------------------------------------------------------------------

    @property
    def device(self) -> str:
        """Where the arrays live: ``"cpu"``, ``"cuda:0"``, ..."""
        return str(self._device)

    @property
    def num_vertices(self) -> int:
        """One more than the largest id there ever was: the length of an array with one entry for each vertex."""
        return self._out.num_vertices

    @property
    def num_live_vertices(self) -> int:
        """How many vertices there are, without those that were deleted."""
        return self.num_vertices - self._num_dead

    @property
    def num_arcs(self) -> int:
        """How many arcs are stored: for an undirected graph two for each edge, and one for each self-loop."""
        return self._out.num_arcs

    @property
    def num_self_loops(self) -> int:
        """How many edges join a vertex with itself."""
        return self._out.num_loops

    @property
    def num_edges(self) -> int:
        """How many edges there are, each counted once."""
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
        """How full slabs are to be when buckets are counted out."""
        return self._load_factor

    @property
    def in_edges_kept(self) -> bool:
        """Whether a directed graph keeps its in-edges too."""
        return self._in is not None

    def out_degree(self) -> Any:
        """int64[num_vertices]: how many arcs start at each vertex, so a self-loop counts once; 0 for deleted ones."""
        with scope(self._device):
            return self._out.degrees[: self.num_vertices].astype(np.int64)

    degree = out_degree

    def in_degree(self) -> Any:
        """int64[num_vertices]: how many arcs end at each vertex; O(n + m) unless in-edges are kept."""
        with scope(self._device):
            if not self.directed:
                return self.out_degree()
            if self._in is not None:
                return self._in.degrees[: self.num_vertices].astype(np.int64)
            indices = export.rows_of(self._out).indices
            return self._device.xp.bincount(indices, minlength=self.num_vertices).astype(np.int64, copy=False)

    def neighbors(self, vertex: int) -> Any:
        """int32[degree]: the out-neighbors of `vertex`, sorted; a copy.

        Raises
        ------
        GraphError
            If there never was such a vertex. One that was deleted has no neighbors.
        """
        with scope(self._device):
            return self._device.xp.sort(vertices.arcs_of(self._out, self._ids([vertex], "vertex"))[1])

    def has_edges(self, src: Any, dst: Any) -> Any:
        """bool[k]: whether there is an edge from ``src[i]`` to ``dst[i]``.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]

        Raises
        ------
        GraphError
            For ids that are no integers, negative or not below `num_vertices`, and lengths that differ.

        Notes
        -----
        O(1) each: the chain of one bucket, of 1 to 2 slabs as a rule (Awad et al., section IV-D).
        """
        return self._find(src, dst, False)[0]

    def edge_weights(self, src: Any, dst: Any, default: Any = np.nan) -> Any:
        """[k]: the weight of the edge from ``src[i]`` to ``dst[i]``, or `default` where there is none.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
        default : number
            Must be one of the dtype of the weights: with integers there is no NaN, so it must be given.

        Raises
        ------
        GraphError
            As for `has_edges`; also if the graph has no weights, or they can't hold `default`.

        Examples
        --------
        >>> g = DynamicGraph.from_edges([0, 1], [1, 0], [5, 7], device="cpu")
        >>> g.edge_weights([0, 1, 0], [1, 0, 0], default=-1)
        array([ 5,  7, -1])
        """
        if not self.weighted:
            raise GraphError("the graph has no weights: make it with weighted=True, or ask has_edges()")
        dtype = self.weight_dtype
        if dtype.kind == "i" and (default != default or int(default) != default):
            raise GraphError(f"weights are {dtype}, which can't hold default={default!r}: give a whole number")
        found, slots = self._find(src, dst, True)
        with scope(self._device):
            xp = self._device.xp
            return xp.where(found, self._out.weights[xp.maximum(slots, 0)], dtype.type(default))

    def _find(self, src: Any, dst: Any, with_slots: bool) -> tuple[Any, Any]:
        with scope(self._device):
            source, target = batch.as_pairs(self._device, src, dst, self.num_vertices)
            found, slots, bad = self._out.kernels.find(self._out, source, target, with_slots)
            if bad >= 0:
                batch.refuse_ids(self._device, source, target, self.num_vertices)
            return found, slots

    def _ids(self, ids: Any, name: str) -> Any:
        return checks.as_ids(self._device, ids, name, self.num_vertices)

    # --- batches of edges ----------------------------------------------------------------------------------------

    @overload
    def insert_edges(self, src: Any, dst: Any, weights: Any = ..., *, return_mask: Literal[False] = ...) -> int: ...
    @overload
    def insert_edges(self, src: Any, dst: Any, weights: Any = ..., *, return_mask: bool) -> Any: ...
    def insert_edges(self, src: Any, dst: Any, weights: Any = None, *, return_mask: bool = False) -> Any:
        """Insert edges; those that are there get a new weight.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            Ends of the edges, in any order for an undirected graph.
        weights : array or sequence [k]
            For a weighted graph, and only for that: no NaN, and of a dtype that the graph's dtype can hold.
        return_mask : bool
            Whether to return which ones made an edge.

        Returns
        -------
        count : int
            How many edges are new.
        mask : bool[k]
            If asked for: which ones are. Of equal edges in a batch the first is the one that counts, and the last one
            gives the weight.

        Raises
        ------
        GraphError
            For ids that are no integers, negative, not below `num_vertices` or deleted; lengths that differ; weights
            that are missing, not wanted, NaN, or of a dtype that the graph's can't hold.
        OutOfMemoryError
            If the device has no room for more slabs. In either case the graph is as it was.

        Notes
        -----
        O(k) expected (Awad et al., section IV-C); a vertex is given more buckets when its chains become long, and what
        that costs is paid for by the edges that came since.

        Examples
        --------
        >>> g = DynamicGraph(3, directed=False, device="cpu")
        >>> g.insert_edges([0, 1, 1, 2], [1, 0, 2, 2], return_mask=True)
        (2, array([ True, False,  True, False]))
        """
        with scope(self._device):
            source, target = batch.as_pairs(self._device, src, dst, self.num_vertices)
            values = batch.as_batch_weights(self._device, weights, len(source), self.weight_dtype)
            if self._num_dead:
                batch.refuse_ids(self._device, source, target, self.num_vertices)
                batch.refuse_dead(self._dead, source, target)
            options = {"loops": self.allow_self_loops, "with_mask": return_mask}
            report = update.insert(self._directions, source, target, values, **options)
            return self._answer(report, source, target, return_mask)

    @overload
    def delete_edges(self, src: Any, dst: Any, *, return_mask: Literal[False] = ...) -> int: ...
    @overload
    def delete_edges(self, src: Any, dst: Any, *, return_mask: bool) -> Any: ...
    def delete_edges(self, src: Any, dst: Any, *, return_mask: bool = False) -> Any:
        """Delete edges; those that aren't there are passed over.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
        return_mask : bool
            Whether to return which ones deleted an edge.

        Returns
        -------
        count : int
            How many edges were deleted.
        mask : bool[k]
            If asked for: which ones did; of equal edges in a batch the first.

        Raises
        ------
        GraphError
            For ids that are no integers, negative or not below `num_vertices`, and lengths that differ; the graph is as
            it was.

        Notes
        -----
        O(k) expected (Awad et al., section IV-C). A deleted edge leaves a tombstone; when these are more than half of
        what the slabs hold, the graph is hashed afresh.
        """
        with scope(self._device):
            source, target = batch.as_pairs(self._device, src, dst, self.num_vertices)
            report = update.remove(self._directions, source, target, return_mask)
            answer = self._answer(report, source, target, return_mask)
            self._tidy()
            return answer

    @property
    def _out(self) -> Slabs:
        return self._directions[0].slabs

    @property
    def _in(self) -> Slabs | None:
        return self._directions[1].slabs if len(self._directions) > 1 else None

    def _answer(self, report: Any, src: Any, dst: Any, return_mask: bool) -> Any:
        if report.bad >= 0:
            batch.refuse_ids(self._device, src, dst, self.num_vertices)
        count = update.edges_of(report, self.directed)
        return (count, report.returned) if return_mask else count

    def _tidy(self) -> None:
        for one in self._directions:
            one.slabs = growth.rebuild_if_due(one.slabs)

    # --- vertices ------------------------------------------------------------------------------------------------

    def insert_vertices(self, k: int) -> Any:
        """Insert `k` vertices without edges.

        Returns
        -------
        ids : int32[k]
            Their ids: those that were deleted before, the lowest first, and then new ones.

        Raises
        ------
        GraphError
            If `k` is no number of vertices, or ids would exceed int32.
        OutOfMemoryError
            In either case the graph is as it was.

        Notes
        -----
        O(k), but for the arrays with one entry for each vertex, which are copied now and then (Awad et al., section
        IV-E).

        Examples
        --------
        >>> g = DynamicGraph(2, device="cpu")
        >>> g.delete_vertices([0])
        1
        >>> g.insert_vertices(3)
        array([0, 2, 3], dtype=int32)
        """
        with scope(self._device):
            return vertices.insert(self, checks.as_vertex_count(k, "k"))

    def delete_vertices(self, ids: Any) -> int:
        """Delete vertices and all edges from and to them; those that were deleted before are passed over.

        Their ids stay valid where edges are asked for or deleted, but no edge can be inserted at them until
        `insert_vertices` has put them to use again.

        Parameters
        ----------
        ids : integer array or sequence [k]

        Returns
        -------
        int
            How many were deleted.

        Raises
        ------
        GraphError
            For ids that are no integers, negative or not below `num_vertices`.
        OutOfMemoryError
            In either case the graph is as it was.

        Notes
        -----
        O(edges at them) if the graph is undirected or keeps its in-edges; otherwise one stream over all slabs (Awad et
        al., section IV-E, do it for undirected graphs only).
        """
        with scope(self._device):
            count = vertices.delete(self, self._ids(ids, "ids"))
            self._tidy()
            return count

    def live_vertices(self) -> Any:
        """int32[num_live_vertices]: the ids that were not deleted, in increasing order."""
        with scope(self._device):
            xp = self._device.xp
            if not self._num_dead:
                return xp.arange(self.num_vertices, dtype=np.int32)
            return xp.flatnonzero(~self._dead[: self.num_vertices]).astype(np.int32)

    def _deleted_ids(self) -> Any:
        xp = self._device.xp
        dead = self._dead[: self.num_vertices] if self._num_dead else xp.zeros(0, bool)
        return xp.flatnonzero(dead).astype(np.int32)

    # --- changes since a mark ------------------------------------------------------------------------------------

    def mark(self) -> None:
        """From now on `added_since_mark` tells what came after this moment. O(slabs), and a byte for each.

        Raises
        ------
        OutOfMemoryError
            The mark before, if any, still holds then.
        """
        with scope(self._device):
            growth.set_marks(*(one.slabs for one in self._directions))

    def added_since_mark(self) -> tuple[Any, Any, Any]:
        """The arcs that were inserted after the last `mark` and are still there, in no particular order.

        An edge counts as inserted if it was not there just before: replacing a weight does not make it new, deleting
        and inserting it again does.

        Returns
        -------
        src, dst : int32[k]
            Both arcs of each undirected edge.
        weights : [k] or None

        Raises
        ------
        GraphError
            If there was no mark.

        Notes
        -----
        Concessao et al. (Meerkat), section 3.3: update iterators. O(slabs).

        Examples
        --------
        >>> g = DynamicGraph.from_edges([0], [1], num_vertices=3, device="cpu")
        >>> g.mark()
        >>> g.insert_edges([0, 1], [1, 2])
        1
        >>> g.added_since_mark()
        (array([1], dtype=int32), array([2], dtype=int32), None)
        """
        if self._out.marks is None:
            raise GraphError("the graph has no mark yet: call mark() before the batches that you want to tell apart")
        with scope(self._device):
            return export.added_since_mark(self._out)

    # --- the whole graph -----------------------------------------------------------------------------------------

    def rehash(self, load_factor: float | None = None) -> None:
        """Hash all edges afresh: buckets by today's degrees, no tombstones, no slabs that nobody uses. O(n + m).

        It is done by itself when tombstones or unused slabs prevail.

        Parameters
        ----------
        load_factor : float, optional
            A new load factor.

        Raises
        ------
        GraphError
            If that is no load factor.
        OutOfMemoryError
            Both copies must fit for a moment. In either case the graph is as it was.
        """
        factor = self._load_factor if load_factor is None else batch.as_load_factor(load_factor)
        with scope(self._device):
            fresh = [growth.rebuilt(one.slabs, factor) for one in self._directions]
        for one, slabs in zip(self._directions, fresh, strict=True):
            one.slabs = slabs
        self._load_factor = factor

    def flush(self) -> None:
        """Clear the tombstones that deletions left, if there are any, by `rehash`."""
        if any(one.slabs.num_tombstones for one in self._directions):
            self.rehash()

    def to_graph(self) -> Graph:
        """The edges as a `Graph`: compressed sparse rows, each sorted; deleted vertices have none. O(n + m log d)."""
        from minigr.graphs.graph import Graph

        with scope(self._device):
            return Graph(export.rows_of(self._out), self.directed, self._device)

    def copy(self) -> DynamicGraph:
        """The same graph in arrays of its own, mark included.

        Raises
        ------
        OutOfMemoryError
        """
        other = DynamicGraph.__new__(DynamicGraph)
        other._start(self._device, self.directed, self._load_factor, self.allow_self_loops)
        with scope(self._device):
            other._directions = [Direction(one.slabs.copy(), one.mirror, one.reverse) for one in self._directions]
            other._dead = None if self._dead is None else self._dead.copy()
        other._num_dead = self._num_dead
        return other

    def save(self, path: Any) -> None:
        """Write the graph to a NumPy archive (.npz): its edges as rows, and its options. `minigr.read` takes it too.

        Raises
        ------
        OSError
        """
        with scope(self._device):
            export.save(self, path)

    @classmethod
    def load(cls, path: Any, *, device: str | Device | None = None) -> DynamicGraph:
        """The graph that `save` wrote, hashed afresh.

        Raises
        ------
        FormatError
            If the file is not one that `save` wrote.
        OSError, OutOfMemoryError

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     DynamicGraph.from_edges([0, 1], [1, 2], device="cpu").save(folder + "/g.npz")
        ...     DynamicGraph.load(folder + "/g.npz", device="cpu").num_edges
        2
        """
        from minigr.graphs.graph import Graph

        held, directed = export.load(path)
        deleted = held.pop("deleted")
        rows = Graph.from_csr(
            *(held.pop(name) for name in ("indptr", "indices", "weights")), directed=directed, device=device
        )
        self = cls.from_graph(rows, **held)
        with scope(self._device):
            if len(deleted):
                self._dead = self._allocator.full(self.num_vertices, False, np.bool_)
                self._dead[self._ids(deleted, "deleted")] = True
                self._num_dead = len(deleted)
        return self

    def slab_view(self, *, inward: bool = False) -> tuple[Any, Any, Any, Any, Any]:
        """The arrays of the slabs, for kernels that go through them; valid until the next update.

        Parameters
        ----------
        inward : bool
            The in-edges of a directed graph that keeps them; an undirected graph's are its edges.

        Returns
        -------
        heads : int32[n, 2]
            Of each vertex its first base slab, and how many buckets it has: one for each of the base slabs from there.
        degrees : int32[n]
        pool : int32[slabs, 32]
            Each slab that is or was in use: 30 keys, of which those below 0 are none, owner, next slab or -1.
        weights : [slabs, 32] or None
            The weights, in the lanes of their keys.
        marks : uint8[slabs] or None
            The first lane of each slab that came after the mark; None without one.

        Raises
        ------
        GraphError
            If in-edges are asked for that are not kept.
        """
        slabs = self._out
        if inward and self.directed:
            if self._in is None:
                raise GraphError("the graph does not keep its in-edges: make it with in_edges=True")
            slabs = self._in
        n, end = slabs.num_vertices, slabs.bump
        pool, weights = (None if a is None else a[: 32 * end].reshape(-1, 32) for a in (slabs.pool, slabs.weights))
        marks = None if slabs.marks is None else slabs.marks[:end]
        return slabs.heads[: 2 * n].reshape(-1, 2), slabs.degrees[:n], pool, weights, marks

    def memory(self) -> MemoryReport:
        """Bytes by part, and how full the slabs are. O(n)."""
        with scope(self._device):
            dead = 0 if self._dead is None else int(self._dead.nbytes)
            return memory_report([one.slabs for one in self._directions], dead)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = f"{self.weight_dtype} weights" if self.weighted else "unweighted"
        live = self.num_live_vertices
        return f"DynamicGraph({live:,} vertices, {self.num_edges:,} edges, {kind}, {weights}, {self.device})"
