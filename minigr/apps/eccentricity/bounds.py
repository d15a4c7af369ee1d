"""Bounds of the eccentricities of an undirected graph, which searches from few vertices tighten.

Takes, Kosters, Computing the Eccentricity Distribution of Large Graphs (Algorithms 6, 2013): if a vertex has
eccentricity e, a vertex d hops away has an eccentricity of at least d and e - d, and at most e + d. Searches alternate
between a vertex with the greatest upper bound and a vertex with the least lower bound, and prefer vertices of high
degree. The first searches are from one vertex of each connected component at the same time. Later searches are from 64
vertices together. Each of these improves bounds less, but all together take far less time than 64 single searches.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from minigr.apps.common.hops import HopsEnactor
from minigr.apps.components import connected_components
from minigr.apps.eccentricity.tighten import (
    MOST,
    BoundsProblem,
    Choose,
    ManyProblem,
    Measure,
    Tighten,
    TightenByMany,
    eccentricities,
)
from minigr.apps.multi_source_bfs import TOGETHER
from minigr.operators.calls import compute, filter
from minigr.program.control import Driver
from minigr.program.executor import Progress
from minigr.program.frontier import Frontier

_ALONE, _ALONE_FOR_DIAMETER = 8, 64  # the number of searches from one vertex of each component


class Bounds:
    """Bounds of the eccentricities of an undirected graph.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    driver : str
    only_diameter : bool
        Whether only the diameter is needed. Then a vertex is closed if its upper bound is not above the greatest
        distance found so far.

    Attributes
    ----------
    problem : BoundsProblem
        The problem with the bounds `lower` and `upper`.
    open : Frontier
        The vertices whose bounds differ, except vertices that do not affect the diameter if only it is needed.
    least : int
        The greatest number of hops between two vertices that searches have found.
    ends : tuple of ints, or None
        Two vertices that are `least` hops apart; None before the first search.
    searches : int
        The number of searches, each from one vertex of each component or from many vertices.
    """

    def __init__(self, graph: Any, driver: Driver, *, only_diameter: bool) -> None:
        xp, n = graph._device.xp, graph.num_vertices
        place = xp.empty(n, np.int32)
        place[xp.argsort(graph.degree(), kind="stable")] = xp.arange(n, dtype=np.int32)
        label = connected_components(graph, driver=driver).label
        self._hops, self._driver, self._only_diameter = HopsEnactor(graph, driver=driver), driver, only_diameter
        self.problem = BoundsProblem(graph, place=place, label=label, depth=self._hops.problem.depth)
        self.open = Frontier.all_vertices().listed_on(graph)
        self.ends: tuple[int, int] | None = None
        self.least, self.searches = 0, 0

    def tighten(self, most: int | None, progress: Progress | None) -> None:
        """Search until no vertex is open, or `most` times."""
        rounds, there = self.problem.device.rounds, self.problem.graph.num_live_vertices
        alone = range(_ALONE_FOR_DIAMETER if self._only_diameter else _ALONE)
        for search, times in ((self._search, alone), (self._search_from_many, count())):
            for _ in rounds(times):
                if not len(self.open) or self.searches == most:
                    return
                search()
                if progress is not None:
                    progress(there - len(self.open), there)

    def _search(self) -> None:
        """Search from the first open vertex of each component."""
        problem, hops = self.problem, self._hops
        problem.by_lower = self.searches % 2
        problem.best, problem.far = -1, 0
        compute(problem, self.open, Choose)
        roots = filter(problem, self.open, Choose).ids
        hops.run(roots)
        problem.first = hops.problem.first - len(hops.levels)
        compute(problem, Frontier.all_vertices(), Measure)
        compute(problem, self.open, Tighten)
        farthest = int(problem.depth.argmax())
        root = roots[problem.label[roots] == problem.label[farthest]]
        self._close(int(problem.depth[farthest]) - int(problem.first), int(root[0]), farthest)

    def _search_from_many(self) -> None:
        """Search from many open vertices at a time."""
        problem, xp, vertices = self.problem, self.problem.device.xp, self.open.ids
        by_lower = self.searches % 2
        bound = MOST - problem.lower[vertices] if by_lower else problem.upper[vertices]
        order = xp.argsort(-(bound.astype(np.int64) << 32 | problem.place[vertices]))
        some = problem.device.numbers(vertices[order[:TOGETHER]])
        found = eccentricities(problem.graph, some, self._driver)
        each = {name: getattr(found, name) for name in ("depth", "most", "vertices", "searches")}
        compute(ManyProblem(problem.graph, lower=problem.lower, upper=problem.upper, **each), self.open, TightenByMany)
        search, farthest = divmod(int(found.depth.argmax()), problem.graph.num_vertices)
        self._close(int(found.most.max()), some[search], farthest)

    def _close(self, hops: int, root: int, farthest: int) -> None:
        """Note two vertices that are `hops` hops apart, and remove vertices from `open` whose bounds are sufficient."""
        self.searches += 1
        if self.ends is None or hops > self.least:
            self.least, self.ends = hops, (root, farthest)
        if self._only_diameter:
            self.problem.enough = self.least
        self.open = filter(self.problem, self.open, Tighten)
