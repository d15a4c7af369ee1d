"""The slabs of one direction of a dynamic graph: the arrays, which slabs are in use, and a pool that grows."""

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

_HEADROOM = 64  # one slab is held in reserve for so many in use, when a graph is built
_HUB_HEADROOM = (
    4  # and one for so many of vertices that have several, which are full sooner: they are closer to the load
)
_SPARE = 1 << 14  # places for free slabs that are not needed yet, at most
_GROWTH = 4  # the pool grows by one slab for so many, at least
_MOST_SLABS = 2**31 - 1


@dataclass
class Report:
    """What an update did.

    The fields stand in the order of the words that kernels report in. `reused` counts the tombstones that keys took the
    place of. `bad` is the first pair of the batch that names no vertex, or -1.
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
        Of each vertex its first base slab, and how many buckets it has.
    degrees : int32[c]
    pool : int32[32 * capacity]
        The slabs; see `layout`.
    weights : int32, int64, float32 or float64 [32 * capacity], or None
        The weight of the arc in the same lane of the pool.
    values : mapping of EdgeValues to arrays [32 * capacity] or [32 * capacity, columns]
        Those of users; an entry is gone when nobody holds its key.
    marks : uint8[capacity] or None
        How many lanes of each slab were used at the last mark; 0 for slabs that were not in use.
    free : int32[at least free_count]
        Slabs that were in use and can be again.
    vacant : int32[] or None
        Vertices that were deleted by the last batch, whose slabs the next one frees.
    withdrawn : int
        Vertices behind the last one, inserted by a batch that was undone, whose slabs the next one frees. They have no
        arcs.
    most_buckets : int or None
        The most that a vertex has, or had since that was found out; None as long as nobody asked.
    bump : int
        Slabs from here on were never used.
    num_arcs, num_loops, num_tombstones : int
    room : int
        Arcs that the pool has slabs for whenever it is made.
    chain_limit : int
        Slabs that a chain may have before an insertion looks whether its vertex should have more buckets.
    kernels : module
        Those of the device: see `backend.kernels`. They are handed in, because they stand on slabs.
    launcher : object
        What launches the kernels of a GPU; None on the CPU.
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
        """Empty slabs, with as many buckets for each vertex as its degree, int32[n], asks for: none for one below 0."""
        self = cls(allocator, kernels, len(degrees), weight_dtype, load_factor, room)
        self.launcher = kernels.prepare(self)
        slabs = self.kernels.lay_out(self, degrees)
        capacity = self._capacity_for(slabs, degrees)
        self._check(capacity)
        n = self.num_vertices
        self.degrees = allocator.full(n, 0, np.int32)
        self.free = allocator.empty(0, np.int32)
        self.pool = allocator.empty(LANES * capacity, np.int32)
        # Initialised, because an insertion keeps what stood where it writes a weight, of arcs that are new too.
        self.weights = None if weight_dtype is None else allocator.full(LANES * capacity, 0, weight_dtype)
        self.bump = slabs
        self.kernels.open_bases(self)
        return self

    def _capacity_for(self, base_slabs: int, degrees: Any) -> int:
        """Slabs to make: the base slabs, the slabs behind them that chains need at once, and some in reserve."""
        lanes, rows = KEYS * min(self.load_factor, 1.0), self.num_vertices - int((degrees < 0).sum())
        behind = max(int(degrees.sum(dtype=np.int64)), 0) // KEYS if self.load_factor > 1 else 0
        found = 0
        for runs in (base_slabs + behind, rows + ceil(self.room / lanes)):
            found = max(found, runs + runs // _HEADROOM + max(runs - rows, 0) // _HUB_HEADROOM + 64)
        return found

    def _with_arrays(self, change: Callable[[Any], Any]) -> Slabs:
        """See `minigr.held.with_arrays`; who calls it hands in the kernels."""
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
        del state["kernels"]  # a module; who unpickles slabs hands it in again by `attach`
        del state["values"]  # of objects that others hold
        return state

    def attach(self, kernels: ModuleType) -> None:
        """Have the kernels of the device again, and what they work with, after slabs were unpickled."""
        self.kernels = kernels
        if "values" not in self.__dict__:  # as it is for a shallow copy, which shares the slabs
            self.values = WeakKeyDictionary()
        with scope(self.device):
            self.launcher = kernels.prepare(self)

    @property
    def capacity(self) -> int:
        """Slabs that the pool has room for."""
        return len(self.pool) // LANES

    @property
    def available(self) -> int:
        """Slabs that can be taken before the pool must grow."""
        return self.free_count + self.capacity - self.bump

    @property
    def in_use(self) -> int:
        """Slabs that belong to a vertex."""
        return self.bump - self.free_count

    @property
    def takes_tombstones(self) -> bool:
        """Whether insertions are to look for tombstones in chains: where most slabs may have one."""
        return self.num_tombstones > self.in_use

    def buckets(self) -> Any:
        """int32[n]: buckets of each vertex."""
        return self.heads[1 : 2 * self.num_vertices : 2]

    def sizes(self) -> Any:
        """int32[n]: the degree of each vertex, or -1 where it is never to have an edge here."""
        return self.device.xp.where(self.buckets() > 0, self.degrees[: self.num_vertices], np.int32(-1))

    def reserve(self, slabs: int, in_runs: int = 0) -> None:
        """Grow the pool until `slabs` can be taken; by a share at least, so that copies are paid for by insertions.

        Parameters
        ----------
        slabs : int
        in_runs : int
            How many of them must follow one another, and so can't be slabs that were freed.

        Raises
        ------
        OutOfMemoryError
            If there is no room; nothing has changed then.
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
        """An array of `count` elements, or rows; the first `used` are those of `array`."""
        columns = array.shape[1:]
        width = columns[0] if columns else 1
        return self.allocator.grown(array.reshape(-1), used * width, count * width).reshape(-1, *columns)

    def settle(self, report: Report) -> None:
        """Book the slabs and the tombstones that an insertion took.

        Slabs that it gave back stand behind the free ones of before.
        """
        if report.taken:
            self.take(report.taken)
        self.free_count += report.returned
        self.num_tombstones -= report.reused

    def make_room_for_free(self, count: int) -> None:
        """Have room behind the free slabs for so many that an insertion may give back.

        There is more when it is made, or else each insertion that gives one back would have all copied for the next.

        Raises
        ------
        OutOfMemoryError
        """
        if self.free.size < self.free_count + count:
            room = self.free_count + count + min(count, _SPARE)
            self.free = self.allocator.grown(self.free, self.free_count, room)

    def take(self, count: int) -> None:
        """Book that so many slabs were asked for, the first free ones first; those that were not there were not had."""
        taken = min(count, self.available)
        from_free = min(taken, self.free_count)
        if from_free:
            self.free = self.free[from_free:]
            self.free_count -= from_free
        self.bump += taken - from_free

    def place_runs(self, buckets: Any) -> tuple[Any, int, int]:
        """Where runs of base slabs of these lengths can go: first slabs, free slabs used, and where unused slabs begin.

        Runs of one slab go to free slabs while there are any, because longer runs can't. Nothing is booked yet.
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
        """To be told when vertices were given this many buckets at most."""
        if self.most_buckets is not None:
            self.most_buckets = max(self.most_buckets, buckets)

    def chains(self, vertices: Any = None) -> tuple[Any, Any]:
        """First slabs of all chains of `vertices` (None: of all), and to which of the vertices each belongs."""
        xp = self.device.xp
        pairs = self.heads[: 2 * self.num_vertices].reshape(-1, 2)
        if vertices is not None:
            pairs = pairs[vertices]
        which, rank = spread(xp, pairs[:, 1])
        return pairs[:, 0][which] + rank.astype(np.int32), which

    @property
    def storage(self) -> tuple[Any, ...]:
        """Its arrays, and whether rows are tidy."""
        return self.heads, self.degrees, self.pool, self.weights, self.marks, self.num_tombstones == 0

    def adjacency(self) -> SlabAdjacency:
        """What operators are handed."""
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
        """The same slabs in arrays of their own."""
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
    """int64[n + 1]: where the rows of a CSR begin."""
    n, xp = slabs.num_vertices, slabs.device.xp
    offsets = slabs.allocator.full(n + 1, 0, np.int64)
    if n:
        offsets[1:] = xp.cumsum(slabs.degrees[:n], dtype=np.int64)
    return offsets


def starts(xp: Any, counts: Any) -> tuple[Any, int]:
    """int64: where the parts of each item begin if they follow one another, and how many there are in all.

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
    """For items of which i has ``counts[i]`` parts: of each part the item, and its number among the item's parts.

    Examples
    --------
    >>> spread(np, np.array([2, 0, 1]))
    (array([0, 0, 2]), array([0, 1, 0]))
    """
    begins, total = starts(xp, counts)
    parts = xp.arange(total)
    which = xp.searchsorted(begins + counts, parts, side="right")
    return which, parts - begins[which]
