"""Communities of high modularity that are connected, by Leiden's method.

Traag, Waltman, van Eck, From Louvain to Leiden: Guaranteeing Well-Connected Communities (Scientific Reports 9, 2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.checks import takes_graph
from minigr.apps.common.levels import CommunitiesResult, Found, Level, level_numbers, moved_down, per_resolution
from minigr.apps.leiden.connected import Connected
from minigr.apps.leiden.refine import refined
from minigr.generate.finish import whole_number
from minigr.generate.keys import stream_key
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
    """Communities of high modularity that are connected, by Leiden's method; for several resolutions a list.

    As `louvain`, but before communities become the vertices of a smaller graph, each is taken apart and its vertices
    merge again, into parts that are connected. These parts are the vertices of the next level, which begins with the
    communities that there were. As in `louvain`, vertices of all levels move again at last. A community that is in
    several parts becomes one for each part, which only adds modularity. So all communities are connected. The
    result depends on the graph, `resolution` and `seed` alone, whatever the device and the number of threads. Among the
    parts that a vertex may merge into, the one is taken that gains most; the paper has it drawn at random.

    Directions are no matter, parallel edges count each, and a self-loop counts for its vertex twice, as for
    `modularity`. Weights that are no whole numbers, or whose sum exceeds 2**47, are rounded to about a part in 2**47 of
    the sum. An edge of weight 0 connects communities too.

    A step looks at the edges of vertices whose turn it is, if they had a change around them. Takes 200 bytes of memory
    for each vertex, what `minigr.operators.reduce_by_key` takes, the graphs of all levels, and a copy of the arcs while
    parts become vertices. A directed or dynamic graph is copied first, and so are weights that are rounded.

    Parameters
    ----------
    graph : Graph or DynamicGraph
    resolution : float, or a sequence of these
        Greater ones find more and smaller communities. For a sequence the graph is prepared once.
    seed : int
        Of the random numbers.
    runs : int
        How often all levels are gone through, each time from the communities that there were. More runs find a little
        more modularity. There are fewer where a run finds nothing better.
    max_levels : int
        Stop a run after so many levels.
    max_iter : int
        End the moves of a level after so many steps.
    progress : callable, optional
        Called a few times a second with how many steps of a level are done, and of how many at most.
    driver : {"auto", "fused", "graph", "host"}
        Who runs the loop, as for an `Enactor`. It changes the speed only.

    Returns
    -------
    CommunitiesResult
        With `label`, `num_communities`, `modularity`, the labels of those `levels` that were better than all before,
        `iterations` and `converged`. For a sequence of resolutions a list of these.

    Raises
    ------
    GraphError
        For a negative or infinite edge weight; if `seed` is not a whole number of 64 bits, or `runs` is less than 1.
    ProblemError
        For a resolution that is negative or not finite, or an unknown driver.

    Examples
    --------
    >>> import minigr as mg
    >>> g = mg.Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], device="cpu")
    >>> result = mg.leiden(g)
    >>> result.label, round(result.modularity, 4)
    (array([0, 0, 0, 1, 1, 1], dtype=int32), 0.3571)
    """
    how: dict[str, Any] = {"progress": progress, "driver": driver}
    runs, seed = whole_number(runs, "runs", 1, 2**31), whole_number(seed, "seed", -(2**63), 2**64 - 1)

    def find(rows: Graph, ids: Any, each: float) -> CommunitiesResult:
        xp, connected, found = rows._device.xp, Connected(rows, each), Found(rows, ids)
        label = xp.arange(rows.num_vertices, dtype=np.int32)
        best = connected.modularity(label)
        for run in rows._device.rounds(range(runs)):
            before, vertex = best, xp.arange(rows.num_vertices, dtype=np.int32)  # of the level, for each of the graph
            level, finer = Level(rows, ids, label, each, stream_key(seed, run), 0), []
            for number in level_numbers(rows, max_levels):
                found.count(level.move_some(max_iter, **how))
                here = Connected(level.graph, each)
                parts = here.parts(level.problem.community)
                modularity = here.modularity(parts)
                if not modularity <= best:
                    best, label = modularity, parts[vertex]
                    found.add(label)
                groups, count = level.groups(refined(level, driver))
                if count == len(level.ids):
                    break
                finer.append((level, groups))
                level, vertex = level.contracted(groups, count, number, keep=True), groups[vertex]
            finest = moved_down(level, finer, found, max_iter, **how)
            parts = connected.parts(finest.problem.community)
            modularity = connected.modularity(parts)
            if modularity > best:
                best, label = modularity, parts
                found.add(label)
            if best <= before:
                break
        return found.result(best)

    return per_resolution(graph, resolution, "leiden", find)
