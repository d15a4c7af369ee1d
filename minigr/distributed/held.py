"""Graphs whose parts the workers of a cluster hold, as the client sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigr.distributed.work import Call, begin_dynamic, change, make_call
from minigr.errors import GraphError

_COLUMNS = ("ids", "src", "dst", "weights")  # the arguments of a batch that are divided among the workers
_NOTHING = np.empty(0, np.int32)


class GraphOnWorkers:
    """A `PartitionedGraph` whose parts the workers of a cluster hold.

    Attributes
    ----------
    cluster : Cluster
    """

    def __init__(self, cluster: Any, futures: list[Any], shown: str) -> None:
        self.cluster, self._futures, self._shown = cluster, futures, shown

    def dynamic(self, **options: Any) -> DynamicGraphOnWorkers:
        """Make a dynamic graph with the edges of this graph, in the same parts. This graph must be static.

        Parameters
        ----------
        **options
            The options of `PartitionedDynamicGraph`: ``load_factor``, ``in_edges``, ``allow_self_loops``, ``capacity``
            and the expected degrees.

        Raises
        ------
        GraphError, TypeError
            If `PartitionedDynamicGraph.from_graph` raises the exception in a worker.
        PartError
            If a worker is lost, or does not answer within the time limit.

        Examples
        --------
        >>> graph = cluster.read("edges/").dynamic(in_edges=True)  # doctest: +SKIP
        >>> graph.insert_edges([0, 1], [1, 2])  # doctest: +SKIP
        2
        """
        return DynamicGraphOnWorkers(self.cluster, *self.cluster._on_all(begin_dynamic, options, self._futures))

    def run(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Call ``function(graph, *arguments, **options)`` in all workers at the same time, with their parts.

        Parameters
        ----------
        function : callable
            An algorithm, such as `minigr.bfs`, or your own function. The function must make the same calls over the
            graph in all workers. Dask sends the function to the workers.
        *arguments, **options

        Returns
        -------
        object
            The value that the function returned for the first part, with NumPy arrays in place of arrays in parts.

        Raises
        ------
        PartError
            If a worker is lost, or does not answer within the time limit. The other parts then stop.
        GraphError, ProblemError, ...
            If the function raised the exception in a worker.
        """
        call = Call(function, arguments, options)
        _, (self._shown, found) = self.cluster._on_all(make_call, call, self._futures)
        return found

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._shown})"


class DynamicGraphOnWorkers(GraphOnWorkers):
    """A `PartitionedDynamicGraph` whose parts the workers of a cluster hold; `GraphOnWorkers.dynamic` makes one.

    The client passes batches. Each worker deals out a share of a batch.
    """

    def insert_edges(self, src: Any, dst: Any, weights: Any = None, *, return_mask: bool = False) -> Any:
        """Insert edges, as `PartitionedDynamicGraph.insert_edges` does.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
        weights : array or sequence [k], optional
        return_mask : bool
            Whether to return a mask of the pairs that made an edge.

        Returns
        -------
        count : int
        mask : bool[k]
            Only if `return_mask` is True.

        Raises
        ------
        GraphError
            As for `DynamicGraph.insert_edges`. Positions in a message count within a worker's share.
        PartError
            If a worker is lost, or does not answer within the time limit.
        """
        return self._shared_out("insert_edges", src=src, dst=dst, weights=weights, return_mask=return_mask)

    def delete_edges(self, src: Any, dst: Any, *, return_mask: bool = False) -> Any:
        """Delete edges, as `PartitionedDynamicGraph.delete_edges` does; errors are as for `insert_edges`."""
        return self._shared_out("delete_edges", src=src, dst=dst, return_mask=return_mask)

    def insert_vertices(self, k: int, src: Any = None, dst: Any = None, weights: Any = None) -> Any:
        """Insert vertices, as `PartitionedDynamicGraph.insert_vertices` does; errors are as for `insert_edges`."""
        ids = self._shared_out("insert_vertices", src=src, dst=dst, weights=weights, k=k)
        return ids[:k]  # each worker returns all ids

    def delete_vertices(self, ids: Any) -> int:
        """Delete vertices, as `PartitionedDynamicGraph.delete_vertices` does; errors are as for `insert_edges`."""
        return int(self._shared_out("delete_vertices", ids=ids))

    def mark(self) -> None:
        """Set the mark, as `PartitionedDynamicGraph.mark` does; errors are as for `insert_edges`."""
        self._shared_out("mark")

    def added_since_mark(self) -> tuple[Any, Any, Any]:
        """The arcs of all workers that were added after the mark: sources, destinations, and weights or None.

        Raises
        ------
        GraphError
            If no mark was set.
        PartError
            If a worker is lost, or does not answer within the time limit.
        """
        found: tuple[Any, Any, Any] = self._shared_out("added_since_mark")
        return found

    def rehash(self, load_factor: float | None = None) -> None:
        """Rehash all edges, as `PartitionedDynamicGraph.rehash` does; errors are as for `insert_edges`."""
        self._shared_out("rehash", load_factor=load_factor)

    def has_edges(self, src: Any, dst: Any) -> Any:
        """bool[k]: whether there is an edge from ``src[i]`` to ``dst[i]``; errors are as for `insert_edges`."""
        return self._shared_out("has_edges", src=src, dst=dst)

    def _shared_out(self, name: str, **arguments: Any) -> Any:
        """Call a method in all workers, each with its share of the columns, and return the result for the batch."""
        given = {each: arguments.pop(each) for each in _COLUMNS if arguments.get(each) is not None}
        columns = {each: np.atleast_1d(column) for each, column in given.items()}
        columns = {each: column if len(column) else _NOTHING for each, column in columns.items()}
        if len({len(column) for column in columns.values()}) > 1:
            lengths = ", ".join(str(len(each)) for each in columns.values())
            raise GraphError(f"the columns of a batch have lengths {lengths}: an edge needs one value of each")
        count = len(self._futures)
        shares = [
            {each: np.array_split(column, count)[part] for each, column in columns.items()} for part in range(count)
        ]
        own = [*zip(self._futures, shares, strict=True)]
        _, (self._shown, found) = self.cluster._on_all(change, name, arguments, own)
        return found
