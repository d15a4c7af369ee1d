"""A breadth-first forest: a search by hops from the least vertex of each connected component."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.bfs import BFSEnactor, BFSProblem
from minigr.apps.components import connected_components
from minigr.program.control import Driver


def breadth_first_forest(graph: Any, driver: Driver) -> BFSProblem:
    """The depth and the parent of each vertex of an undirected graph.

    Roots have depth 0 and parent -1; both are -1 for deleted vertices. Takes the steps and the work of a search and of
    `connected_components`.
    """
    ids = graph._device.xp.arange(graph.num_vertices, dtype=np.int32)
    least = connected_components(graph, driver=driver).label == ids
    roots = ids[graph._device.expect(least, len(ids) // 8)]
    search = BFSEnactor(graph, driver=driver)
    search.run(roots)
    return search.problem
