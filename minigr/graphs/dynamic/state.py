"""The data of a dynamic graph."""

from __future__ import annotations

from typing import Any

from minigr.device import Device
from minigr.graphs.checks import as_ids
from minigr.graphs.dynamic.allocator import Allocator
from minigr.graphs.dynamic.backend import kernels
from minigr.graphs.dynamic.storage import Slabs
from minigr.graphs.dynamic.update import Direction
from minigr.graphs.guard import Guard
from minigr.graphs.kept import Kept


class State:
    """The slabs of a `DynamicGraph`, its deleted vertices, and its options, for queries and changes."""

    directed: bool
    allow_self_loops: bool
    _device: Device
    _allocator: Allocator
    _load_factor: float
    _directions: list[Direction]
    _dead: Any
    _num_dead: int
    _guard: Guard
    _kept: Kept
    _facts: dict[
        Any, tuple[int, Any]
    ]  # facts about the graph, each with the version of the graph for which it was computed
    version: int
    _grown_from: int

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for one in self._directions:
            one.slabs.attach(kernels(self._device))

    @property
    def device(self) -> str:
        """The device of the arrays: ``"cpu"``, ``"cuda:0"``, ..."""
        return str(self._device)

    @property
    def num_vertices(self) -> int:
        """One more than the largest id ever used: the length of an array with one entry for each vertex."""
        return self._out.num_vertices

    @property
    def _out(self) -> Slabs:
        return self._directions[0].slabs

    @property
    def _in(self) -> Slabs | None:
        return self._directions[1].slabs if len(self._directions) > 1 else None

    def _ids(self, ids: Any, name: str) -> Any:
        return as_ids(self._device, ids, name, self.num_vertices)
