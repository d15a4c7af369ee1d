"""Connected components that follow their graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.components import Join, connected_components
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.maintained import Maintained, Recompute
from minigr.apps.dynamic.components.heights import Heights
from minigr.apps.dynamic.components.joins import Flatten, LabelProblem, flatten_tree, join_arc
from minigr.operators.calls import advance, compute
from minigr.primitives import transform
from minigr.program.control import Driver
from minigr.program.frontier import Frontier
from minigr.signatures import names_options


class ConnectedComponents(Maintained):
    """Connected components, as `mg.connected_components` finds them, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. An insertion joins the trees of labels along
    those edges of the batch that lead from one component to another; if there are any, the next question for labels, or
    the next deletion, costs a pass over all vertices. After a first deletion an undirected graph has heights, by which
    each vertex but one of its component stands above a neighbor; further ones cost the edges of vertices that no longer
    do, and only where a part with more than one vertex is cut off a search for what is still connected. In a directed
    graph, of which these are the weakly connected components, and in one that is too deep for heights, a deletion takes
    those components apart that lost an edge, and joins their vertices again along the edges they have. The answer is
    the same in every run. Takes some 40 bytes of memory for each vertex, most of which its loops work in.

    Parameters
    ----------
    graph : DynamicGraph
    recompute : {"auto", "measured", "always", "never"}
        When the answer is computed again and not repaired, as in `mg.dynamic.Maintained`.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loops, as for an `Enactor`. It changes the speed only.

    Attributes
    ----------
    graph : DynamicGraph
    label : int32[n]
        The least vertex of its component; -1 for deleted vertices. A copy, made when it is asked for.
    num_components : int
        A vertex without edges is one too.
    last_update : Update
        How the answer was last brought up to date. Touched by an insertion are components that are no longer ones of
        their own.

    Raises
    ------
    GraphError
        If the graph is no DynamicGraph.
    ProblemError
        For an unknown `recompute` or `driver`.

    Notes
    -----
    Concessao, Cheramangalath, Dev, Nasre, Meerkat: A framework for Dynamic Graph Algorithms on GPUs (arXiv 2305.17813)
    join new edges so; trees of labels as in `mg.connected_components`. A repair is given up where more than an eighth
    of all vertices must be joined again.

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
        self._problem: Any = None
        self._spare: Heights | None = None  # the last that there were, to be searched for again
        super().__init__(graph, recompute, driver)

    @property
    def label(self) -> Any:
        """int32[n], a copy: the least vertex of its component; -1 for deleted vertices."""
        self._be_current()
        self._flatten_all()
        return self._problem.label.copy()

    @property
    def num_components(self) -> int:
        """How many there are; a vertex without edges is one too."""
        self._be_current()
        return self._count

    def _check_batch(self, weights: Any) -> None:
        """There is nothing that the graph takes and this does not."""

    def _compute(self) -> None:
        found = connected_components(self.graph, driver=self._driver)
        if self._problem is None or len(self._problem.label) != len(found.label):
            self._problem = LabelProblem(self.graph)
        self._problem.use(label=found.label)
        self._count, self._is_flat = found.num_components, True
        self._joined, self._num_joined = self.graph._device.full(1, 0, np.int64), 0  # by all insertions
        self._heights: Heights | None = None
        self._hung: list[Any] = []  # vertices, among which all roots that insertions have hung below others since
        self._postponed = 0  # how many roots those are
        self._is_deep = False  # too deep for heights

    def _repair(self, changes: Changes, most: float) -> int | None:
        if not changes.deleted:
            return self._put_together(changes)
        self._flatten_all()
        if self.graph.directed or self._is_deep:
            return self._take_apart(changes, most)
        touched = self._settle_hung()
        if self._heights is not None:
            more = self._settled(*self._heights.lose(changes.src, changes.dst))
            if more is not None:
                return touched + more
        return self._search_again(changes, most)

    def _settle_hung(self) -> int:
        """Give those ground that were roots before insertions; how many vertices were looked at."""
        hung, self._hung, self._postponed = self._hung, [], 0
        if self._heights is None or not hung:
            return 0
        self._flatten_all()
        vertices = hung[0] if len(hung) == 1 else self.graph._device.xp.concatenate(hung)
        return self._settled(*self._heights.settle(vertices)) or 0

    def _settled(self, parts: Any, gained: int, looked: int) -> int | None:
        """Let what `Heights` found to be cut off be components of its own; how many vertices were looked at.

        None, with no heights any more, where what is cut off can't be told from what is not.
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
        """Look what the roots still reach, and join the rest again along the edges it has."""
        label, xp = self._problem.label, self.graph._device.xp
        heights = self._spare
        if heights is None or heights.num_vertices != len(label):
            heights = self._spare = Heights(self.graph, self._driver)
        self._is_deep = not heights.search(label, xp.flatnonzero(label == xp.arange(len(label))).astype(np.int32))
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

    def _join_again(self, vertices: Any) -> int:
        """Join the vertices of whole components anew along the edges they have; how many components that makes."""
        self._problem.label[vertices] = vertices
        among = Frontier.known("vertices", vertices, self.graph, distinct=True)
        advance(self._problem, among, Join, output=None)
        return self._flatten(among)

    def _put_together(self, changes: Changes) -> int:
        src, dst = changes.pairs
        label, joined = self._problem.label, self._joined
        roots = transform(join_arc, src=src, dst=dst, label=label, joined=joined, count=len(src), dtype=np.int32)
        before, self._num_joined = self._num_joined, int(self.graph._device.number(joined))
        count = self._num_joined - before
        if count:
            self._count, self._is_flat = self._count - count, False
            if self._heights is not None:
                self._hung.append(roots)
                self._postponed += count
                if sum(map(len, self._hung)) > self.graph.num_vertices:
                    self._settle_hung()
        return count

    def _flatten_all(self) -> None:
        """Have all vertices hang right below their roots; insertions leave that to whoever needs it."""
        if not self._is_flat:
            transform(flatten_tree, label=self._problem.label)
            self._is_flat = True

    def _take_apart(self, changes: Changes, most: float) -> int | None:
        label, xp = self._problem.label, self.graph._device.xp
        hit = xp.zeros(len(label), bool)
        hit[label[changes.src]] = True  # of both ends: they were joined
        parts = int(xp.count_nonzero(hit))
        if parts == 0:
            return 0
        vertices = xp.flatnonzero(hit[label] & (label >= 0)).astype(np.int32)
        if len(vertices) > most:
            return None
        self._count += self._join_again(vertices) - parts
        return len(vertices)

    def _flatten(self, vertices: Frontier) -> int:
        """Hang vertices below their roots; how many of them are roots."""
        compute(self._problem, vertices, Flatten, into="roots")
        return int(self.graph._device.number(self._problem.roots))
