"""What all answers that follow a dynamic graph have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from minigr.apps.dynamic.common import updates
from minigr.apps.dynamic.common.decision import Decision
from minigr.apps.dynamic.common.decision import Recompute as Recompute
from minigr.apps.dynamic.common.follower import Follower, Update
from minigr.errors import GraphError
from minigr.memory import out_of_memory
from minigr.program.control import Driver
from minigr.program.executor import check_driver
from minigr.signatures import names_options


def up_to_date(find: Callable[[Any], Any]) -> property:
    """A property of an answer, which follows its graph first."""

    @out_of_memory
    @wraps(find)
    def asked(answer: Any) -> Any:
        answer._be_current()
        return find(answer)

    return property(asked)


class Maintained(Follower):
    """Base of the answers in `mg.dynamic`: an answer for one graph, which follows batches that it applies to the graph.

    `insert_edges` and `delete_edges` change graph and answer together. A batch is repaired into the answer, or the
    answer is computed again where a repair would be more work. ``recompute="auto"`` decides by counted work: the answer
    is computed again if the batch has more than an eighth as many edges as the graph, or if the repair looks at more
    than a share of the graph, which stands beside each answer. Such a repair was in vain. It is paid for by repairs
    that looked at little, and by a 32nd of each computation; until it is, only batches half as large are tried. So a
    stream of batches takes hardly longer than computations would, and the same batches are treated alike in every run.
    ``"always"`` and ``"never"`` say whether each batch has the answer computed again.

    If the graph was changed in another way, by its own methods or by another answer, the next question or batch
    notices that by ``graph.version`` and computes the answer again; triangles and colors follow the edges since the
    graph's mark, if it was set while the answer was current and edges came only. Several answers on one graph are best
    updated together, by `mg.stream`. If a batch raises, whatever the reason, the graph is as it was. Unless the batch
    was refused, the answer is then computed again when it is asked for.

    Parameters
    ----------
    graph : DynamicGraph
    recompute : {"auto", "always", "never"}
        When the answer is computed again and not repaired: as said above.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loops, as for an `Enactor`. It changes the speed only.

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
        if getattr(graph, "layout", None) != "slabs":
            in_parts = getattr(graph, "layout", None) == "parts"
            remedy = "graph.gather()), or run the algorithm over the parts after each batch" if in_parts else "graph)"
            raise GraphError(
                f"{self._name} follows a DynamicGraph, got {type(graph).__name__}: make one with "
                f"mg.DynamicGraph.from_graph({remedy}"
            )
        if self._needs_in_edges and not graph.keeps_in_edges:
            raise GraphError(
                f"{self._name} repairs along in-edges, and the directed DynamicGraph does not keep them: make it with "
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
            How many edges are new.

        Raises
        ------
        GraphError
            For what the graph refuses, or the answer can't do with; graph and answer are then as they were.
        OutOfMemoryError
            The graph is then as it was.
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
            How many edges were deleted.

        Raises
        ------
        GraphError
            For what the graph refuses; graph and answer are then as they were.
        OutOfMemoryError
            The graph is then as it was.
        """
        return updates.delete(self.graph, [self], src, dst)
