"""Label propagation in turns: nodes of one color after nodes of another color; ties go to the greatest label.

Cordasco, Gargano, Community Detection via Semi-Synchronous Label Propagation Algorithms (BASNA 2010). NetworkX's result
depends only on the order of nodes, so one thread takes the same turns here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.jit.kernel import entry, kernel


def spread_in_turns(graph: Any, color: Any) -> Any:
    """The label of each vertex of a `ConvertedGraph` when no vertex changes its label any more; int64[n].

    `color` has a color for each vertex, from 0; neighbors have different colors.
    """
    label = np.arange(len(graph))
    turns = np.argsort(color, kind="stable")
    _spread(graph.offsets, graph.targets, turns, label, np.zeros(len(graph), np.int64))
    return label


@kernel
def _wish(v, offsets, targets, label, count):
    """The most frequent label of the neighbors: of several, the own label or else the greatest; `count` is 0."""
    most, wish = 0, label[v]
    for e in range(offsets[v], offsets[v + 1]):
        count[label[targets[e]]] += 1
    for e in range(offsets[v], offsets[v + 1]):
        most = max(most, count[label[targets[e]]])
    if count[wish] < most:
        wish = -1
        for e in range(offsets[v], offsets[v + 1]):
            if count[label[targets[e]]] == most:
                wish = max(wish, label[targets[e]])
    for e in range(offsets[v], offsets[v + 1]):
        count[label[targets[e]]] = 0
    return wish


@entry
def _spread(offsets, targets, turns, label, count):
    while True:
        rest = True
        for v in range(label.size):
            if _wish(v, offsets, targets, label, count) != label[v]:
                rest = False
                break
        if rest:
            return
        for i in range(turns.size):
            v = turns[i]
            label[v] = _wish(v, offsets, targets, label, count)
