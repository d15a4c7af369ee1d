"""How far a batch moves the fixed point of PageRank away from ranks that are left as they are.

An iteration makes of ranks x those of F(x) = a x P + (1 - a) j, where a is the damping, j the distribution of jumps,
and row u of P says where a walk goes from vertex u: along its edges in proportion to their weights, or as j where there
are none. || || are sums of magnitudes (L1 norms). Rows of P sum to 1, so ||z P|| <= ||z||. Of y = F(x) this tells

    ||F(y) - y|| = a ||(y - x) P|| <= a ||y - x||:

an iteration leaves at most a times what it changed of the residual. A batch makes Q of P and G of F, and

    ||G(x) - x|| <= ||F(x) - x|| + a ||x (Q - P)|| <= ||F(x) - x|| + a sum over u of x[u] ||Q[u] - P[u]||,

where only those vertices count whose out-edges changed. Let these weigh W altogether before the batch and V after it,
and S be the sum of what each of them gained or lost. Then

    ||Q[u] - P[u]|| <= (S + |V - W|) / max(W, V),

as is seen by changing first the edges and then the divisor, or the other way round. If edges were only inserted, or
only deleted, S is |V - W|. Then W and V are enough, which are degrees where there are no weights. If one of the two is
0, 2 is a bound, as it is for any two rows that sum to 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.pagerank.transition import weigh_again
from minigr.jit.atomics import atomic_add, atomic_exch
from minigr.primitives import transform
from minigr.program.frontier import Frontier

_TICKS = 2.0**58  # of rank 1: whole numbers sum to the same in any order. What is summed stays far below 32
_ROUNDING = 2.0**-50  # of a quotient, and more than that


def _add_ticks(drift, rank, share):
    atomic_add(drift, 0, int(rank * (share + _ROUNDING) * _TICKS) + 1)


def _take(drift, vertex, new, rank, chance, times):
    """Make `new` the chance of a vertex, and add how far that may move its rank: once, whoever else does the same.

    `times` is how often it counts by how much its weight changed: twice where its edges changed by as much.
    """
    old = atomic_exch(chance, vertex, new)
    if old != new:
        least = min(old, new)
        _add_ticks(drift, rank[vertex], times * (1.0 - least / max(old, new)) if least > 0.0 else 2.0)


def _count(i, src, degrees, rank, chance, drift):
    """Arcs came to the tail of arc i of the batch, or went from there."""
    degree = degrees[src[i]]
    _take(drift, src[i], 1.0 / degree if degree > 0 else 0.0, rank, chance, 2.0)


def _weigh(i, src, fresh, rank, chance, drift, times):
    """The tail of arc i has the chance `fresh` now."""
    _take(drift, src[i], fresh[src[i]], rank, chance, times)


def _weigh_arc(i, src, weight, before, fresh, rank, chance, drift):
    """Arc i of the batch may have another weight than before."""
    gained = abs(max(weight[i], 0.0) - max(before[i], 0.0))
    if gained > 0.0:
        _add_ticks(drift, rank[src[i]], gained * min(chance[src[i]], fresh[src[i]]))


class Drift:
    """An upper bound of how much the residual grew by batches, before damping.

    Parameters
    ----------
    graph : DynamicGraph
    rank : float64[n]
    chance : float64[n]
        See `minigr.apps.pagerank.transition.chance_per_weight`. Kept up to date by `follow`.
    """

    def __init__(self, graph: Any, rank: Any, chance: Any) -> None:
        self._graph, self._xp = graph, graph._device.xp
        self._drift = graph._device.full(1, 0, np.int64)
        self._fields = {"rank": rank, "chance": chance, "drift": self._drift}

    def forget(self) -> None:
        """Begin at 0 again."""
        self._drift[:] = 0

    def follow(self, changes: Changes) -> float:
        """Add what a batch does, which the graph has taken; the bound for all since `forget`.

        Takes O(batch) work and, where there are weights, that of a look at the out-edges of the vertices in it.
        """
        graph, fields, src = self._graph, self._fields, changes.src
        if not graph.weighted:
            transform(_count, count=len(src), src=src, degrees=graph.out_edges.degrees, **fields)
        elif changes.deleted:
            transform(_weigh, count=len(src), src=src, fresh=self._fresh_chance(src), times=2.0, **fields)
        else:
            src, weight, before = self._once(changes)
            fields = {**fields, "src": src, "fresh": self._fresh_chance(src)}
            transform(_weigh_arc, count=len(src), weight=weight, before=before, **fields)
            transform(_weigh, count=len(src), times=1.0, **fields)
        return self._graph._device.number(self._drift) / _TICKS

    def _fresh_chance(self, src: Any) -> Any:
        """An array with the chances that these vertices have now."""
        fresh = self._graph._device.empty(self._graph.num_vertices, np.float64)
        weigh_again(self._graph, fresh, Frontier("vertices", ids=self._xp.unique(src), distinct=True))
        return fresh

    def _once(self, changes: Changes) -> tuple[Any, Any, Any]:
        """The tails of a batch's arcs, and what they weigh and weighed: each arc once, of which it may have several."""
        pairs = changes.src.astype(np.int64) << 32 | changes.dst
        _, first = self._xp.unique(pairs, return_index=True)
        return changes.src[first], changes.weight[first], changes.before[first]
