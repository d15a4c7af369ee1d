"""The base class of answers that follow a dynamic graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from minigr.apps.dynamic.common import updates
from minigr.apps.dynamic.common.decision import Decision
from minigr.apps.dynamic.common.decision import Recompute as Recompute
from minigr.apps.dynamic.common.follower import Follower, Update
from minigr.errors import GraphError
from minigr.graphs.dynamic.batches import Batches
from minigr.memory import out_of_memory
from minigr.program.control import Driver
from minigr.program.executor import check_driver
from minigr.signatures import names_options


def up_to_date(find: Callable[[Any], Any]) -> property:
    """A property of an answer, which is brought up to date with its graph before it is read."""

    @out_of_memory
    @wraps(find)
    def asked(answer: Any) -> Any:
        answer._be_current()
        return find(answer)

    return property(asked)


class Maintained(Follower):
    """Base class of the answers in `mg.dynamic`: each answer follows one graph and applies batches to the graph.

    `insert_edges` and `delete_edges` change graph and answer together. A batch is repaired into the answer, or the
    answer is computed again if a repair would be more work. ``recompute="auto"`` decides by counted work. The answer is
    computed again if the batch has more than an eighth as many edges as the graph, or if the repair visits more than a
    certain share of the graph. The documentation of each answer states its share. A repair that exceeds the share is
    wasted. Its cost is repaid by repairs that visit little, and by a 32nd of each computation. Until the cost is
    repaid, only batches at most half as large are tried. So a stream of batches takes hardly longer than recomputations
    would, and the same batches lead to the same decisions in every run. With ``"always"``, each batch leads to a
    recomputation; with ``"never"``, no batch does.

    The graph may also change in another way, through its own methods or through another answer. The next access to the
    answer, or the next batch, detects the change by ``graph.version``, and the answer is computed again.
    `TriangleCount` and `Coloring` instead follow the edges added since the graph's mark, if the mark was set while the
    answer was current and edges were only added. To update several answers on one graph, use `mg.stream`. If a batch
    raises any exception, the graph is as it was before the batch. Unless the batch was refused, the answer is then
    computed again on the next access.

    Parameters
    ----------
    graph : DynamicGraph
    recompute : {"auto", "always", "never"}
        When to recompute the answer instead of repairing it, as described above.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loops, as for an `Enactor`. The driver changes only the speed.

    Attributes
    ----------
    graph : DynamicGraph
    last_update : Update
        How the answer was last brought up to date.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.DynamicGraph.from_graph(mg.generate.path(100, device="cpu"))
    >>> triangles = mg.dynamic.TriangleCount(graph)
    >>> triangles.insert_edges([0], [2])
    1
    >>> triangles.total, triangles.last_update.kind
    (1, 'repair')
    """

    _name: str
    _needs_in_edges = True

    def __init__(self, graph: Any, recompute: Recompute, driver: Driver) -> None:
        layout = getattr(graph, "layout", None)
        if layout != "slabs" or not issubclass(type(graph), Batches):
            source = {"parts": "graph.gather()", "slabs": "graph.to_graph()"}.get(layout or "", "graph")
            instead = ", or run the algorithm over the parts after each batch" if layout == "parts" else ""
            raise GraphError(
                f"{self._name} follows a DynamicGraph, got {type(graph).__name__}: make one with "
                f"mg.DynamicGraph.from_graph({source}){instead}"
            )
        if self._needs_in_edges and not graph.keeps_in_edges:
            raise GraphError(
                f"{self._name} repairs along in-edges, but the directed graph keeps none: make the graph with "
                "in_edges=True"
            )
        decision = Decision(recompute, self._name)
        self._driver = check_driver(driver, graph, trace=False)
        super().__init__(graph, decision)

    @up_to_date
    def last_update(self) -> Update:
        """How the answer was last brought up to date."""
        return self._last

    @names_options
    def insert_edges(self, src: Any, dst: Any, weights: Any = None) -> int:
        """Insert edges into the graph, as `DynamicGraph.insert_edges` does, and update the answer.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            The ends of the edges.
        weights : array or sequence [k], optional
            For a weighted graph.

        Returns
        -------
        int
            Number of new edges.

        Raises
        ------
        GraphError
            If the graph refuses the edges, or the answer cannot handle them. Graph and answer are then unchanged.
        OutOfMemoryError
            If memory runs out. The graph is then unchanged.
        """
        return updates.insert(self.graph, [self], src, dst, weights)

    @names_options
    def delete_edges(self, src: Any, dst: Any) -> int:
        """Delete edges from the graph, as `DynamicGraph.delete_edges` does, and update the answer.

        Parameters
        ----------
        src, dst : integer arrays or sequences [k]
            The ends of the edges.

        Returns
        -------
        int
            Number of deleted edges.

        Raises
        ------
        GraphError
            If the graph refuses the edges. Graph and answer are then unchanged.
        OutOfMemoryError
            If memory runs out. The graph is then unchanged.
        """
        return updates.delete(self.graph, [self], src, dst)
