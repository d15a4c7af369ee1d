"""The parts of batches: how a change of a dynamic graph begins, rehashing, and copies."""

from __future__ import annotations

from typing import Any, TypeVar

from minigr.device import Device
from minigr.graphs.backend import scope
from minigr.graphs.dynamic import edge_batch, growth
from minigr.graphs.dynamic.allocator import Allocator
from minigr.graphs.dynamic.queries import Queries
from minigr.graphs.dynamic.storage import Slabs
from minigr.graphs.dynamic.transaction import Transaction
from minigr.graphs.dynamic.update import Direction
from minigr.graphs.guard import Guard, reading
from minigr.graphs.kept import Kept
from minigr.signals import deferred

_Graph = TypeVar("_Graph", bound="Changes")


class Changes(Queries):
    """Slabs that batches change. The current batch is ``_guard.batch``."""

    def _start(self, device: Device, directed: bool, load_factor: float, allow_self_loops: bool) -> None:
        self.directed = bool(directed)
        self.allow_self_loops = bool(allow_self_loops)
        self._load_factor = edge_batch.as_load_factor(load_factor)
        self._device = device
        self._allocator = Allocator(device)
        self._dead: Any = None  # bool[room for n]: deleted vertices; None if there never were any
        self._num_dead = 0
        self.version = 0
        self._grown_from = -1  # the version at the mark, if only edges were inserted since
        self._guard = Guard()
        self._kept = Kept()
        self._facts: dict[Any, tuple[int, Any]] = {}

    def _begin(self) -> Transaction:
        """Begin to change the graph. Returns the current batch."""
        transaction, slabs = self._guard.batch, self._out
        slabs.kernels.prepare_undo(slabs)
        transaction.on_undo(self._have_new_version)
        self._have_new_version()
        self._grown_from = -1
        for one in self._directions:
            one.slabs = growth.tended(one.slabs)
        return transaction

    def _have_new_version(self) -> None:
        self.version += 1  # also when a batch is undone, because results may depend on the batch

    @property
    def _has_tombstones(self) -> bool:
        return any(one.slabs.num_tombstones for one in self._directions)

    def _rehash(self, load_factor: float | None = None) -> None:
        """Rehash all edges as part of the current batch."""
        factor = self._load_factor if load_factor is None else edge_batch.as_load_factor(load_factor)
        with scope(self._device):
            fresh = [one.slabs.kernels.rebuilt(one.slabs, factor) for one in self._directions]
        with deferred():
            self._guard.batch.on_undo(self._use, [one.slabs for one in self._directions], self._load_factor)
            self._use(fresh, factor)

    def _use(self, stores: list[Slabs], load_factor: float) -> None:
        self._have_new_version()
        for one, slabs in zip(self._directions, stores, strict=True):
            one.slabs = slabs
        self._load_factor = load_factor

    def _mark(self) -> None:
        """Set the mark after all existing arcs, as part of the current batch."""
        with scope(self._device), deferred():
            self._grown_from = -1
            for one in self._directions:
                growth.move_marks(one.slabs, self._guard.batch)
            self._guard.batch.on_undo(setattr, self, "_grown_from", -1)
            self._grown_from = self.version

    @reading
    def copy(self: _Graph) -> _Graph:
        """Return a copy of the graph in arrays of its own, including the mark.

        Raises
        ------
        OutOfMemoryError
        """
        other = type(self).__new__(type(self))
        other._start(self._device, self.directed, self._load_factor, self.allow_self_loops)
        with scope(self._device):
            other._directions = [Direction(one.slabs.copy(), one.mirror, one.reverse) for one in self._directions]
            other._dead = None if self._dead is None else self._dead.copy()
        other._num_dead = self._num_dead
        return other
