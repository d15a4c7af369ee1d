"""Values of users that arcs keep through updates: arrays with an element or a row for each lane of the slabs.

Updates move keys to other lanes, when a vertex gets more buckets or a graph is rehashed. The ends of an arc determine
its lane. So values are read by arc before keys are moved, and written back by arc afterwards. Only arcs that are moved
are searched for, and only if a graph has such values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minigr.device import CPU
from minigr.graphs.backend import scope
from minigr.graphs.dynamic.layout import LANES
from minigr.graphs.dynamic.storage import Slabs, starts
from minigr.graphs.guard import read


class EdgeValues:
    """Values of the out-edges of a graph. They exist as long as this object.

    Parameters
    ----------
    graph : DynamicGraph
    dtype : dtype
    fill : scalar
        The value of a new arc.
    columns : int
        The number of elements of a row; 0 for an array with one element for each arc.

    Raises
    ------
    GraphError
        If another thread is in the middle of a batch on the graph.
    OutOfMemoryError
    """

    def __init__(self, graph: Any, dtype: Any, fill: Any, columns: int) -> None:
        self._graph, self.dtype, self.fill, self.columns = graph, dtype, fill, columns
        with scope(graph._device):
            read(graph, self.make, graph._out)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"array": self._graph._out.values[self]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        array = state.pop("array")
        self.__dict__.update(state)
        self._graph._out.values[self] = array

    @property
    def array(self) -> Any:
        """The values by edge id, [ids] or [ids, columns], valid until the next update. Not a copy."""
        slabs = self._graph._out
        return slabs.values[self][: LANES * slabs.bump]

    def make(self, slabs: Slabs) -> None:
        """Set the values of all lanes to `fill`."""
        array = slabs.allocator.full(len(slabs.pool) * max(self.columns, 1), self.fill, self.dtype)
        slabs.values[self] = array.reshape(-1, self.columns) if self.columns else array


@dataclass
class Carried:
    """Values that are being moved to other lanes, and their arcs.

    Attributes
    ----------
    owners, keys : int32[k]
    found : (bool[k], int64[k])
        Memory to search for the arcs again, because nothing may fail for lack of memory after keys were moved.
    values : mapping
    """

    owners: Any
    keys: Any
    found: tuple[Any, Any]
    values: dict[EdgeValues, Any]

    def put(self, slabs: Slabs) -> None:
        """Write the values to the current positions of the arcs."""
        _, lanes, _ = slabs.kernels.find(slabs, self.owners, self.keys, True, self.found)
        for key, values in self.values.items():
            _store(slabs.values[key], lanes, values)

    def put_in_new(self, slabs: Slabs) -> None:
        """Write the values to slabs that hold the same arcs and have no values yet."""
        for key in self.values:
            key.make(slabs)
        self.put(slabs)


def values_of(slabs: Slabs, vertices: Any = None) -> Carried | None:
    """The values of the arcs of `vertices` (None: of all), before keys are moved. None if the graph has no values."""
    if not slabs.values:
        return None
    firsts, _ = slabs.chains(vertices)
    lives, _, _ = slabs.kernels.measure(slabs, firsts, False)
    owners, keys, _ = slabs.kernels.read(slabs, firsts, *starts(slabs.device.xp, lives), False)
    found, lanes, _ = slabs.kernels.find(slabs, owners, keys, True)
    values = {key: array[lanes] for key, array in slabs.values.items()}
    return Carried(owners, keys, (found, lanes), values)


def _store(array: Any, lanes: Any, values: Any) -> None:
    """Write values to lanes. If a GPU has no memory for this, the host does it."""
    try:
        array[lanes] = values
    except MemoryError:
        if isinstance(array, np.ndarray):
            raise
        on_host = CPU.asarray(array)
        on_host[CPU.asarray(lanes)] = CPU.asarray(values)
        array.set(on_host)


def fill_new(slabs: Slabs, batch: Any) -> None:
    """Set the values of new arcs to `fill`. If the insertion is undone, the arcs are gone, and so are their values."""
    lanes = batch.new_slots()
    for key, array in slabs.values.items():
        array[lanes] = key.fill
