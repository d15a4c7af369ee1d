"""The batches that change a dynamic graph, in one place or in parts: one contract, which two classes keep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, overload

from minigr.graphs.dynamic.transaction import whole


class Batches(ABC):
    """What changes a `DynamicGraph`, and a `PartitionedDynamicGraph` in the same way."""

    @overload
    def insert_edges(self, src: Any, dst: Any, weights: Any = ..., *, return_mask: Literal[False] = ...) -> int: ...
    @overload
    def insert_edges(self, src: Any, dst: Any, weights: Any = ..., *, return_mask: bool) -> Any: ...
    @whole
    def insert_edges(self, src: Any, dst: Any, weights: Any = None, *, return_mask: bool = False) -> Any:
        """Insert edges; those that are there get a new weight.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            Ends of the edges, in any order for an undirected graph. Over processes each gives a share.
        weights : array or sequence [k], optional
            For a weighted graph, and only for that: no NaN, and of a dtype that the graph's dtype can hold.
        return_mask : bool
            Whether to return which ones made an edge; the same in all processes.

        Returns
        -------
        count : int
            How many edges are new, over processes of all shares.
        mask : bool[k]
            If asked for: which ones are, over processes of this one's share. Of equal edges in a batch the first is the
            one that counts, and the last one gives the weight. It is NumPy's for a graph in parts.

        Raises
        ------
        GraphError
            For ids that are no integers, negative, not below `num_vertices` or deleted; lengths that differ; weights
            that are missing, not wanted, NaN, or of a dtype that the graph's can't hold.
        OutOfMemoryError
            If the device has no room for more slabs. For a graph in parts it names the part.
        PartError
            If another process refused its share, failed, or did not answer within the time limit.

        Notes
        -----
        O(k) expected (Awad et al., section IV-C); a vertex is given more buckets when its chains become long, and what
        that costs is paid for by the edges that came since.

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
        """Raise `GraphError` if an edge is to have an end that was deleted; all ids must be in range."""

    @abstractmethod
    def _insert(self, src: Any, dst: Any, weights: Any, return_mask: bool) -> Any:
        """Insert edges as a part of the batch that is under way."""

    @overload
    def delete_edges(self, src: Any, dst: Any, *, return_mask: Literal[False] = ...) -> int: ...
    @overload
    def delete_edges(self, src: Any, dst: Any, *, return_mask: bool) -> Any: ...
    @whole
    def delete_edges(self, src: Any, dst: Any, *, return_mask: bool = False) -> Any:
        """Delete edges; those that aren't there are passed over.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            Over processes each gives a share.
        return_mask : bool
            Whether to return which ones deleted an edge; the same in all processes.

        Returns
        -------
        count : int
            How many edges were deleted, over processes of all shares.
        mask : bool[k]
            If asked for: which ones did, over processes of this one's share; of equal edges in a batch the first. It is
            NumPy's for a graph in parts.

        Raises
        ------
        GraphError
            For ids that are no integers, negative or not below `num_vertices`, and lengths that differ.
        OutOfMemoryError, PartError
            As for `insert_edges`.

        Notes
        -----
        O(k) expected (Awad et al., section IV-C). A deleted edge leaves a tombstone. Where there are more
        tombstones than slabs, insertions take their places again. When they are more than half of what the slabs hold,
        the next batch rehashes the graph before it begins.
        """
        return self._delete(src, dst, return_mask)

    @abstractmethod
    def _delete(self, src: Any, dst: Any, return_mask: bool) -> Any:
        """Delete edges as a part of the batch that is under way."""

    @whole
    def insert_vertices(self, k: int, src: Any = None, dst: Any = None, weights: Any = None) -> Any:
        """Insert `k` vertices, and edges with them.

        Parameters
        ----------
        k : int
            How many vertices; the same in all processes.
        src, dst : integer arrays or sequences [m], optional
            Ends of edges to insert in the same batch. ``~j``, a number below 0, names vertex j of the new ones. Over
            processes each gives a share.
        weights : array or sequence [m], optional
            As for `insert_edges`.

        Returns
        -------
        ids : int32[k]
            Their ids: those that were deleted before, the lowest first, and then new ones. NumPy's for a graph in
            parts, where a new id is dealt out as the others are; ``deal="ranges"`` makes them all the last part's.

        Raises
        ------
        GraphError
            If `k` is no number of vertices, or not the same in all processes, or ids would exceed int32; and for edges
            that `insert_edges` refuses.
        OutOfMemoryError, PartError
            As for `insert_edges`.

        Notes
        -----
        O(k + m), except for the arrays with one entry for each vertex, which are copied now and then (Awad et al.,
        section IV-E).

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
        """Insert vertices, and edges with them, as a part of the batch that is under way."""

    @whole
    def delete_vertices(self, ids: Any) -> int:
        """Delete vertices and all edges from and to them; those that were deleted before are passed over.

        Their ids stay valid where edges are asked for or deleted, but no edge can be inserted at them until
        `insert_vertices` has put them to use again.

        Parameters
        ----------
        ids : integer array or sequence [k]
            Over processes each gives a share.

        Returns
        -------
        int
            How many were deleted, over processes of all shares.

        Raises
        ------
        GraphError
            For ids that are no integers, negative or not below `num_vertices`.
        OutOfMemoryError, PartError
            As for `insert_edges`.

        Notes
        -----
        O(edges at them) if the graph is undirected or keeps its in-edges; otherwise one stream over all slabs (Awad et
        al., section IV-E, do it for undirected graphs only). The next batch frees the slabs of the vertices.
        """
        return self._delete_vertices(ids)

    @abstractmethod
    def _delete_vertices(self, ids: Any) -> int:
        """Delete vertices as a part of the batch that is under way."""

    @whole
    def mark(self) -> None:
        """From now on `added_since_mark` tells what came after this moment. O(slabs), and a byte for each.

        Raises
        ------
        OutOfMemoryError, PartError
            As for `insert_edges`. The mark before, if any, still holds then.
        """
        self._mark()

    @abstractmethod
    def _mark(self) -> None:
        """Have all that is there come before the mark, as a part of the batch that is under way."""

    @whole
    def rehash(self, load_factor: float | None = None) -> None:
        """Rehash all edges: buckets by today's degrees, no tombstones, no slabs that nobody uses. O(n + m).

        It is done by itself, at the beginning of a batch, when tombstones or unused slabs prevail. A graph in parts
        also forgets the ghosts that no edge leads to any more.

        Parameters
        ----------
        load_factor : float, optional
            A new load factor, with `math.inf` one bucket for each vertex.

        Raises
        ------
        GraphError
            If that is no load factor.
        OutOfMemoryError
            Both copies must fit for a moment.
        PartError
            As for `insert_edges`.
        """
        self._rehash(load_factor)

    @whole
    def flush(self) -> None:
        """Clear the tombstones that deletions left, if there are any, by `rehash`."""
        if self._has_tombstones:
            self._rehash()

    @property
    @abstractmethod
    def _has_tombstones(self) -> bool:
        """Whether there are any, in any part."""

    @abstractmethod
    def _rehash(self, load_factor: float | None = None) -> None:
        """Rehash all edges as a part of the batch that is under way."""
