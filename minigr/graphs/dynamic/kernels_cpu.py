"""The slab kernels of the CPU as functions. `kernels_cuda` has the same functions for the GPU."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from minigr.graphs.dynamic import chains_cpu, update_cpu
from minigr.graphs.dynamic.allocator import Allocator
from minigr.graphs.dynamic.layout import (
    CHANGED,
    REPORT_WORDS,
    WITHOUT_SLAB,
    WORD_BAD,
    buckets_for,
)
from minigr.graphs.dynamic.moves_cpu import rebuilt, relocate, widen
from minigr.graphs.dynamic.storage import Report, Slabs, row_offsets, spread, starts
from minigr.graphs.dynamic.weights_cpu import summarize
from minigr.graphs.rows_cpu import sort_rows
from minigr.jit.native.entry import Entry
from minigr.jit.spmd import run_team
from minigr.jit.threads import get_num_threads

__all__ = [
    "Arcs", "arcs", "clear", "degrees", "fill", "find", "insert", "lay_out", "list_slabs", "locate", "mark", "mask",
    "measure", "note_fill", "open_bases", "prepare", "prepare_undo", "put_weights", "read", "rebuilt", "relocate",
    "remove", "restore", "restore_swept", "restore_weights", "rows", "summarize", "sweep", "undo", "widen",
]  # fmt: skip

_SOLO_WORK = 8192  # less work is done by one thread, because starting a team costs as much
_BITS_OF_A_PART = 11  # the base slabs of 2048 vertices fit into the cache of a core
_LEAST_PART_BITS, _MOST_PART_BITS = 4, 10  # 16 parts: some for each thread; 1024: the most to write to at a time
_NO_MARKS = np.empty(0, np.uint8)
_NOT_WANTED = np.empty(0, np.bool_)
_NO_SLOTS = np.empty(0, np.int64)
MOST_IN_32_BITS = 2**31
"""The most pairs of a batch that int32 can number."""


@dataclass
class Arcs:
    """A batch of arcs, sorted into parts.

    Attributes
    ----------
    begins : int64[parts + 1]
    owners, keys : int32[arcs]
    origins : int32[arcs], or int64 if int32 can't number the pairs
        The pair of the batch that an arc is from, or its complement for an arc that reverses its pair.
    states : uint8[arcs]
    slots : int64[arcs] or int64[0]
        The position of each arc, or its position before it was deleted. Empty if not asked for.
    held : [arcs] or [0]
        Room for the previous weights in the slots.
    changed : bool[pairs] or None
        Room for the mask, so that nothing must be allocated after the graph has changed.
    """

    begins: Any
    owners: Any
    keys: Any
    origins: Any
    states: Any
    slots: Any
    held: Any
    changed: Any
    resumed = False

    @property
    def count(self) -> int:
        """The number of arcs."""
        return len(self.owners)

    @property
    def with_slots(self) -> bool:
        """Whether insertions and deletions store the positions of arcs."""
        return len(self.slots) > 0

    def new_slots(self) -> Any:
        """int64[]: the positions of the arcs that an insertion made."""
        return self.slots[self.states == CHANGED]


def arcs(
    allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool = False, reverse: bool = False,
    loops: bool = True, with_states: bool = True, with_slots: bool = False, weights: Any = None,
    with_held: bool = False, with_mask: bool = False,
) -> Arcs:  # fmt: skip
    """The arcs ``src[i] -> dst[i]``, with `mirror` also the reverse arcs, with `reverse` only these.

    With `loops`, self-loops are included. `with_slots` is required for `put_weights` and `restore`, `with_held` for
    `restore_weights`, `with_mask` for `mask`. On a GPU, deletions without a mask need no states and set `with_states`
    to False. `weights` are the weights of the pairs that `put_weights` will get. On a GPU, `insert` checks them: a pair
    whose weight is NaN is bad.
    """
    room = len(src) * (2 if mirror else 1)
    threads = _threads(len(src))
    bits = max(n - 1, 0).bit_length()
    many = len(src) >= _SOLO_WORK
    shift = max(bits - _MOST_PART_BITS, min(bits - _LEAST_PART_BITS, _BITS_OF_A_PART), 0) if many else 31
    parts = (max(n - 1, 0) >> shift) + 1
    begins = np.zeros(parts + 1, np.int64)
    owners, keys = allocator.empty(room, np.int32), allocator.empty(room, np.int32)
    origins = allocator.empty(room, np.int32 if len(src) <= MOST_IN_32_BITS else np.int64)
    arguments = (src, dst, mirror, reverse, loops, shift, np.zeros(threads * parts, np.int64))
    run_team(update_cpu.deal_out, threads, *arguments, begins, owners, keys, origins)
    count = int(begins[-1])
    slots = allocator.empty(count if with_slots else 0, np.int64)
    states = allocator.full(count, WITHOUT_SLAB, np.uint8)
    # This has the dtype of the weights even if it is empty, so that one compiled kernel serves both cases.
    held = allocator.empty(count if with_held else 0, np.int32 if weights is None else weights.dtype)
    changed = allocator.full(len(src), False, np.bool_) if with_mask else None
    return Arcs(begins, owners[:count], keys[:count], origins[:count], states, slots, held, changed)


def degrees(
    allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool, in_edges: bool, loops: bool
) -> tuple[Any, Any, int]:
    """Count the arcs of these pairs that start and, if asked for, end at each vertex; and the first bad pair, or -1.

    Equal pairs are counted several times, and here self-loops are counted, too, because a few additional buckets do no
    harm. No pair is bad here, because the ids were checked before.
    """
    out, into = np.bincount(src, minlength=n), None
    if mirror or in_edges:
        into = np.bincount(dst, minlength=n)
        out = out + into if mirror else out
    return out, into, -1


def lay_out(slabs: Slabs, sizes: Any) -> int:
    """Give each vertex a run of base slabs for ``sizes[v]`` edges. Returns the number of slabs."""
    buckets = buckets_for(np, sizes, slabs.load_factor)
    firsts, total = starts(np, buckets)
    slabs.heads = slabs.allocator.empty(2 * slabs.num_vertices, np.int32)
    slabs.heads[0::2], slabs.heads[1::2] = firsts, buckets
    return total


def open_bases(slabs: Slabs) -> None:
    """Make the base slabs empty, and write their owners."""
    owners = slabs.allocator.empty(slabs.bump, np.int32)
    owners[:] = spread(np, slabs.buckets())[0]
    clear(slabs, np.arange(slabs.bump, dtype=np.int32), owners)


def fill(slabs: Slabs, batch: Arcs, sizes: Any) -> Report:
    """Put arcs into empty slabs, if this is faster than inserting them. On the CPU it is not, so nothing happens."""
    return Report()


def insert(slabs: Slabs, batch: Arcs, limit: int) -> Report:
    """Make one pass over the arcs that are not settled yet. A chain grows to at most `limit` slabs."""
    report = np.zeros(REPORT_WORDS, np.int64)
    marks = _NO_MARKS if slabs.marks is None else slabs.marks
    target = (slabs.heads, slabs.degrees, slabs.pool, marks, slabs.free, slabs.free_count, slabs.bump, slabs.capacity)
    kernel = update_cpu.insert_reusing if slabs.takes_tombstones else update_cpu.insert
    _over_parts(kernel, batch, batch.owners, batch.keys, batch.states, batch.slots, limit, *target, report)
    return _report(report)


def remove(slabs: Slabs, batch: Arcs) -> Report:
    """Delete the arcs that are there."""
    return _remove(slabs, batch, batch.slots, False)


def restore(slabs: Slabs, batch: Arcs) -> None:
    """Undo `remove`, of a batch with slots, before any other change: restores arcs, weights and marks."""
    _over_parts(update_cpu.restore, batch, batch.owners, batch.keys, batch.slots, slabs.degrees, slabs.pool)


def undo(slabs: Slabs, batch: Arcs) -> Report:
    """Delete the arcs that an insertion made."""
    return _remove(slabs, batch, _NO_SLOTS, True)


def _remove(slabs: Slabs, batch: Arcs, slots: Any, only_changed: bool) -> Report:
    report = np.zeros(REPORT_WORDS, np.int64)
    what = (batch.owners, batch.keys, batch.states, slots, only_changed)
    _over_parts(update_cpu.remove, batch, *what, slabs.heads, slabs.degrees, slabs.pool, report)
    return _report(report)


def prepare(slabs: Slabs) -> None:
    """Allocate early the memory that updates need besides the slabs. On the CPU they need none."""


def prepare_undo(slabs: Slabs) -> None:
    """Compile all kernels that undo batches of these slabs, because an undo must not fail."""
    _compile_undoing(0 if slabs.weight_dtype is None else slabs.weight_dtype.itemsize)


@cache
def _compile_undoing(width: int) -> None:
    ids, bits = np.empty(0, np.int32), np.empty(0, f"i{width}" if width else np.int32)
    parts = np.zeros(1, np.int64), np.zeros(1, np.int64)
    states, report = np.empty(0, np.uint8), np.zeros(REPORT_WORDS, np.int64)
    run_team(update_cpu.remove, 1, *parts, ids, ids, states, _NO_SLOTS, True, ids, ids, ids, report)
    run_team(update_cpu.restore, 1, *parts, ids, ids, _NO_SLOTS, ids, ids)
    run_team(update_cpu.restore_weights, 1, *parts, _NO_SLOTS, bits, bits)
    run_team(chains_cpu.restore_swept, 1, np.empty(0, np.uint32), ids, ids)


def locate(slabs: Slabs, batch: Arcs) -> None:
    """Find the positions of arcs again, after some arcs were moved."""
    batch.slots = find(slabs, batch.owners, batch.keys, True)[1]


def mask(batch: Arcs) -> Any:
    """bool[pairs]: which pairs of the batch changed the graph."""
    batch.changed[batch.origins[(batch.states == CHANGED) & (batch.origins >= 0)]] = True
    return batch.changed


def put_weights(slabs: Slabs, batch: Arcs, weights: Any) -> None:
    """Write the weights of the pairs to the positions of their arcs, and the old weights to ``batch.held``, if any."""
    target = (_bits(slabs.weights), _bits(batch.held))
    _over_parts(update_cpu.put_weights, batch, batch.origins, batch.slots, _bits(weights), *target)


def restore_weights(slabs: Slabs, batch: Arcs) -> None:
    """Undo `put_weights`, before any arc is moved."""
    _over_parts(update_cpu.restore_weights, batch, batch.slots, _bits(slabs.weights), _bits(batch.held))


def find(
    slabs: Slabs, src: Any, dst: Any, with_slots: bool, room: tuple[Any, Any] | None = None
) -> tuple[Any, Any, int]:
    """bool[k]: which arcs exist; int64[k], if asked for: their positions; and the first bad pair, or -1.

    A pair is bad if an end is not a vertex. `room`: arrays for the first two results, so that nothing is allocated.
    """
    found, slots = room or (np.empty(len(src), bool), np.empty(len(src) if with_slots else 0, np.int64))
    run_team(update_cpu.find, _threads(len(src)), src, dst, slabs.heads, slabs.pool, found, slots)
    return found, slots, -1


def mark(slabs: Slabs, src: Any, dst: Any, mirror: bool, only: Any, bits: Any) -> tuple[Any, int]:
    """Set the bits, int32[], of the existing arcs of some pairs. Returns their ids, and the first bad pair, or -1.

    Parameters
    ----------
    src, dst : int32[k]
    mirror : bool
        Whether to include the reverse arcs.
    only : bool[k] or None
        Which of the pairs count.
    bits : int32[ids / 32 + 1]
        A bit for each arc id. All bits must be 0.

    Returns
    -------
    ids : int64[]
        Each id once, in ascending order, so that the ids of a vertex are contiguous.
    bad : int
    """
    wanted = src != dst if only is None else (src != dst) & only
    src, dst = src[wanted], dst[wanted]
    if mirror:
        src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    ids, count = find(slabs, src, dst, True)[1], np.zeros(1, np.int64)
    run_team(update_cpu.mark, 1, ids, bits, count)
    ids = ids[: count[0]]
    ids.sort()
    return ids, -1


def clear(slabs: Slabs, which: Any, owners: Any) -> None:
    """Make slabs empty, and write their owners."""
    run_team(chains_cpu.clear, _threads(len(which)), which, owners, slabs.pool)


def measure(slabs: Slabs, firsts: Any, since: bool) -> tuple[Any, Any, Any]:
    """int64 live keys, used lanes and slabs of chains; with `since` only the keys and lanes after the mark."""
    lives, used, lengths = (np.empty(len(firsts), np.int64) for _ in range(3))
    inputs = (firsts, slabs.pool, _marks(slabs), since)
    run_team(chains_cpu.measure, _threads(len(firsts)), *inputs, lives, used, lengths)
    return lives, used, lengths


def read(
    slabs: Slabs, firsts: Any, offsets: Any, total: int, since: bool, fresh: Any = _NOT_WANTED
) -> tuple[Any, Any, Any]:
    """Owners, keys and weights (or None) of the arcs in chains. `fresh`, if given, says which are after the mark."""
    empty = slabs.allocator.empty
    owners, keys = empty(total, np.int32), empty(total, np.int32)
    weights = None if slabs.weights is None else empty(total, slabs.weights.dtype)
    target = (owners, keys, _bits(weights), fresh)
    inputs = (firsts, offsets, slabs.pool, _bits(slabs.weights), _marks(slabs), since)
    run_team(chains_cpu.read, _threads(len(firsts)), *inputs, *target)
    return owners, keys, weights


def list_slabs(slabs: Slabs, firsts: Any, offsets: Any, total: int) -> Any:
    """int32[total]: the slabs of chains."""
    found = slabs.allocator.empty(total, np.int32)
    run_team(chains_cpu.list_slabs, _threads(len(firsts)), firsts, offsets, slabs.pool, found)
    return found


def note_fill(slabs: Slabs, firsts: Any) -> None:
    """Set the marks of the slabs in chains to the number of lanes that they use."""
    run_team(chains_cpu.note_fill, _threads(len(firsts)), firsts, slabs.pool, slabs.marks)


def sweep(slabs: Slabs, dead: Any, swept: Any) -> Report:
    """Delete all arcs to dead vertices, and store in `swept`, uint32[slabs], the data for `restore_swept`."""
    report = np.zeros(REPORT_WORDS, np.int64)
    run_team(chains_cpu.sweep, _threads(slabs.bump), dead, slabs.bump, slabs.pool, slabs.degrees, swept, report)
    return _report(report)


def restore_swept(slabs: Slabs, swept: Any) -> None:
    """Undo `sweep`, before any other change."""
    run_team(chains_cpu.restore_swept, _threads(len(swept)), swept, slabs.pool, slabs.degrees)


def rows(slabs: Slabs) -> tuple[Any, Any, Any]:
    """Sorted compressed sparse rows: int64[n + 1] offsets, int32 keys, weights or None."""
    keys, weights = _unsorted(slabs)
    offsets = row_offsets(slabs)
    sort_rows(slabs.num_vertices, offsets, keys, _bits(weights))
    return offsets, keys, weights


def _unsorted(slabs: Slabs) -> tuple[Any, Any]:
    firsts, _ = slabs.chains()
    lives, _, _ = measure(slabs, firsts, False)
    return read(slabs, firsts, *starts(np, lives), False)[1:]


def _over_parts(kernel: Entry, batch: Arcs, *arguments: Any) -> None:
    run_team(kernel, _threads(batch.count), batch.begins, np.zeros(1, np.int64), *arguments)


def _threads(work: int) -> int:
    return 1 if work < _SOLO_WORK else get_num_threads()


def _marks(slabs: Slabs) -> Any:
    return _NO_MARKS if slabs.marks is None else slabs.marks


def _bits(weights: Any) -> Any:
    """Weights as integers of the same width, so that one compiled kernel serves int32 and float32."""
    return np.empty(0, np.int32) if weights is None else weights.view(f"i{weights.dtype.itemsize}")


def _report(words: Any) -> Report:
    return Report(*words[:WORD_BAD].tolist())
