"""Maximal independent sets, by `minigr.maximal_independent_set`: see the function of the same name in NetworkX."""

from __future__ import annotations

from typing import Any

import numpy as np
from networkx.utils import create_py_random_state

import minigr as mg
from minigr.device import CPU
from minigr.networkx.refusal import CannotAnswer


def maximal_independent_set(G, nodes=None, seed=None) -> list[Any]:
    graph = G.graph()
    if len(G) == 0 or graph.num_self_loops:
        raise CannotAnswer("the graph has no nodes, or has self-loops")
    drawn = create_py_random_state(seed).getrandbits(63)  # Python's own state, so that random.seed() decides
    return G.labels(np.flatnonzero(CPU.asarray(mg.maximal_independent_set(graph, drawn).member)))
