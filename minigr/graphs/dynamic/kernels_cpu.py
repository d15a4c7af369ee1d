"""Calls of the slab kernels on the CPU. `kernels_cuda` has the same functions for the GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.graphs.dynamic import chains_cpu, update_cpu
from minigr.graphs.dynamic.layout import (
    CHANGED,
    REPORT_WORDS,
    WITHOUT_SLAB,
    WORD_CHANGED,
    WORD_LONG_CHAIN,
    WORD_LOOPS,
    WORD_TAKEN,
    WORD_WITHOUT_SLAB,
)
from minigr.graphs.dynamic.storage import Report
from minigr.jit.spmd import num_threads, run_team

if TYPE_CHECKING:
    from minigr.graphs.dynamic.allocator import Allocator
    from minigr.graphs.dynamic.storage import Slabs

_SOLO_WORK = 8192  # less is left to one thread: starting a team costs as much
_BITS_OF_A_PART = 11  # base slabs of 2048 vertices fit into a core's own cache
_LEAST_PART_BITS, _MOST_PART_BITS = 4, 10  # 16 parts, so that all threads have some; 1024, to write to at a time
_NO_MARKS = np.empty(0, np.uint8)


@dataclass
class Arcs:
    """A batch of arcs, dealt out into parts.

    Attributes
    ----------
    begins : int64[parts + 1]
    owners, keys : int32[arcs]
    origins : int32[arcs]
        Which pair of the batch an arc is from; the complement of that for an arc that runs against its pair.
    states : uint8[arcs]
    slots : int64[arcs] or int64[0]
        Where each arc stands, if weights are to follow.
    changed : bool[pairs] or None
        Room for the mask, so that nothing is left to allocate when the graph has changed.
    """

    begins: Any
    owners: Any
    keys: Any
    origins: Any
    states: Any
    slots: Any
    changed: Any

    @property
    def count(self) -> int:
        """How many arcs there are."""
        return len(self.owners)

    @property
    def with_slots(self) -> bool:
        """Whether insertions note where arcs stand."""
        return len(self.slots) > 0


def arcs(
    allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool = False, reverse: bool = False,
    loops: bool = True, with_slots: bool = False, with_mask: bool = False, distinct: bool = False,
    in_order: bool = False,
) -> Arcs:  # fmt: skip
    """The arcs ``src[i] -> dst[i]``, with `mirror` also those back, with `reverse` only those; loops if wanted.

    `with_slots` if weights are to follow, `with_mask` if `mask` is to be called. For the GPU, where order is not kept
    by itself: `distinct` if no pair comes twice, `in_order` if pairs come in the order of their owners.
    """
    room = len(src) * (2 if mirror else 1)
    threads = _threads(len(src))
    bits = max(n - 1, 0).bit_length()
    many = len(src) >= _SOLO_WORK
    shift = max(bits - _MOST_PART_BITS, min(bits - _LEAST_PART_BITS, _BITS_OF_A_PART), 0) if many else 31
    parts = (max(n - 1, 0) >> shift) + 1
    begins = np.zeros(parts + 1, np.int64)
    owners, keys, origins = (allocator.empty(room, np.int32) for _ in range(3))
    arguments = (src, dst, mirror, reverse, loops, shift, np.zeros(threads * parts, np.int64))
    run_team(update_cpu.deal_out, threads, *arguments, begins, owners, keys, origins)
    count = int(begins[-1])
    slots = allocator.empty(count if with_slots else 0, np.int64)
    states = allocator.full(count, WITHOUT_SLAB, np.uint8)
    changed = allocator.full(len(src), False, np.bool_) if with_mask else None
    return Arcs(begins, owners[:count], keys[:count], origins[:count], states, slots, changed)


def degrees(allocator: Allocator, src: Any, dst: Any, n: int, *, mirror: bool, in_edges: bool) -> tuple[Any, Any, int]:
    """How many arcs of these pairs start, and if wanted end, at each vertex; and the first bad pair, or -1.

    Equal pairs and self-loops are counted as they come.
    """
    out, into = np.bincount(src, minlength=n), None
    if mirror or in_edges:
        into = np.bincount(dst, minlength=n)
        out = out + into if mirror else out
    return out, into, -1


def insert(slabs: Slabs, batch: Arcs, limit: int) -> Report:
    """One pass over the arcs that are not settled yet; a chain gets no longer than `limit` slabs."""
    report = np.zeros(REPORT_WORDS, np.int64)
    target = (slabs.heads, slabs.degrees, slabs.pool, slabs.free, slabs.free_count, slabs.bump, slabs.capacity)
    _over_parts(update_cpu.insert, batch, batch.owners, batch.keys, batch.states, batch.slots, limit, *target, report)
    return _report(report)


def remove(slabs: Slabs, batch: Arcs) -> Report:
    return _remove(slabs, batch, False)


def undo(slabs: Slabs, batch: Arcs) -> Report:
    """Delete the arcs that an insertion made."""
    return _remove(slabs, batch, True)


def _remove(slabs: Slabs, batch: Arcs, only_changed: bool) -> Report:
    report = np.zeros(REPORT_WORDS, np.int64)
    what = (batch.owners, batch.keys, batch.states, only_changed)
    _over_parts(update_cpu.remove, batch, *what, slabs.heads, slabs.degrees, slabs.pool, report)
    return _report(report)


def prepare(slabs: Slabs) -> None:
    """Allocate what updates of these slabs work with: nothing here."""


def slack(count: int) -> int:
    """Slabs that an insertion of `count` arcs may hold for a while without need: none here."""
    return 0


def locate(slabs: Slabs, batch: Arcs) -> None:
    """Find again where arcs stand, after some were moved."""
    batch.slots = find(slabs, batch.owners, batch.keys, True)[1]


def owners_in_state(batch: Arcs, state: int) -> Any:
    """The owners of the arcs that an update left in a state; one for each arc."""
    return batch.owners[batch.states == state]


def mask(batch: Arcs) -> Any:
    """bool[pairs]: which pairs of the batch changed the graph."""
    batch.changed[batch.origins[(batch.states == CHANGED) & (batch.origins >= 0)]] = True
    return batch.changed


def put_weights(slabs: Slabs, batch: Arcs, weights: Any) -> None:
    """Write the weights of the pairs to where their arcs stand."""
    _over_parts(update_cpu.put_weights, batch, batch.origins, batch.slots, _bits(weights), _bits(slabs.weights))


def find(slabs: Slabs, src: Any, dst: Any, with_slots: bool) -> tuple[Any, Any, int]:
    """bool[k]: which arcs are there; int64[k], if wanted: where; and the first pair that names no vertex, or -1."""
    found, slots = np.empty(len(src), bool), np.empty(len(src) if with_slots else 0, np.int64)
    run_team(update_cpu.find, _threads(len(src)), src, dst, slabs.heads, slabs.pool, found, slots)
    return found, slots, -1


def clear(slabs: Slabs, which: Any, owners: Any) -> None:
    """Make slabs empty, for these owners."""
    run_team(chains_cpu.clear, _threads(len(which)), which, owners, slabs.pool)


def measure(slabs: Slabs, firsts: Any, since: bool) -> tuple[Any, Any, Any]:
    """int64 live keys, used lanes and slabs of chains; with `since` the keys and lanes that came after the mark."""
    lives, used, lengths = (np.empty(len(firsts), np.int64) for _ in range(3))
    inputs = (firsts, slabs.pool, _marks(slabs), since)
    run_team(chains_cpu.measure, _threads(len(firsts)), *inputs, lives, used, lengths)
    return lives, used, lengths


def read(slabs: Slabs, firsts: Any, offsets: Any, total: int, since: bool, with_fresh: bool = False) -> tuple:
    """Owners, keys, weights (or None) and, if wanted, whether it came after the mark, of the arcs in chains."""
    empty = slabs.allocator.empty
    owners, keys = empty(total, np.int32), empty(total, np.int32)
    weights = None if slabs.weights is None else empty(total, slabs.weights.dtype)
    fresh = empty(total if with_fresh else 0, np.bool_)
    target = (owners, keys, _bits(weights), fresh)
    inputs = (firsts, offsets, slabs.pool, _bits(slabs.weights), _marks(slabs), since)
    run_team(chains_cpu.read, _threads(len(firsts)), *inputs, *target)
    return owners, keys, weights, fresh


def list_slabs(slabs: Slabs, firsts: Any, offsets: Any, total: int) -> Any:
    """int32[total]: the slabs of chains."""
    found = slabs.allocator.empty(total, np.int32)
    run_team(chains_cpu.list_slabs, _threads(len(firsts)), firsts, offsets, slabs.pool, found)
    return found


def note_fill(slabs: Slabs, firsts: Any) -> None:
    """Set the marks of the slabs in chains to the lanes they use."""
    run_team(chains_cpu.note_fill, _threads(len(firsts)), firsts, slabs.pool, slabs.marks)


def sweep(slabs: Slabs, dead: Any) -> Report:
    """Delete all arcs to dead vertices."""
    report = np.zeros(REPORT_WORDS, np.int64)
    run_team(chains_cpu.sweep, _threads(slabs.bump), dead, slabs.bump, slabs.pool, slabs.degrees, report)
    return _report(report)


def sort_rows(offsets: Any, keys: Any, weights: Any) -> tuple[Any, Any]:
    """Keys and weights with each row in increasing order of the keys."""
    run_team(chains_cpu.sort_rows, _threads(len(keys)), offsets, keys, _bits(weights))
    return keys, weights


def _over_parts(kernel: Callable[..., None], batch: Arcs, *arguments: Any) -> None:
    run_team(kernel, _threads(batch.count), batch.begins, np.zeros(1, np.int64), *arguments)


def _threads(work: int) -> int:
    return 1 if work < _SOLO_WORK else num_threads()


def _marks(slabs: Slabs) -> Any:
    return _NO_MARKS if slabs.marks is None else slabs.marks


def _bits(weights: Any) -> Any:
    """Weights as whole numbers of the same width, so that one compiled kernel serves int32 and float32."""
    return np.empty(0, np.int32) if weights is None else weights.view(f"i{weights.dtype.itemsize}")


def _report(words: Any) -> Report:
    return Report(
        changed=int(words[WORD_CHANGED]),
        loops=int(words[WORD_LOOPS]),
        without_slab=int(words[WORD_WITHOUT_SLAB]),
        long_chain=int(words[WORD_LONG_CHAIN]),
        taken=int(words[WORD_TAKEN]),
    )
