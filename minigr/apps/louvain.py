"""Communities of high modularity by Louvain's method: local moves, then the same over communities as vertices.

Blondel, Guillaume, Lambiotte, Lefebvre, Fast Unfolding of Communities in Large Networks (Journal of Statistical
Mechanics, 2008); with a resolution as in Reichardt, Bornholdt, Statistical Mechanics of Community Detection (Physical
Review E 74, 2006). At last vertices of all levels move again, from the coarsest level to the finest one: Rotta, Noack,
Multilevel Local Search Algorithms for Modularity Clustering (Journal of Experimental Algorithmics 16, 2011).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.levels import CommunitiesResult, Found, Level, level_numbers, moved_down, per_resolution
from minigr.graphs.graph import Graph
from minigr.program.control import Driver
from minigr.program.executor import Progress


@takes_graph
def louvain(
    graph: Any,
    resolution: Any = 1.0,
    seed: int = 0,
    tol: float = 1e-7,
    max_levels: int = 100,
    max_iter: int = 100_000,
    *,
    progress: Progress | None = None,
    driver: Driver = "auto",
) -> Any:
    """Communities of high modularity, by Louvain's method; for several resolutions a list.

    Each vertex begins as a community of its own, and moves to that around it where modularity gains most. Then
    communities become the vertices of a smaller graph (`Graph.contract`), and so on, as long as a level has more
    modularity than the one before. The moves of a level end when few vertices move. At last vertices move again at each
    level, from the coarsest one to the finest one, until few vertices gain. Vertices take turns, which are drawn by
    `seed`; those of one turn move at once. Gains are computed in whole numbers, so the result depends on the graph,
    `resolution` and `seed` alone, whatever the device and the number of threads. A community may be in several parts:
    `leiden` finds none of these.

    Directions are no matter, parallel edges count each, and a self-loop counts for its vertex twice, as for
    `modularity`. Weights that are no whole numbers, or whose sum exceeds 2**47, are rounded to about a part in 2**47 of
    the sum.

    A step looks at the edges of vertices whose turn it is, if they had a change around them; in practice a level takes
    a few passes over its edges. Takes 90 bytes of memory for each vertex, what `minigr.operators.reduce_by_key` takes,
    the graphs of all levels, and a copy of the arcs while communities become vertices. A directed or dynamic graph is
    copied first, and so are weights that are rounded.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    resolution : float, or a sequence of these
        Greater ones find more and smaller communities. For a sequence the graph is prepared once.
    seed : int
        Of the random numbers.
    tol : float
        Stop when a level has no more modularity than this above the one before.
    max_levels : int
        Stop after so many levels.
    max_iter : int
        End the moves of a level after so many steps.
    progress : callable, optional
        Called a few times a second with how many steps of a level are done, and of how many at most.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Returns
    -------
    CommunitiesResult
        With `label`, `num_communities`, `modularity`, the labels of all `levels`, `iterations` and `converged`. For a
        sequence of resolutions a list of these.

    Raises
    ------
    GraphError
        For a negative or infinite edge weight; if `seed` is not a whole number of 64 bits.
    ProblemError
        For a resolution that is negative or not finite, or an unknown driver.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], device="cpu")
    >>> result = mg.louvain(g)
    >>> result.label, round(result.modularity, 4)
    (array([0, 0, 0, 1, 1, 1], dtype=int32), 0.3571)
    >>> [each.num_communities for each in mg.louvain(g, [0.0, 1.0, 4.0])]
    [1, 2, 6]
    """

    how: dict[str, Any] = {"progress": progress, "driver": driver}

    def find(rows: Graph, ids: Any, each: float) -> CommunitiesResult:
        level, found = Level(rows, ids, None, each, seed, 0), Found(rows, ids)
        best, label = level.modularity(), rows._device.xp.arange(rows.num_vertices, dtype=np.int32)
        finer: list[tuple[Level, Any]] = []
        for number in level_numbers(rows, max_levels):
            found.count(level.move_some(max_iter, until_few=True, **how))
            groups, count = level.groups(level.problem.community)
            if count == len(level.ids):
                break
            coarser = level.contracted(groups, count, number)
            modularity = coarser.modularity()
            if modularity - best <= tol:
                break
            finer.append((level, groups))
            level, best, label = coarser, modularity, groups[label]
            found.add(label, count)
        level.begin(None)
        finest = moved_down(level, finer, found, max_iter, **how)
        modularity = finest.modularity()
        if modularity > best:
            best = modularity
            found.add(finest.problem.community)
        return found.result(best)

    return per_resolution(graph, resolution, "louvain", find)
