"""Core numbers that follow their graph."""

from __future__ import annotations

from math import inf, isinf
from typing import Any

import numpy as np

from minigr.apps.core_number import core_number
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.common.decision import arcs_per_start, arcs_per_step
from minigr.apps.dynamic.common.maintained import Maintained, Recompute, up_to_date
from minigr.apps.dynamic.common.undirected import Undirected
from minigr.apps.dynamic.core_number.loops import CLEAN, FallEnactor, FollowedCores, list_ends
from minigr.apps.dynamic.core_number.rises import CandidatesEnactor, RiseEnactor, WithdrawEnactor, sow
from minigr.enactor.enactor import UNLIMITED
from minigr.primitives import transform
from minigr.program.control import Driver, Stop
from minigr.program.frontier import Frontier
from minigr.signatures import names_options

_UNLIMITED = 2**62
# The most steps of a deletion: 32, or 8 times the arcs that it may look at per vertex of the graph, whichever is more.
_STEPS, _STEPS_SHARE = 32, 8
_STARTS = 4  # a round of an insertion takes as long as 4 starts: it has three loops, and reads counts between them


class CoreNumber(Maintained):
    """Core numbers, as `mg.core_number` finds them, kept up to date with the graph.

    `insert_edges` and `delete_edges` change graph and answer together. A deletion processes the vertices whose core
    number falls, and their edges, once for each step down. An insertion processes the vertices whose core number could
    rise, and their edges, once for each step up. These vertices are connected with an edge of the batch through other
    such vertices of the same core number. Core numbers are exact, and the same in every run. The answer takes 12 bytes
    of memory for each vertex. For a directed graph, the answer also keeps a copy without directions, and updates the
    copy with the graph.

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
    core : int32[n]
        Core numbers; 0 for vertices without neighbors and for deleted vertices. A copy, made on access.
    degeneracy : int
        The greatest core number.
    last_update : Update
        How the answer was last brought up to date. ``touched`` counts the vertices whose core number changed.

    Raises
    ------
    GraphError
        If the graph is not a DynamicGraph.
    ProblemError
        If `recompute` or `driver` is unknown.

    Notes
    -----
    Core numbers are the greatest numbers for which each vertex with number c has at least c neighbors with a number of
    at least c (Lü, Zhou, Zhang, Stanley, The H-index of a network node and its relation to degree and coreness, Nature
    Communications 7, 2016). After a deletion, the old numbers are correct or too great, and fall where the condition no
    longer holds. After an insertion, the old numbers are correct or too small. The vertices that can rise together rise
    by one until no vertex can rise, as in Sariyuce, Gedik, Jacques-Silva, Wu, Catalyurek, Streaming Algorithms for
    k-core Decomposition (VLDB 2013), but for a whole batch. A repair is given up if it visits too many edges:
    after a deletion more than the graph has, after an insertion more than half as many. An edge counts each time it is
    visited. A repair is also given up if it takes many steps.

    Examples
    --------
    >>> import minigr as mg
    >>> graph = mg.DynamicGraph.from_graph(mg.generate.path(5, device="cpu"))
    >>> cores = mg.dynamic.CoreNumber(graph, recompute="never")
    >>> cores.insert_edges([0], [3])
    1
    >>> cores.core, cores.degeneracy
    (array([2, 2, 2, 2, 1], dtype=int32), 2)
    >>> cores.delete_edges([1], [2])
    1
    >>> cores.core, cores.last_update.touched
    (array([1, 1, 1, 1, 1], dtype=int32), 4)
    """

    _name = "dynamic.CoreNumber"
    # Measured on road, Kronecker and social graphs on a CPU: an arc that a deletion looks at costs about as much as an
    # arc of a computation. An arc that an insertion looks at costs about twice as much, because of more operators.
    _insertion_share, _deletion_share = 1 / 2, 1.0
    _needs_in_edges = False

    @names_options
    def __init__(self, graph: Any, *, recompute: Recompute = "auto", driver: Driver = "auto") -> None:
        self._problem: Any = None
        super().__init__(graph, recompute, driver)

    @up_to_date
    def core(self) -> Any:
        """int32[n], a copy: core numbers; 0 for vertices without neighbors and for deleted vertices."""
        return self._problem.core.copy()

    @up_to_date
    def degeneracy(self) -> int:
        """The greatest core number."""
        core = self._problem.core
        return int(core.max()) if len(core) else 0

    def _extent(self) -> int:
        """The number of arcs."""
        return 2 * self._undirected.graph.num_edges

    def _least(self, deleted: bool) -> float:
        return 0.0 if deleted else _STARTS * arcs_per_start(self.graph._device)

    def _compute(self) -> None:
        self._undirected = Undirected(self.graph)
        graph, device = self._undirected.graph, self.graph._device
        found = core_number(graph, driver=self._driver)
        if self._problem is None or self._problem.graph is not graph or len(self._problem.core) != graph.num_vertices:
            self._begin(graph)
        self._problem.core = found.core
        self._problem.use(degree=graph.out_edges.degrees)
        device.fill(self._problem.state, CLEAN)  # a repair that was given up may have left other values

    def _begin(self, graph: Any) -> None:
        """Make the problem and its loops for the current number of vertices."""
        self._problem = FollowedCores(graph, counts=self.graph._device.full(3, 0, np.int64))
        loop: dict[str, Any] = {"problem": self._problem, "driver": self._driver}
        self._fall, self._spread = FallEnactor(graph, **loop), CandidatesEnactor(graph, **loop)
        self._withdraw, self._raise = WithdrawEnactor(graph, **loop), RiseEnactor(graph, max_iterations=1, **loop)

    def _repair(self, changes: Changes, most: float) -> int | None:
        problem, device = self._problem, self.graph._device
        before, problem.most = problem.core.copy(), int(min(most, _UNLIMITED))
        device.fill(problem.counts, 0)
        self._spent = 0
        if changes.deleted:
            src, dst = self._undirected.gone(changes)
            self._undirected.delete(src, dst)
            problem.use(degree=self._undirected.graph.out_edges.degrees)
            transform(list_ends, src=src, dst=dst, state=problem.state, count=len(src))
            # The steps are limited, because each step passes over all vertices.
            share = inf if isinf(most) else _STEPS_SHARE * most / max(self.graph.num_vertices, 1)
            self._fall.max_iterations = int(min(max(_STEPS, share), UNLIMITED))
            self._fall.run()
            within = device.number(problem.visited) == 0
        else:
            src, dst, _ = self._undirected.insert(changes)
            problem.use(degree=self._undirected.graph.out_edges.degrees)
            within = self._rise(src, dst)
        return int(device.xp.count_nonzero(problem.core != before)) if within else None

    def _rise(self, src: Any, dst: Any) -> bool:
        """Raise core numbers until none can rise; False if this would look at too many arcs.

        A vertex whose core number can rise by one because of the batch is connected with an end of a new edge, by a
        path of vertices that have the same core number and can rise too. After some vertices have risen, others may
        rise. These are connected in the same way with a vertex that has risen, or with a neighbor of such a vertex that
        has the core number which the vertex had before.
        """
        problem, device = self._problem, self.graph._device
        round_cost, step_cost = int(self._least(deleted=False)), arcs_per_step(device)
        problem.seeds_before = problem.candidates_before = num_seeds = num_candidates = 0
        fields = {"state": problem.state, "seeds": problem.seeds, "counts": problem.counts, "seeds_before": 0}
        transform(sow, src=src, dst=dst, count=len(src), **fields)
        while True:
            seeds, (visited, num_seeds, _) = num_seeds, device.numbers(problem.counts)
            if seeds == num_seeds:
                return True
            self._spend(round_cost)
            self._spread.max_iterations = max(problem.most - visited, 0) // step_cost
            self._spread.run(self._listed(problem.seeds[: num_seeds - seeds]))
            if self._spread.stopped is not Stop.EMPTY:
                return False
            candidates, num_candidates = num_candidates, device.numbers(problem.counts)[2]
            listed = self._listed(problem.candidates[: num_candidates - candidates])
            problem.seeds_before, problem.candidates_before = num_seeds, num_candidates
            self._withdraw.run(listed)
            self._raise.run(listed)
            self._spend(step_cost * (self._spread.iterations + self._withdraw.iterations))

    def _spend(self, arcs: int) -> None:
        """Charge work other than looking at arcs, as if it were this many arcs."""
        self._spent += arcs
        self._problem.most -= arcs

    def _share(self, touched: int, most: float) -> float:
        visited = self.graph._device.numbers(self._problem.counts)[0]
        return float((visited + self._spent) / max(most, 1))

    def _listed(self, vertices: Any) -> Frontier:
        return Frontier.known("vertices", vertices, self._undirected.graph, distinct=True)
