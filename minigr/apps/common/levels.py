"""Code that the Louvain and Leiden methods share: the vertices of a level are the communities of the level before."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from minigr.apps.common.checks import require
from minigr.apps.common.few_groups import contracted
from minigr.apps.common.moves import MovesEnactor, MovesProblem, bits_of_block, turns_of
from minigr.apps.common.partition import modularity_of, set_strengths, set_totals, whole_graph
from minigr.apps.common.tables import VertexTable
from minigr.apps.common.undirected import both_ways
from minigr.generate.keys import stream_key
from minigr.graphs.backend import scope
from minigr.graphs.checks import whole_number
from minigr.graphs.graph import Graph
from minigr.program.control import Stop
from minigr.program.frontier import Frontier

_SEED = 0x7FFFFFFF
_ROUNDS = 4  # rounds of turns before communities become vertices
_FEW = 12  # a turn is the last one if less than 1/12 of its vertices move
_LAST_ROUNDS, _LAST_FEW = 2, 48  # for the moves down the levels: the least number of rounds, and their `_FEW`
_ROUNDS_OF_MANY, _FEW_TURNS = 8, 4  # after 8 rounds, rounds have only 4 turns


@dataclass(frozen=True)
class CommunitiesResult(VertexTable, columns=("label",)):
    """Communities of high modularity.

    Attributes
    ----------
    label : int32 array, one for each vertex
        From 0 to ``num_communities - 1``; -1 for deleted vertices. Each vertex without edges is a community, and these
        communities come last.
    num_communities : int
    modularity : float
        NaN for a graph without edges.
    levels : tuple of int32 arrays
        The labels of each level, the finest level first. If the final moves improve the labels, the improved labels
        come last. The last array is `label`.
    iterations : int
        The number of steps of all levels.
    converged : bool
        False if `max_iter` ended a level.
    """

    label: Any
    num_communities: int
    modularity: float
    levels: tuple[Any, ...]
    iterations: int
    converged: bool


def per_resolution(graph: Any, resolution: Any, algorithm: str, find: Callable[..., Any]) -> Any:
    """Call `find` with the undirected graph, a new `Found` and a resolution; for several resolutions, return a list.

    Raises
    ------
    GraphError
        For a negative or infinite edge weight.
    ProblemError
        For a resolution that is not a number of at least 0.
    """
    resolution = resolution[()] if isinstance(resolution, np.ndarray) and not resolution.ndim else resolution
    several = not isinstance(resolution, (int, float, np.number))
    each = [float(check_resolution(one, algorithm)) for one in (resolution if several else (resolution,))]
    rows = whole_graph(both_ways(graph), algorithm)
    with scope(rows._device):
        live = Frontier.all_vertices().vertices_on(graph)
        has_edges = (rows.offsets[1:] > rows.offsets[:-1])[live]
        ids, apart = live[has_edges], live[~has_edges]
        found = [find(rows, Found(rows, ids, apart), one) for one in each]
    return found if several else found[0]


def check_resolution(resolution: Any, algorithm: str) -> Any:
    """Return `resolution`, or raise `ProblemError` if it is not a finite number of at least 0."""
    right = isinstance(resolution, (int, float, np.number)) and 0 <= resolution < math.inf
    require(bool(right), f"{algorithm}: resolution={resolution!r} must be a finite number of at least 0")
    return resolution


class Level:
    """Local moves over the vertices of one level, and the communities that the moves make.

    Parameters
    ----------
    graph : Graph
        Undirected, with integer weights.
    ids : int32 array
        The vertices that have edges. Only these become vertices of the next level.
    community : int32 array or None
        The community in which each vertex begins; None if each vertex begins in its own community.
    resolution : float
    seed, number : int
        The seed of the random numbers, and the number of the level.
    """

    def __init__(self, graph: Graph, ids: Any, community: Any, resolution: float, seed: int, number: int) -> None:
        key = stream_key(whole_number(seed, "seed", -(2**63), 2**64 - 1), number)
        self.graph, self.ids, self.resolution, self._seed = graph, ids, resolution, seed
        turns, block = turns_of(graph), bits_of_block(graph)
        self.problem = MovesProblem(graph, seed=key & _SEED, turns=turns, block=block)
        self.weight = set_strengths(self.problem)
        self.problem.price = self.problem.share * resolution
        self.begin(community)

    def begin(self, community: Any) -> None:
        """Put the vertices into their communities; if `community` is None, each vertex into its own."""
        problem = self.problem
        if community is None:
            problem.community = problem.device.xp.arange(self.graph.num_vertices, dtype=np.int32)
            problem.total = problem.strength
        else:
            problem.community = community
            set_totals(problem)
        problem.best = problem.community  # vertices without edges keep it

    def modularity(self) -> float:
        """The modularity of the current communities."""
        return modularity_of(self.problem, self.weight, self.resolution)

    def move_some(self, max_iter: int, *, until_few: bool = False, **options: Any) -> tuple[int, bool]:
        """Move each vertex a few times, which is enough before communities become vertices.

        With `until_few`, the moves also end after a turn in which few vertices move, once each vertex has had a turn.
        Return the steps taken, and False if `max_iter` ended the moves.
        """
        most, few = _ROUNDS * int(self.problem.turns), _FEW if until_few else 0
        steps, converged = self._move(min(max_iter, most), 1, few, **options)
        return steps, converged or max_iter >= most

    def move(self, max_iter: int, **options: Any) -> tuple[int, bool]:
        """Move vertices until few gain; return the steps taken, and False if `max_iter` ended the moves.

        If many vertices still gain after some rounds, later rounds have fewer turns, which take fewer steps.
        """
        turns = int(self.problem.turns)
        steps, converged = self._move(min(max_iter, _ROUNDS_OF_MANY * turns), _LAST_ROUNDS, _LAST_FEW, **options)
        if not converged and steps < max_iter:
            self.problem.turns = min(_FEW_TURNS, turns)
            more, converged = self._move(max_iter - steps, 1, _LAST_FEW, **options)
            self.problem.turns = turns
            steps += more
        return steps, converged

    def _move(self, max_iter: int, rounds: int, few: int, **options: Any) -> tuple[int, bool]:
        """Move vertices; return the steps taken, and False if `max_iter` ended the moves.

        After `rounds` rounds, a turn is the last one if less than ``1 / few`` of its vertices move. Vertices without
        edges are not counted, because they never move. If `few` is 0, the moves continue until no vertex gains.
        """
        turns, there = int(self.problem.turns), 0
        if few:
            there = int(self.graph._device.xp.count_nonzero(self.problem.strength)) // (turns * few)
        self.problem.least, self.problem.few = rounds * turns, there
        enactor = MovesEnactor(self.graph, problem=self.problem, max_iterations=max_iter, **options)
        enactor.run(Frontier.all_vertices())
        return enactor.iterations, enactor.stopped is not Stop.BUDGET

    def groups(self, community: Any) -> tuple[Any, int]:
        """As `numbered`, for the vertices of this level."""
        return numbered(self.graph, self.ids, community)

    def contracted(self, groups: Any, count: int, number: int, *, keep: bool = False) -> Level:
        """The next level, whose vertices are `count` groups of vertices.

        Each group begins as its own community or, with `keep`, in the current community of its vertices.
        """
        xp, community, graph = self.graph._device.xp, None, contracted(self.graph, groups, count)
        if keep:
            community = xp.zeros(graph.num_vertices, np.int32)
            community[groups[self.ids]] = self.groups(self.problem.community)[0][self.ids]
        ids = xp.arange(graph.num_vertices, dtype=np.int32)
        return Level(graph, ids, community, self.resolution, self._seed, number)


def numbered(graph: Graph, ids: Any, community: Any) -> tuple[Any, int]:
    """The community of each vertex, numbered from 0 in the order of the community ids, and the number of communities.

    A vertex that is not in `ids` gets an arbitrary community.
    """
    everyone = len(ids) == graph.num_vertices
    there = graph._device.full(graph.num_vertices, False, np.bool_)
    there[community if everyone else community[ids]] = True
    place = there.cumsum(dtype=np.int32)
    count = int(place[-1]) if len(place) else 0
    place -= 1
    found = place[community]
    return found if everyone else found.clip(0), count


def level_numbers(graph: Graph, max_levels: int) -> Iterable[int]:
    """1 to `max_levels`; in an estimate up to 3, because all levels are held in memory and later levels are small."""
    return chain(range(1, min(max_levels, 1) + 1), graph._device.rounds(range(2, max_levels + 1)))


def moved_down(level: Level, finer: list[tuple[Level, Any]], found: Found, max_iter: int, **options: Any) -> Level:
    """Move vertices until few gain, at `level` and then at the finer levels; return the finest level.

    `finer` holds the finer levels, the finest first. Each has the groups that its vertices became at the next level. At
    a finer level, a vertex begins in the community of its group.
    """
    found.count(*level.move(max_iter, **options))
    for below, groups in reversed(finer):
        below.begin(level.problem.community[groups])
        found.count(*below.move(max_iter, **options))
        level = below
    return level


class Found:
    """The levels found so far, as communities of the vertices of a graph.

    Parameters
    ----------
    graph : Graph
    ids, apart : int32 array
        The vertices that have edges, and the other vertices that were not deleted. Each of the latter is a community.
    """

    def __init__(self, graph: Graph, ids: Any, apart: Any) -> None:
        self.ids, self._graph, self._apart, self._steps, self._converged = ids, graph, apart, 0, True
        self._levels: list[tuple[Any, int]] = []

    def count(self, steps: int, converged: bool) -> None:
        """Add the steps of a level to the sum, and note whether it converged."""
        self._steps, self._converged = self._steps + steps, self._converged and converged

    def add(self, community: Any, count: int | None = None) -> None:
        """Add a level, as the communities of the vertices that have edges.

        Community numbers are below n; with `count`, they are exactly the numbers below `count`.
        """
        if count is None:
            community, count = numbered(self._graph, self.ids, community)
        label = community
        if len(self.ids) < self._graph.num_vertices:
            device, others = self._graph._device, len(self._apart)
            label = device.full(self._graph.num_vertices, -1, np.int32)
            label[self.ids] = community[self.ids]
            label[self._apart] = device.xp.arange(count, count + others, dtype=np.int32)
            count += others
        self._levels.append((label, count))

    def result(self, modularity: float) -> CommunitiesResult:
        """The result. Without levels, each vertex is its own community."""
        if not self._levels:
            self.add(self._graph._device.xp.arange(self._graph.num_vertices, dtype=np.int32))
        levels = tuple(label for label, _ in self._levels)
        return CommunitiesResult(levels[-1], self._levels[-1][1], modularity, levels, self._steps, self._converged)
