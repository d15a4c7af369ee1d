"""An upper bound of how much a batch adds to the residual of PageRank, if ranks are left as they are.

An iteration turns ranks x into F(x) = a x P + (1 - a) j. Here a is the damping, and j the distribution of jumps. Row u
of P is the distribution of the next vertex of a walk at vertex u: the walk follows an edge of u with a probability in
proportion to its weight, or jumps according to j if u has no out-edges. || || is the sum of magnitudes (L1 norm). Rows
of P sum to 1, so ||z P|| <= ||z||. For y = F(x) it follows that

    ||F(y) - y|| = a ||(y - x) P|| <= a ||y - x||:

so after an iteration, the residual is at most a times the change that the iteration made. A batch turns P into Q and F
into G, and

    ||G(x) - x|| <= ||F(x) - x|| + a ||x (Q - P)|| <= ||F(x) - x|| + a sum over u of x[u] ||Q[u] - P[u]||,

where only vertices u count whose out-edges changed. Let W be the sum of the weights of the out-edges of u before the
batch, V the sum after the batch, and S the sum of the magnitudes by which the weight of each out-edge changed. Then

    ||Q[u] - P[u]|| <= (S + |V - W|) / max(W, V),

which follows from changing the edges first and the divisor second, or the divisor first. If edges were only inserted,
or only deleted, S is |V - W|, so the bound needs only W and V. In a graph without weights, W and V are degrees. If W or
V is 0, the bound is 2, because 2 is a bound for any two rows that sum to 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.pagerank.transition import weigh_again
from minigr.jit.atomics import atomic_add, atomic_exch
from minigr.primitives import transform
from minigr.program.frontier import Frontier

_TICKS = 2.0**58  # ticks of rank 1. Sums of integers do not depend on the order; the sum stays far below rank 32
_ROUNDING = 2.0**-50  # more than the rounding error of a quotient


def _add_ticks(drift, rank, share):
    atomic_add(drift, 0, int(rank * (share + _ROUNDING) * _TICKS) + 1)


def _take(drift, vertex, new, rank, chance, times):
    """Set the chance of a vertex to `new`, and add a bound of what the new chance adds to the residual.

    If several threads do this for one vertex, only the first adds the bound. `times` says how often |V - W| counts: 2.0
    if S is |V - W| too, and 1.0 if S is added separately.
    """
    old = atomic_exch(chance, vertex, new)
    if old != new:
        least = min(old, new)
        _add_ticks(drift, rank[vertex], times * (1.0 - least / max(old, new)) if least > 0.0 else 2.0)


def _count(i, src, degrees, rank, chance, drift):
    """Take the new degree of the tail of arc i of the batch."""
    degree = degrees[src[i]]
    _take(drift, src[i], 1.0 / degree if degree > 0 else 0.0, rank, chance, 2.0)


def _weigh(i, src, fresh, rank, chance, drift, times):
    """Take the new chance of the tail of arc i, which is in `fresh`."""
    _take(drift, src[i], fresh[src[i]], rank, chance, times)


def _weigh_arc(i, src, weight, before, fresh, rank, chance, drift):
    """Add the change of the weight of arc i of the batch, which is a part of S."""
    gained = abs(max(weight[i], 0.0) - max(before[i], 0.0))
    if gained > 0.0:
        _add_ticks(drift, rank[src[i]], gained * min(chance[src[i]], fresh[src[i]]))


class Drift:
    """An upper bound of how much batches have added to the residual, before damping.

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
        """Add the bound for a batch that the graph has applied; return the bound for all batches since `forget`.

        Takes O(batch) work. In a weighted graph, the out-edges of the tails in the batch are read as well.
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
        """float64[n]: the current chances of the vertices `src`; other elements are not set."""
        fresh = self._graph._device.empty(self._graph.num_vertices, np.float64)
        weigh_again(self._graph, fresh, Frontier("vertices", ids=self._xp.unique(src), distinct=True))
        return fresh

    def _once(self, changes: Changes) -> tuple[Any, Any, Any]:
        """The tails of a batch's arcs and their weights after and before the batch, without repeated arcs."""
        pairs = changes.src.astype(np.int64) << 32 | changes.dst
        _, first = self._xp.unique(pairs, return_index=True)
        return changes.src[first], changes.weight[first], changes.before[first]
