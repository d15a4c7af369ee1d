"""Connected components that follow their graph."""

from __future__ import annotations

from typing import Any

from minigr.apps.components import connected_components
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.maintained import Maintained, Recompute, up_to_date
from minigr.apps.dynamic.components.heights import Heights
from minigr.apps.dynamic.components.labels import Labels
from minigr.program.control import Driver
from minigr.signatures import names_options


class ConnectedComponents(Maintained):
    """Connected components, as `mg.connected_components` finds them, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. An insertion joins the trees of labels along the
    edges of the batch that lead from one component to another. If the batch has such edges, the next access to the
    labels, or the next deletion, costs a pass over all vertices.

    After the first deletion, the vertices of an undirected graph have heights. Each vertex of a component, except one,
    stands above a neighbor. Later deletions process the edges of the vertices that no longer stand above a neighbor. A
    deletion searches for the vertices that are still connected only if it cuts off a part with more than one vertex. In
    a directed graph, and in a graph that is too deep for heights, a deletion takes apart the components that lost an
    edge, and joins their vertices again along their remaining edges. The components of a directed graph are its weakly
    connected components. The answer is the same in every run. It takes about 40 bytes of memory for each vertex. Most
    of this memory belongs to the loops.

    Parameters
    ----------
    graph : DynamicGraph
    recompute : {"auto", "always", "never"}
        When to recompute the answer instead of repairing it, as in `mg.dynamic.Maintained`.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loops, as for an `Enactor`. The driver changes only the speed.

    Attributes
    ----------
    graph : DynamicGraph
    label : int32[n]
        The least vertex of the component of each vertex; -1 for deleted vertices. A copy, made on access.
    num_components : int
        Number of components. A vertex without edges is a component too.
    last_update : Update
        How the answer was last brought up to date. For an insertion, ``touched`` counts the components that were joined
        to another component.

    Raises
    ------
    GraphError
        If the graph is not a DynamicGraph.
    ProblemError
        If `recompute` or `driver` is unknown.

    Notes
    -----
    New edges are joined as in Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms
    on GPUs (arXiv 2305.17813). The trees of labels are those of `mg.connected_components`. A repair is given up if more
    than an eighth of all vertices must be joined again.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.DynamicGraph.from_edges([0, 1, 3], [1, 2, 4], directed=False, device="cpu")
    >>> components = mg.dynamic.ConnectedComponents(graph, recompute="never")
    >>> components.insert_edges([2], [4])
    1
    >>> components.label, components.num_components
    (array([0, 0, 0, 0, 0], dtype=int32), 1)
    >>> components.delete_edges([0], [1])
    1
    >>> components.label, components.num_components
    (array([0, 1, 1, 1, 1], dtype=int32), 2)
    """

    _name = "dynamic.ConnectedComponents"
    _needs_in_edges = False

    @names_options
    def __init__(self, graph: Any, *, recompute: Recompute = "auto", driver: Driver = "auto") -> None:
        self._spare: Heights | None = None  # the last heights, whose arrays the next search uses again
        super().__init__(graph, recompute, driver)

    @up_to_date
    def label(self) -> Any:
        """int32[n], a copy: the least vertex of the component of each vertex; -1 for deleted vertices."""
        self._labels.flatten()
        return self._labels.label.copy()

    @up_to_date
    def num_components(self) -> int:
        """Number of components; a vertex without edges is a component too."""
        return self._count

    def _compute(self) -> None:
        found = connected_components(self.graph, driver=self._driver)
        self._labels, self._count = Labels(self.graph, found.label), found.num_components
        self._heights: Heights | None = None
        self._hung: list[Any] = []  # vertices that include all roots which insertions have since made children
        self._postponed = 0  # the number of these roots
        self._is_deep = False  # whether the graph is too deep for heights

    def _repair(self, changes: Changes, most: float) -> int | None:
        if not changes.deleted:
            return self._put_together(changes)
        self._labels.flatten()
        if self.graph.directed or self._is_deep:
            return self._take_apart(changes, most)
        touched = self._settle_hung()
        if self._heights is not None:
            more = self._settled(*self._heights.lose(changes.src, changes.dst))
            if more is not None:
                return touched + more
        return self._search_again(changes, most)

    def _put_together(self, changes: Changes) -> int:
        roots, count = self._labels.join(*changes.pairs)
        self._count -= count
        if count and self._heights is not None:
            self._hung.append(roots)
            self._postponed += count
            if sum(map(len, self._hung)) > self.graph.num_vertices:
                self._settle_hung()
        return count

    def _take_apart(self, changes: Changes, most: float) -> int | None:
        found = self._labels.take_apart(changes, most)
        if found is None:
            return None
        touched, gained = found
        self._count += gained
        return touched

    def _settle_hung(self) -> int:
        """Give ground to vertices that insertions have made children; return the number of examined vertices."""
        hung, self._hung, self._postponed = self._hung, [], 0
        if self._heights is None or not hung:
            return 0
        self._labels.flatten()
        vertices = hung[0] if len(hung) == 1 else self.graph._device.xp.concatenate(hung)
        return self._settled(*self._heights.settle(vertices)) or 0

    def _settled(self, parts: Any, gained: int, looked: int) -> int | None:
        """Make components of the parts that `Heights` found to be cut off; return the number of examined vertices.

        If `Heights` could not tell which parts are cut off, discard the heights and return None.
        """
        self._count += gained
        if parts is None:
            self._heights = None
            return None
        if not len(parts):
            return looked
        assert self._heights is not None
        self._count += self._heights.regrow(parts)
        return looked + len(parts)

    def _search_again(self, changes: Changes, most: float) -> int | None:
        """Search the vertices that the roots still reach, and join all others again along their current edges."""
        label, heights = self._labels.label, self._spare
        if heights is None or heights.num_vertices != len(label):
            heights = self._spare = Heights(self.graph, self._driver)
        self._is_deep = not heights.search(label, self._labels.roots())
        if self._is_deep:
            self._spare = None
            return self._take_apart(changes, most)
        lost = heights.out_of_reach()
        if len(lost) > most:
            return None
        if len(lost):
            self._count += heights.regrow(lost)
        self._heights = heights
        return len(lost)
