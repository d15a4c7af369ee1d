"""The slabs of one direction of a dynamic graph: their arrays, the slabs in use, and a pool that grows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from minigr.device import device_of
from minigr.errors import OutOfMemoryError
from minigr.graphs.adjacency import SlabAdjacency
from minigr.graphs.backend import scope
from minigr.graphs.dynamic.allocator import Allocator
from minigr.graphs.dynamic.layout import KEYS, LANES, chain_limit

_HEADROOM = 64  # a new graph gets one slab in reserve for this many slabs in use
_HUB_HEADROOM = 4  # and one for this many slabs beyond the first of each vertex, because these slabs fill up sooner
_SPARE = 1 << 14  # the most unneeded places in the list of free slabs
_GROWTH = 4  # the pool grows by at least one slab for this many slabs
_MOST_SLABS = 2**31 - 1


@dataclass
class Report:
    """The result of an update.

    The fields are in the order of the words in which kernels report. `reused` counts the tombstones that were replaced
    by keys. `bad` is the first pair of the batch that has an end that is not a vertex, or -1.
    """

    changed: int = 0
    loops: int = 0
    without_slab: int = 0
    long_chain: int = 0
    taken: int = 0
    returned: int = 0
    reused: int = 0
    bad: int = -1
    mask: Any = None


class Slabs:
    """Slab hashes of `num_vertices` vertices.

    Attributes
    ----------
    heads : int32[2 * c], c at least num_vertices
        The first base slab and the number of buckets of each vertex.
    degrees : int32[c]
    pool : int32[32 * capacity]
        The slabs; see `layout`.
    weights : int32, int64, float32 or float64 [32 * capacity], or None
        The weight of the arc in the same lane of `pool`.
    values : mapping of EdgeValues to arrays [32 * capacity] or [32 * capacity, columns]
        The values of users. An entry is removed when its key is no longer referenced.
    marks : uint8[capacity] or None
        How many lanes of each slab were used at the last mark; 0 for slabs that were not in use then.
    free : int32[at least free_count]
        Slabs that were in use and can be used again.
    vacant : int32[] or None
        Vertices that the last batch deleted. The next batch frees their slabs.
    withdrawn : int
        The number of vertices behind the last one that were inserted by a batch that was undone. They have no arcs. The
        next batch frees their slabs.
    most_buckets : int or None
        The largest number of buckets that a vertex has, or has had since this was computed; None if it was never
        computed.
    bump : int
        The slabs from this one on were never used.
    num_arcs, num_loops, num_tombstones : int
    room : int
        Number of arcs for which a new pool must have slabs.
    chain_limit : int
        The slabs that a chain may have before an insertion checks whether its vertex should have more buckets.
    kernels : module
        The module of kernels for the device: see `backend.kernels`. The caller passes it, because it imports this
        module.
    launcher : object
        Launches the kernels on a GPU; None on the CPU.
    """

    def __init__(
        self,
        allocator: Allocator,
        kernels: ModuleType,
        num_vertices: int,
        weight_dtype: Any,
        load_factor: float,
        room: int = 0,
    ) -> None:
        self.allocator = allocator
        self.device = allocator.device
        self.kernels = kernels
        self.num_vertices = num_vertices
        self.load_factor, self.room, self.chain_limit = load_factor, room, chain_limit(load_factor)
        self.weight_dtype = None if weight_dtype is None else np.dtype(weight_dtype)
        self.heads: Any
        self.degrees: Any
        self.pool: Any
        self.weights: Any
        self.free: Any
        self.values: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
        self.marks: Any = None
        self.vacant: Any = None
        self.launcher: Any = None
        self.most_buckets: int | None = None
        self.free_count = self.bump = self.withdrawn = 0
        self.num_arcs = self.num_loops = self.num_tombstones = 0

    @classmethod
    def sized(
        cls,
        allocator: Allocator,
        kernels: ModuleType,
        degrees: Any,
        weight_dtype: Any,
        load_factor: float,
        room: int = 0,
    ) -> Slabs:
        """Make empty slabs with the buckets that `degrees`, int32[n], requires; none for a degree below 0."""
        self = cls(allocator, kernels, len(degrees), weight_dtype, load_factor, room)
        self.launcher = kernels.prepare(self)
        slabs = self.kernels.lay_out(self, degrees)
        capacity = self._capacity_for(slabs, degrees)
        self._check(capacity)
        n = self.num_vertices
        self.degrees = allocator.full(n, 0, np.int32)
        self.free = allocator.empty(0, np.int32)
        self.pool = allocator.empty(LANES * capacity, np.int32)
        # Initialized, because an insertion saves the old weights of the lanes that it writes, even for new arcs.
        self.weights = None if weight_dtype is None else allocator.full(LANES * capacity, 0, weight_dtype)
        self.bump = slabs
        self.kernels.open_bases(self)
        return self

    def _capacity_for(self, base_slabs: int, degrees: Any) -> int:
        """How many slabs to allocate: base slabs, the slabs that chains need behind them at once, and a reserve."""
        lanes, rows = KEYS * min(self.load_factor, 1.0), self.num_vertices - int((degrees < 0).sum())
        behind = max(int(degrees.sum(dtype=np.int64)), 0) // KEYS if self.load_factor > 1 else 0
        found = 0
        for runs in (base_slabs + behind, rows + ceil(self.room / lanes)):
            found = max(found, runs + runs // _HEADROOM + max(runs - rows, 0) // _HUB_HEADROOM + 64)
        return found

    def _with_arrays(self, change: Callable[[Any], Any]) -> Slabs:
        """See `minigr.held.with_arrays`; the caller must set the kernels."""
        other = Slabs.__new__(Slabs)
        other.__dict__.update(self.__dict__)
        for name in ("heads", "degrees", "pool", "weights", "marks", "free", "vacant"):
            array = getattr(self, name)
            setattr(other, name, None if array is None else change(array))
        other.values = WeakKeyDictionary({key: change(array) for key, array in self.values.items()})
        other.device = device_of(other.pool)
        other.allocator = Allocator(other.device)
        return other

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__ | {"launcher": None}
        del state["kernels"]  # a module; `attach` sets it again after unpickling
        del state["values"]  # keys are objects that others hold
        return state

    def attach(self, kernels: ModuleType) -> None:
        """Set the kernels of the device and prepare them, after slabs were unpickled."""
        self.kernels = kernels
        if "values" not in self.__dict__:  # it exists in a shallow copy, which shares the slabs
            self.values = WeakKeyDictionary()
        with scope(self.device):
            self.launcher = kernels.prepare(self)

    @property
    def capacity(self) -> int:
        """The number of slabs for which the pool has room."""
        return len(self.pool) // LANES

    @property
    def available(self) -> int:
        """The number of slabs that can be taken before the pool must grow."""
        return self.free_count + self.capacity - self.bump

    @property
    def in_use(self) -> int:
        """The number of slabs that belong to a vertex."""
        return self.bump - self.free_count

    @property
    def takes_tombstones(self) -> bool:
        """Whether insertions search chains for tombstones: only if most slabs may have a tombstone."""
        return self.num_tombstones > self.in_use

    def buckets(self) -> Any:
        """int32[n]: the number of buckets of each vertex."""
        return self.heads[1 : 2 * self.num_vertices : 2]

    def sizes(self) -> Any:
        """int32[n]: the degree of each vertex, or -1 for a vertex that will never have an edge here."""
        return self.device.xp.where(self.buckets() > 0, self.degrees[: self.num_vertices], np.int32(-1))

    def reserve(self, slabs: int, in_runs: int = 0) -> None:
        """Grow the pool until `slabs` can be taken, by at least a share, so that insertions pay for the copies.

        Parameters
        ----------
        slabs : int
        in_runs : int
            How many of these slabs must be in contiguous runs, and so can't be freed slabs.

        Raises
        ------
        OutOfMemoryError
            If there is not enough memory. In this case nothing has changed.
        """
        needed = self.bump + in_runs + max(0, slabs - in_runs - self.free_count)
        if needed <= self.capacity:
            return
        self._check(needed)
        try:
            self._grow(min(max(needed, self.capacity + self.capacity // _GROWTH), _MOST_SLABS))
        except MemoryError:
            self._grow(needed)

    def _check(self, slabs: int) -> None:
        if slabs > _MOST_SLABS:
            raise OutOfMemoryError(f"the graph needs {slabs:,} slabs, but slabs are numbered by int32: split the graph")

    def _grow(self, capacity: int) -> None:
        used = LANES * self.bump
        pool = self.allocator.grown(self.pool, used, LANES * capacity)
        weights = None if self.weights is None else self.allocator.grown(self.weights, used, LANES * capacity, 0)
        marks = None if self.marks is None else self.allocator.grown(self.marks, self.bump, capacity, 0)
        values = {key: self._grown_rows(array, used, LANES * capacity) for key, array in self.values.items()}
        self.pool, self.weights, self.marks = pool, weights, marks
        self.values.update(values)

    def _grown_rows(self, array: Any, used: int, count: int) -> Any:
        """An array of `count` elements or rows. The first `used` come from `array`."""
        columns = array.shape[1:]
        width = columns[0] if columns else 1
        return self.allocator.grown(array.reshape(-1), used * width, count * width).reshape(-1, *columns)

    def settle(self, report: Report) -> None:
        """Update the counts by the slabs and the tombstones that an insertion took.

        Slabs that the insertion returned are in the list behind the slabs that were free before.
        """
        if report.taken:
            self.take(report.taken)
        self.free_count += report.returned
        self.num_tombstones -= report.reused

    def make_room_for_free(self, count: int) -> None:
        """Make room in the list of free slabs for `count` slabs that an insertion may return.

        A new list has additional room, because otherwise each insertion that returns a slab would cause a copy of the
        list.

        Raises
        ------
        OutOfMemoryError
        """
        if self.free.size < self.free_count + count:
            room = self.free_count + count + min(count, _SPARE)
            self.free = self.allocator.grown(self.free, self.free_count, room)

    def take(self, count: int) -> None:
        """Record that `count` slabs were requested, free slabs first. Only available slabs were taken."""
        taken = min(count, self.available)
        from_free = min(taken, self.free_count)
        if from_free:
            self.free = self.free[from_free:]
            self.free_count -= from_free
        self.bump += taken - from_free

    def place_runs(self, buckets: Any) -> tuple[Any, int, int]:
        """Place runs of base slabs of these lengths. Returns first slabs, free slabs used, and the new `bump`.

        Runs of one slab take free slabs as long as there are any; longer runs can't. Nothing is recorded yet.
        """
        xp = self.device.xp
        firsts = xp.zeros(len(buckets), np.int32)
        single = xp.flatnonzero(buckets == 1)[: self.free_count]
        firsts[single] = self.free[self.free_count - len(single) : self.free_count]
        lengths = xp.asarray(buckets).astype(np.int64)
        lengths[single] = 0
        places, total = starts(xp, lengths)
        firsts = xp.where(lengths > 0, (self.bump + places).astype(np.int32), firsts)
        return firsts, len(single), self.bump + total

    def note_widest(self, buckets: int) -> None:
        """Record that vertices were given at most `buckets` buckets."""
        if self.most_buckets is not None:
            self.most_buckets = max(self.most_buckets, buckets)

    def chains(self, vertices: Any = None) -> tuple[Any, Any]:
        """The first slabs of all chains of `vertices` (None: of all), and the index in `vertices` for each chain."""
        xp = self.device.xp
        pairs = self.heads[: 2 * self.num_vertices].reshape(-1, 2)
        if vertices is not None:
            pairs = pairs[vertices]
        which, rank = spread(xp, pairs[:, 1])
        return pairs[:, 0][which] + rank.astype(np.int32), which

    @property
    def storage(self) -> tuple[Any, ...]:
        """The arrays, and whether rows are tidy."""
        return self.heads, self.degrees, self.pool, self.weights, self.marks, self.num_tombstones == 0

    def adjacency(self) -> SlabAdjacency:
        """The slabs as operators get them."""
        n, end = self.num_vertices, self.bump
        return SlabAdjacency(
            heads=self.heads[: 2 * n],
            degrees=self.degrees[:n],
            pool=self.pool[: LANES * end],
            weights=None if self.weights is None else self.weights[: LANES * end],
            marks=None if self.marks is None else self.marks[:end],
            num_arcs=self.num_arcs,
            tidy=self.num_tombstones == 0,
        )

    def copy(self) -> Slabs:
        """A copy of the slabs in arrays of its own."""
        other = Slabs(self.allocator, self.kernels, self.num_vertices, self.weight_dtype, self.load_factor, self.room)
        for name in ("heads", "degrees", "pool", "weights", "marks", "free"):
            array = getattr(self, name)
            setattr(other, name, None if array is None else self.allocator.grown(array, len(array), len(array)))
        counts = ("free_count", "bump", "withdrawn", "num_arcs", "num_loops", "num_tombstones")
        for name in (*counts, "most_buckets", "vacant"):
            setattr(other, name, getattr(self, name))
        other.launcher = other.kernels.prepare(other)
        return other


def row_offsets(slabs: Slabs) -> Any:
    """int64[n + 1]: the beginnings of CSR rows."""
    n, xp = slabs.num_vertices, slabs.device.xp
    offsets = slabs.allocator.full(n + 1, 0, np.int64)
    if n:
        offsets[1:] = xp.cumsum(slabs.degrees[:n], dtype=np.int64)
    return offsets


def starts(xp: Any, counts: Any) -> tuple[Any, int]:
    """int64: where the parts of each item begin if the parts are contiguous, and the number of all parts.

    Examples
    --------
    >>> starts(np, np.array([2, 0, 1]))
    (array([0, 2, 2]), 3)
    """
    if len(counts) == 0:
        return xp.zeros(0, np.int64), 0
    ends = xp.cumsum(counts, dtype=np.int64)
    return ends - counts, int(ends[-1])


def spread(xp: Any, counts: Any) -> tuple[Any, Any]:
    """For items with ``counts[i]`` parts: the item of each part, and the number of the part within its item.

    Examples
    --------
    >>> spread(np, np.array([2, 0, 1]))
    (array([0, 0, 2]), array([0, 1, 0]))
    """
    begins, total = starts(xp, counts)
    parts = xp.arange(total)
    which = xp.searchsorted(begins + counts, parts, side="right")
    return which, parts - begins[which]
