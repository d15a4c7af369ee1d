"""Communities, by `minigr.label_propagation`: see the functions of the same names in NetworkX."""

from __future__ import annotations

from collections.abc import Iterator, ValuesView
from typing import Any

from networkx.utils import create_py_random_state

import minigr as mg
from minigr.device import CPU
from minigr.networkx.coloring import greedy_colors, largest_first
from minigr.networkx.graph import ConvertedGraph, nonnegative
from minigr.networkx.refusal import CannotAnswer


def _spread(G: ConvertedGraph, weight: Any, seed: Any) -> Iterator[set[Any]]:
    """Communities in which no label is more frequent around a node than the label of the node."""
    graph = nonnegative(G.graph(weight))
    drawn = create_py_random_state(seed).getrandbits(63)  # Python's own state, so that random.seed() decides
    found = mg.label_propagation(graph, drawn)
    if not found.converged:
        raise CannotAnswer("labels didn't come to rest")
    return G.groups(CPU.asarray(found.label))


def asyn_lpa_communities(G, weight=None, seed=None) -> Iterator[set[Any]]:
    return _spread(G, weight, seed)


def fast_label_propagation_communities(G, *, weight=None, seed=None) -> Iterator[set[Any]]:
    return _spread(G, weight, seed)


def label_propagation_communities(G) -> ValuesView[set[Any]]:
    from minigr.networkx.semi_synchronous import spread_in_turns  # with Numba

    label = spread_in_turns(G, greedy_colors(G, largest_first(G)))
    return dict(enumerate(G.groups(label))).values()
