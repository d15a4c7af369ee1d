"""Communities of high modularity by the Louvain method: local moves, then local moves with communities as vertices.

Blondel, Guillaume, Lambiotte, Lefebvre, Fast Unfolding of Communities in Large Networks (Journal of Statistical
Mechanics, 2008); with a resolution as in Reichardt, Bornholdt, Statistical Mechanics of Community Detection (Physical
Review E 74, 2006). At the end, the vertices of all levels move again, from the coarsest level to the finest: Rotta,
Noack, Multilevel Local Search Algorithms for Modularity Clustering (Journal of Experimental Algorithmics 16, 2011).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.checks import require_numbers, takes_graph
from minigr.apps.common.levels import CommunitiesResult, Found, Level, level_numbers, moved_down, per_resolution
from minigr.graphs.checks import whole_number
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
    """Communities of high modularity, by the Louvain method; a list for several resolutions.

    Each vertex begins as its own community, and moves to the neighboring community with the greatest gain of
    modularity. The communities then become the vertices of a smaller graph (`Graph.contract`). These steps repeat while
    a level has more modularity than the level before. The moves of a level end when few vertices move. At the end,
    vertices move again at each level, from the coarsest level to the finest level, until few vertices gain. Vertices
    take turns, which are drawn with `seed`; the vertices of one turn move at the same time. Gains are computed in whole
    numbers, so the result depends only on the graph, `resolution` and `seed`, not on the device or the number of
    threads. A community may consist of several unconnected parts; `leiden` finds only connected communities.

    Directions are ignored, each parallel edge counts, and a self-loop counts twice for its vertex, as in `modularity`.
    Weights that are not whole numbers, or whose sum exceeds 2**47, are rounded to about a part in 2**47 of the sum.

    A step visits the edges of the vertices whose turn it is and that had a change around them. In practice, a level
    takes a few passes over its edges. Memory is 90 bytes for each vertex, plus the memory of
    `minigr.operators.reduce_by_key`, the graphs of all levels, and a copy of the arcs while communities become
    vertices. A directed or dynamic graph is copied first. Weights that are rounded are also copied first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    resolution : float or sequence of float
        Greater values find more and smaller communities. For a sequence, the graph is prepared once.
    seed : int
        Seed of the random numbers.
    tol : float
        The levels end when a level increases the modularity by no more than `tol`.
    max_levels : int
        Maximum number of levels.
    max_iter : int
        Maximum number of steps of the moves of a level.
    progress : callable, optional
        Called a few times a second with the number of finished steps of a level and the maximum number of steps.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Returns
    -------
    CommunitiesResult
        Has `label`, `num_communities`, `modularity`, the labels of all `levels`, `iterations` and `converged`. For a
        sequence of resolutions, a list of results.

    Raises
    ------
    GraphError
        If an edge weight is negative or infinite, `seed` is not a whole number of 64 bits, or `max_levels` is not a
        whole number of at least 0.
    ProblemError
        If a resolution is negative or not finite, or `driver` is unknown.

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
    require_numbers("louvain", tol=tol)
    max_levels = whole_number(max_levels, "max_levels", 0, 2**31)
    how: dict[str, Any] = {"progress": progress, "driver": driver}

    def find(rows: Graph, found: Found, each: float) -> CommunitiesResult:
        level = Level(rows, found.ids, None, each, seed, 0)
        best, label = level.modularity(), rows._device.xp.arange(rows.num_vertices, dtype=np.int32)
        finer: list[tuple[Level, Any]] = []
        for number in level_numbers(rows, max_levels):
            found.count(*level.move_some(max_iter, until_few=True, **how))
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
