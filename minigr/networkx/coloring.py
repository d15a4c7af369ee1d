"""Greedy coloring, by `minigr.coloring`: see the function of the same name in NetworkX."""

from __future__ import annotations

from typing import Any

import numpy as np
from networkx.utils import create_py_random_state

import minigr as mg
from minigr.device import CPU
from minigr.networkx.degrees import degrees
from minigr.networkx.graph import ConvertedGraph


def largest_first(G: ConvertedGraph) -> Any:
    """The places by decreasing degree; places of equal degree keep their order."""
    return np.argsort(-degrees(G, inward=True, outward=True), kind="stable")


def greedy_colors(G: ConvertedGraph, order: Any) -> Any:
    """The least color that no neighbor has, for each place in `order`; int32[n]."""
    return CPU.asarray(mg.coloring(G.graph(), order).color)


def greedy_color(G, strategy="largest_first", interchange=False) -> dict[Any, int]:
    if strategy == "largest_first":
        order = largest_first(G)
    else:
        places = list(range(len(G)))
        create_py_random_state(None).shuffle(places)  # Python's own state, as in NetworkX
        order = np.array(places, np.int64)
    return dict(zip(G.labels(order), greedy_colors(G, order)[order].tolist(), strict=True))
