"""Connected communities of high modularity, by the Leiden method.

Traag, Waltman, van Eck, From Louvain to Leiden: Guaranteeing Well-Connected Communities (Scientific Reports 9, 2019).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.levels import CommunitiesResult, Found, Level, level_numbers, moved_down, per_resolution
from minigr.apps.leiden.connected import Connected
from minigr.apps.leiden.refine import refined
from minigr.generate.keys import stream_key
from minigr.graphs.checks import whole_number
from minigr.graphs.graph import Graph
from minigr.program.control import Driver
from minigr.program.executor import Progress


@takes_graph
def leiden(
    graph: Any,
    resolution: Any = 1.0,
    seed: int = 0,
    runs: int = 1,
    max_levels: int = 100,
    max_iter: int = 100_000,
    *,
    progress: Progress | None = None,
    driver: Driver = "auto",
) -> Any:
    """Connected communities of high modularity, by the Leiden method; a list for several resolutions.

    The method works as `louvain`, with one more step before communities become the vertices of a smaller graph: each
    community is split into its vertices, which merge again into connected parts. These parts are the vertices of the
    next level, which begins with the communities of the level before. As in `louvain`, vertices of all levels move
    again at the end. A community of several unconnected parts becomes one community for each part, which only increases
    modularity. All communities are therefore connected. The result depends only on the graph, `resolution` and `seed`,
    not on the device or the number of threads. A vertex merges into the part with the greatest gain; in the paper, the
    part is drawn at random.

    Directions are ignored, each parallel edge counts, and a self-loop counts twice for its vertex, as in `modularity`.
    Weights that are not whole numbers, or whose sum exceeds 2**47, are rounded to about a part in 2**47 of the sum. An
    edge of weight 0 also connects vertices of a community.

    A step visits the edges of the vertices whose turn it is and that had a change around them. Memory is 200 bytes for
    each vertex, plus the memory of `minigr.operators.reduce_by_key`, the graphs of all levels, and a copy of the arcs
    while parts become vertices. A directed or dynamic graph is copied first. Weights that are rounded are also copied
    first.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    resolution : float or sequence of float
        Greater values find more and smaller communities. For a sequence, the graph is prepared once.
    seed : int
        Seed of the random numbers.
    runs : int
        Maximum number of runs over all levels. Each run begins with the communities found so far. More runs find
        slightly higher modularity. The runs end early if a run finds no improvement.
    max_levels : int
        Maximum number of levels of a run.
    max_iter : int
        Maximum number of steps of the moves of a level.
    progress : callable, optional
        Called a few times a second with the number of finished steps of a level and the maximum number of steps.
    driver : {"auto", "fused", "graph", "host"}
        The driver of the loop, as for an `Enactor`. The driver changes only the speed.

    Returns
    -------
    CommunitiesResult
        Has `label`, `num_communities`, `modularity`, the labels of the `levels` that were better than all levels
        before, `iterations` and `converged`. For a sequence of resolutions, a list of results.

    Raises
    ------
    GraphError
        If an edge weight is negative or infinite, `seed` is not a whole number of 64 bits, `runs` is less than 1, or
        `max_levels` is not a whole number of at least 0.
    ProblemError
        If a resolution is negative or not finite, or `driver` is unknown.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], device="cpu")
    >>> result = mg.leiden(g)
    >>> result.label, round(result.modularity, 4)
    (array([0, 0, 0, 1, 1, 1], dtype=int32), 0.3571)
    """
    how: dict[str, Any] = {"progress": progress, "driver": driver}
    max_levels = whole_number(max_levels, "max_levels", 0, 2**31)
    runs, seed = whole_number(runs, "runs", 1, 2**31), whole_number(seed, "seed", -(2**63), 2**64 - 1)

    def find(rows: Graph, found: Found, each: float) -> CommunitiesResult:
        xp, best = rows._device.xp, math.nan
        label = xp.arange(rows.num_vertices, dtype=np.int32)
        for run in rows._device.rounds(range(runs)):
            level, finer = Level(rows, found.ids, label, each, stream_key(seed, run), 0), []
            best = best if run else level.modularity()
            before, vertex = best, xp.arange(rows.num_vertices, dtype=np.int32)  # the level's vertex of each vertex
            for number in level_numbers(rows, max_levels):
                found.count(*level.move_some(max_iter, **how))
                connected = Connected(level)
                parts = connected.parts(level.problem.community)
                modularity = connected.modularity(parts)
                if not modularity <= best:
                    best, label = modularity, parts[vertex]
                    found.add(label)
                groups, count = level.groups(refined(level, driver))
                if count == len(level.ids):
                    break
                finer.append((level, groups))
                level, vertex = level.contracted(groups, count, number, keep=True), groups[vertex]
            finest = moved_down(level, finer, found, max_iter, **how)
            connected = Connected(finest)
            parts = connected.parts(finest.problem.community)
            modularity = connected.modularity(parts)
            if modularity > best:
                best, label = modularity, parts
                found.add(label)
            if best <= before:
                break
        return found.result(best)

    return per_resolution(graph, resolution, "leiden", find)
