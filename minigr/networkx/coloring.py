"""Greedy coloring, by `minigr.coloring`: see the function of the same name in NetworkX."""

from __future__ import annotations

from typing import Any

import numpy as np
from networkx.utils import create_py_random_state

import minigr as mg
from minigr.device import CPU


def greedy_color(G, strategy="largest_first", interchange=False) -> dict[Any, int]:
    graph = G.graph()
    if strategy == "largest_first":
        order = np.argsort(-_degrees(graph), kind="stable")
    else:
        places = list(range(len(G)))
        create_py_random_state(None).shuffle(places)  # Python's own state, as in NetworkX
        order = np.array(places, np.int64)
    color = CPU.asarray(mg.coloring(graph, order).color)
    return dict(zip(G.labels(order), color[order].tolist(), strict=True))


def _degrees(graph: Any) -> Any:
    """Degrees as NetworkX counts them, where a self-loop has two ends."""
    offsets, neighbors = CPU.asarray(graph.offsets), CPU.asarray(graph.indices)
    vertex = np.repeat(np.arange(graph.num_vertices), np.diff(offsets))
    return np.diff(offsets) + np.bincount(vertex[neighbors == vertex], minlength=graph.num_vertices)
