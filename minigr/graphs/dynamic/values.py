"""Values of one's own that arcs keep through updates: an array with an element, or a row, for each lane of the slabs.

Updates move keys to other lanes: a vertex is given more buckets, or a graph is hashed afresh. The ends of an arc tell
where it stands, so values are taken by arcs before keys are moved, and put back by arcs after it. Only arcs that are
moved are looked for, and only if a graph has such values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigr.graphs.backend import scope
from minigr.graphs.dynamic.layout import CHANGED, LANES
from minigr.graphs.dynamic.storage import Slabs, starts
from minigr.graphs.dynamic.transaction import Transaction


class EdgeValues:
    """Values of the out-edges of a graph, which are there as long as this object is.

    Parameters
    ----------
    graph : DynamicGraph
    dtype : dtype
    fill : scalar
        The value of an arc that is new.
    columns : int
        Elements of a row; 0 for an element for each arc.

    Raises
    ------
    OutOfMemoryError
    """

    def __init__(self, graph: Any, dtype: Any, fill: Any, columns: int) -> None:
        self._graph, self.dtype, self.fill, self.columns = graph, dtype, fill, columns
        with scope(graph._device):
            self.make(graph._out)

    @property
    def array(self) -> Any:
        """The values by the ids of edges, [ids] or [ids, columns], until the next update; not a copy."""
        slabs = self._graph._out
        return slabs.values[self][: LANES * slabs.bump]

    def make(self, slabs: Slabs) -> None:
        """Give all lanes the fill."""
        array = slabs.allocator.full(len(slabs.pool) * max(self.columns, 1), self.fill, self.dtype)
        slabs.values[self] = array.reshape(-1, self.columns) if self.columns else array


@dataclass
class Carried:
    """Values on their way to other lanes, and the arcs that they belong to."""

    owners: Any
    keys: Any
    values: dict[EdgeValues, Any]

    def put(self, slabs: Slabs) -> None:
        """Put them where the arcs stand now."""
        lanes = slabs.kernels.find(slabs, self.owners, self.keys, True)[1]
        for key, values in self.values.items():
            slabs.values[key][lanes] = values

    def put_in_new(self, slabs: Slabs) -> None:
        """Put them into slabs that hold the same arcs and have no values yet."""
        for key in self.values:
            key.make(slabs)
        self.put(slabs)


def take(slabs: Slabs, vertices: Any = None) -> Carried | None:
    """The values of the arcs of `vertices` (None: of all), before keys are moved; None if there are no values."""
    if not slabs.values:
        return None
    firsts, _ = slabs.chains(vertices)
    lives, _, _ = slabs.kernels.measure(slabs, firsts, False)
    owners, keys, _ = slabs.kernels.read(slabs, firsts, *starts(slabs.device.xp, lives), False)
    lanes = slabs.kernels.find(slabs, owners, keys, True)[1]
    # The memory of the lanes is free again when those after the move are looked for, which must not fail.
    return Carried(owners, keys, {key: array[lanes] for key, array in slabs.values.items()})


def fill_new(slabs: Slabs, batch: Any, transaction: Transaction) -> None:
    """Give the arcs that an insertion made the fill, until the transaction is undone."""
    if not slabs.values:
        return
    lanes = batch.slots[batch.states == CHANGED]
    for key, array in slabs.values.items():
        transaction.on_undo(_put_back, array, lanes, array[lanes])
        array[lanes] = key.fill


def _put_back(array: Any, lanes: Any, values: Any) -> None:
    array[lanes] = values
