"""The batches that change a dynamic graph, in one place or in parts: the interface that both classes implement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, overload

from minigr.graphs.dynamic.transaction import whole


class Batches(ABC):
    """The batches of `DynamicGraph` and `PartitionedDynamicGraph`."""

    @overload
    def insert_edges(self, src: Any, dst: Any, weights: Any = ..., *, return_mask: Literal[False] = ...) -> int: ...
    @overload
    def insert_edges(self, src: Any, dst: Any, weights: Any = ..., *, return_mask: bool) -> Any: ...
    @whole
    def insert_edges(self, src: Any, dst: Any, weights: Any = None, *, return_mask: bool = False) -> Any:
        """Insert edges. An edge that already exists gets the new weight.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            Ends of the edges, in any order for an undirected graph. With several processes, each process passes a
            share.
        weights : array or sequence [k], optional
            Required for a weighted graph, and allowed only for a weighted graph. NaN is not allowed. The dtype of the
            graph must be able to hold the dtype of the weights.
        return_mask : bool
            Whether to also return which pairs created an edge. Must be the same in all processes.

        Returns
        -------
        count : int
            Number of new edges; with several processes, over all shares.
        mask : bool[k]
            Only if `return_mask`: which pairs created an edge; with several processes, for the share of this process.
            Of equal edges in a batch, the first one creates the edge and the last one sets the weight. A NumPy array
            for a graph in parts.

        Raises
        ------
        GraphError
            If ids are not integers, are negative, are not below `num_vertices`, or belong to deleted vertices; if
            lengths differ; or if weights are missing, are not allowed, are NaN, or have a dtype that the dtype of the
            graph cannot hold.
        OutOfMemoryError
            If the device has no room for more slabs. For a graph in parts, the message names the part.
        PartError
            If another process refused its share, failed, or did not answer within the time limit.

        Notes
        -----
        O(k) expected (Awad et al., section IV-C). A vertex gets more buckets when its chains become long. The cost is
        amortized over the edges that were inserted since the vertex last got buckets.

        Examples
        --------
        >>> from minigr import DynamicGraph
        >>> g = DynamicGraph(3, directed=False, device="cpu")
        >>> g.insert_edges([0, 1, 1, 2], [1, 0, 2, 2], return_mask=True)
        (2, array([ True, False,  True, False]))
        """
        return self._insert(src, dst, weights, return_mask)

    @abstractmethod
    def _refuse_dead(self, src: Any, dst: Any) -> None:
        """Raise `GraphError` if an edge has an end that was deleted. All ids must be in range."""

    @abstractmethod
    def _insert(self, src: Any, dst: Any, weights: Any, return_mask: bool) -> Any:
        """Insert edges as part of the current batch."""

    @overload
    def delete_edges(self, src: Any, dst: Any, *, return_mask: Literal[False] = ...) -> int: ...
    @overload
    def delete_edges(self, src: Any, dst: Any, *, return_mask: bool) -> Any: ...
    @whole
    def delete_edges(self, src: Any, dst: Any, *, return_mask: bool = False) -> Any:
        """Delete edges. Edges that do not exist are skipped.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            With several processes, each process passes a share.
        return_mask : bool
            Whether to also return which pairs deleted an edge. Must be the same in all processes.

        Returns
        -------
        count : int
            Number of deleted edges; with several processes, over all shares.
        mask : bool[k]
            Only if `return_mask`: which pairs deleted an edge; with several processes, for the share of this process.
            Of equal edges in a batch, the first one deletes the edge. A NumPy array for a graph in parts.

        Raises
        ------
        GraphError
            If ids are not integers, are negative or are not below `num_vertices`, or if lengths differ.
        OutOfMemoryError, PartError
            As for `insert_edges`.

        Notes
        -----
        O(k) expected (Awad et al., section IV-C). A deleted edge leaves a tombstone. If there are more tombstones than
        slabs, insertions reuse the tombstones. If more than half of the entries in the slabs are tombstones, and there
        are more than two tombstones for each slab, the next batch rehashes the graph before it begins.
        """
        return self._delete(src, dst, return_mask)

    @abstractmethod
    def _delete(self, src: Any, dst: Any, return_mask: bool) -> Any:
        """Delete edges as part of the current batch."""

    @whole
    def insert_vertices(self, k: int, src: Any = None, dst: Any = None, weights: Any = None) -> Any:
        """Insert `k` vertices, and edges with them.

        Parameters
        ----------
        k : int
            Number of vertices. Must be the same in all processes.
        src, dst : integer arrays or sequences [m], optional
            Ends of edges to insert in the same batch. ``~j``, a number below 0, names vertex j of the new vertices.
            With several processes, each process passes a share.
        weights : array or sequence [m], optional
            As for `insert_edges`.

        Returns
        -------
        ids : int32[k]
            Ids of the inserted vertices: first the ids of deleted vertices, the lowest first, and then new ids. For a
            graph in parts, a NumPy array; new ids are dealt out by the same rule as the other ids, and
            ``deal="ranges"`` gives all new ids to the last part.

        Raises
        ------
        GraphError
            If `k` is not a number of vertices, or differs between processes; if ids would exceed int32; or if
            `insert_edges` refuses the edges.
        OutOfMemoryError, PartError
            As for `insert_edges`.

        Notes
        -----
        O(k + m), except that the arrays with one entry for each vertex are copied occasionally (Awad et al., section
        IV-E).

        Examples
        --------
        >>> from minigr import DynamicGraph
        >>> g = DynamicGraph(2, device="cpu")
        >>> g.delete_vertices([0])
        1
        >>> g.insert_vertices(3, src=[1, ~0, ~2], dst=[~0, ~1, 1])
        array([0, 2, 3], dtype=int32)
        >>> g.has_edges([1, 0, 3], [0, 2, 1])
        array([ True,  True,  True])
        """
        return self._insert_vertices(k, src, dst, weights)

    @abstractmethod
    def _insert_vertices(self, k: int, src: Any, dst: Any, weights: Any) -> Any:
        """Insert vertices, and edges with them, as part of the current batch."""

    @whole
    def delete_vertices(self, ids: Any) -> int:
        """Delete vertices and all edges from and to them. Vertices that are already deleted are skipped.

        Queries and deletions of edges still accept the ids of deleted vertices. No edge can be inserted at these ids
        until `insert_vertices` uses the ids again.

        Parameters
        ----------
        ids : integer array or sequence [k]
            With several processes, each process passes a share.

        Returns
        -------
        int
            Number of deleted vertices; with several processes, over all shares.

        Raises
        ------
        GraphError
            If ids are not integers, are negative or are not below `num_vertices`.
        OutOfMemoryError, PartError
            As for `insert_edges`.

        Notes
        -----
        O(edges of the deleted vertices) if the graph is undirected or keeps its in-edges. Otherwise one pass over all
        slabs (Awad et al., section IV-E, do it for undirected graphs only). The next batch frees the slabs of the
        vertices.
        """
        return self._delete_vertices(ids)

    @abstractmethod
    def _delete_vertices(self, ids: Any) -> int:
        """Delete vertices as part of the current batch."""

    @whole
    def mark(self) -> None:
        """Set the mark. `added_since_mark` then returns the arcs that are inserted after this call.

        O(slabs) time, and one byte for each slab.

        Raises
        ------
        OutOfMemoryError, PartError
            As for `insert_edges`. The previous mark, if any, then stays in effect.
        """
        self._mark()

    @abstractmethod
    def _mark(self) -> None:
        """Set the mark after all existing arcs, as part of the current batch."""

    @whole
    def rehash(self, load_factor: float | None = None) -> None:
        """Rehash all edges: compute buckets from the current degrees, and remove tombstones and unused slabs. O(n + m).

        A batch rehashes the graph automatically before it begins if tombstones or unused slabs prevail. For a
        graph in parts, a call of this method also drops the ghosts to which no edge leads any more.

        Parameters
        ----------
        load_factor : float, optional
            A new load factor. `math.inf` means one bucket for each vertex.

        Raises
        ------
        GraphError
            If `load_factor` is not a load factor.
        OutOfMemoryError
            If there is no room for both copies, which exist together for a moment.
        PartError
            As for `insert_edges`.
        """
        self._rehash(load_factor)

    @whole
    def flush(self) -> None:
        """Clear the tombstones of deleted edges, if any exist, with `rehash`."""
        if self._has_tombstones:
            self._rehash()

    @property
    @abstractmethod
    def _has_tombstones(self) -> bool:
        """Whether there are tombstones, in any part."""

    @abstractmethod
    def _rehash(self, load_factor: float | None = None) -> None:
        """Rehash all edges as part of the current batch."""
