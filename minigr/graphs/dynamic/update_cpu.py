"""Insertion, deletion and search in slabs by teams of CPU threads; the counterpart of `update.cuh`.

The arcs of a batch are first sorted into parts by their owner, stably. One thread takes a part. So the arcs of a vertex
are handled in the order of the batch and without atomics, and the slabs of a part fit into a cache together.
"""

from __future__ import annotations

import numpy as np

from minigr.graphs.dynamic.layout import (
    CHANGED,
    EMPTY,
    HASH_FACTOR,
    HASH_SHIFT,
    KEYS,
    LANES,
    LONG_CHAIN,
    NEXT,
    NIL,
    OWNER,
    TOMBSTONE,
    UNCHANGED,
    WITHOUT_SLAB,
    WORD_CHANGED,
    WORD_LONG_CHAIN,
    WORD_LOOPS,
    WORD_REUSED,
    WORD_TAKEN,
    WORD_WITHOUT_SLAB,
)
from minigr.jit.kernel import entry, kernel
from minigr.jit.native.entry import Entry
from minigr.jit.prefetch import prefetch_to_write
from minigr.jit.seq_cst import fetch_add
from minigr.jit.spmd import barrier

AHEAD = 12  # how many arcs before its search a slab is prefetched
_FACTOR, _SHIFT, _32, _LOW = (np.uint64(x) for x in (HASH_FACTOR, HASH_SHIFT, 32, 0xFFFFFFFF))
_EMPTY, _LANE = np.int32(EMPTY), np.int64(LANES)


@kernel
def first_slab(heads, vertex, key):
    """The base slab of the bucket of `key`. One multiplication mixes the bits, another one replaces a modulo."""
    base, buckets = np.int64(heads[2 * vertex]), np.uint64(heads[2 * vertex + 1])
    bits = (np.uint64(key) * _FACTOR) & _LOW
    bits ^= bits >> _SHIFT
    return base + np.int64((bits * buckets) >> _32)


@kernel
def look(pool, start, key):
    """How many keys of a slab equal `key`, and how many lanes are used. Branches would cost more than all lanes."""
    hits, used = np.int32(0), np.int32(0)
    for lane in range(KEYS):
        here = pool[start + lane]
        hits += np.int32(here == key)
        used += np.int32(here != _EMPTY)
    return hits, used


@kernel
def lane_of(pool, start, key):
    """The lane of a key that is in the slab."""
    lane = 0
    while pool[start + lane] != key:
        lane += 1
    return lane


@kernel
def ask_for(heads, pool, vertex, key):
    """Prefetch the two cache lines of a slab."""
    start = first_slab(heads, vertex, key) * _LANE
    prefetch_to_write(pool, start)
    prefetch_to_write(pool, start + 16)


@entry
def deal_out(rank, size, sync, src, dst, mirror, reverse, loops, shift, counts, begins, owners, keys, origins):
    """Sort arcs by ``owner >> shift``, stably; ``counts`` is int64[threads * parts]."""
    parts, m = begins.size - 1, src.size
    first, last, own = m * rank // size, m * (rank + 1) // size, parts * rank
    for i in range(first, last):
        u, v = (dst[i], src[i]) if reverse else (src[i], dst[i])
        if u != v or loops:
            counts[own + (u >> shift)] += 1
            if mirror and u != v:
                counts[own + (v >> shift)] += 1
    barrier(sync, size)
    if rank == 0:
        at = 0
        for part in range(parts):
            begins[part] = at
            for thread in range(size):
                count = counts[parts * thread + part]
                counts[parts * thread + part] = at
                at += count
        begins[parts] = at
    barrier(sync, size)
    for i in range(first, last):
        u, v = (dst[i], src[i]) if reverse else (src[i], dst[i])
        if u != v or loops:
            at = counts[own + (u >> shift)]
            counts[own + (u >> shift)] = at + 1
            owners[at], keys[at], origins[at] = u, v, i
            if mirror and u != v:
                at = counts[own + (v >> shift)]
                counts[own + (v >> shift)] = at + 1
                owners[at], keys[at], origins[at] = v, u, ~i


@kernel
def _parts(begins, work):
    """A loop over the parts of a batch that a thread claims. Yields the beginning and the end of each part."""
    while True:
        part = fetch_add(work, 0, 1)
        if part >= begins.size - 1:
            return
        yield begins[part], begins[part + 1]


@kernel
def _take_slab(pool, free, free_count, bump, capacity, report, owner):
    """Take a new slab; NIL if none is left."""
    taken = fetch_add(report, WORD_TAKEN, 1)
    slab = np.int64(free[taken]) if taken < free_count else bump + taken - free_count
    if slab >= capacity:
        return np.int64(NIL)
    start = slab * _LANE
    for lane in range(KEYS):
        pool[start + lane] = EMPTY
    pool[start + OWNER], pool[start + NEXT] = owner, NIL
    return slab


@kernel
def _tombstone(pool, marks, slab, used):
    """The position of the first tombstone of a slab that is after the mark, or -1."""
    start, lane = slab * _LANE, np.int64(0)
    if marks.size > 0:
        lane = np.int64(marks[slab])
    while lane < used:
        if pool[start + lane] <= TOMBSTONE:
            return start + lane
        lane += 1
    return np.int64(-1)


def _make_insert(reuses):
    def insert(
        rank, size, sync, begins, work, owners, keys, states, slots, limit, heads, degrees, pool, marks, free,
        free_count, bump, capacity, report,
    ):  # fmt: skip
        """Insert the arcs whose state is not settled, unless they exist. `slots` gets the position of each arc.

        An arc is left to another pass if it needs a slab and none is left, or if its chain would grow beyond `limit`
        slabs. With `reuses`, an arc takes the first tombstone of its chain, if there is one.
        """
        changed, loops, without, long, reused = 0, 0, 0, 0, 0
        keep_slots = slots.size > 0
        for begin, end in _parts(begins, work):
            for a in range(begin, end):
                if a + AHEAD < end and states[a + AHEAD] >= WITHOUT_SLAB:
                    ask_for(heads, pool, owners[a + AHEAD], keys[a + AHEAD])
                if states[a] < WITHOUT_SLAB:
                    continue
                owner, key = owners[a], keys[a]
                slab, length, state, room = first_slab(heads, owner, key), 1, WITHOUT_SLAB, np.int64(-1)
                while state == WITHOUT_SLAB:
                    start = slab * _LANE
                    hits, used = look(pool, start, key)
                    if reuses and room < 0:
                        room = _tombstone(pool, marks, slab, used)
                    if hits > 0:
                        state = UNCHANGED
                        if keep_slots:
                            slots[a] = start + lane_of(pool, start, key)
                    elif used == KEYS and pool[start + NEXT] != NIL:
                        slab = np.int64(pool[start + NEXT])
                        length += 1
                    elif used < KEYS or room >= 0:
                        if room >= 0:
                            reused += 1
                        else:
                            room = start + used
                        pool[room] = key
                        state = CHANGED
                        if keep_slots:
                            slots[a] = room
                    elif length >= limit:
                        state = LONG_CHAIN
                    else:
                        slab = _take_slab(pool, free, free_count, bump, capacity, report, owner)
                        if slab == NIL:
                            break
                        pool[start + NEXT] = slab
                        length += 1
                states[a] = state
                if state == CHANGED:
                    degrees[owner] += 1
                    changed += 1
                    loops += owner == key
                without += state == WITHOUT_SLAB
                long += state == LONG_CHAIN
        fetch_add(report, WORD_CHANGED, changed)
        fetch_add(report, WORD_LOOPS, loops)
        fetch_add(report, WORD_WITHOUT_SLAB, without)
        fetch_add(report, WORD_LONG_CHAIN, long)
        fetch_add(report, WORD_REUSED, reused)

    return insert


insert = Entry(_make_insert(reuses=False), f"{__name__}.insert")
insert_reusing = Entry(_make_insert(reuses=True), f"{__name__}.insert_reusing")


@entry
def remove(rank, size, sync, begins, work, owners, keys, states, slots, only_changed, heads, degrees, pool, report):
    """Put a tombstone in the place of each arc that exists; with `only_changed`, only of arcs whose state is CHANGED.

    `slots`, if not empty, gets the position of each deleted arc, or -1.
    """
    changed, loops = 0, 0
    keep_slots = slots.size > 0
    for begin, end in _parts(begins, work):
        for a in range(begin, end):
            if a + AHEAD < end:
                ask_for(heads, pool, owners[a + AHEAD], keys[a + AHEAD])
            if only_changed and states[a] != CHANGED:
                continue
            owner, key = owners[a], keys[a]
            start = slot_of(heads, pool, owner, key)
            states[a] = UNCHANGED
            if keep_slots:
                slots[a] = start
            if start >= 0:
                pool[start] = TOMBSTONE
                states[a] = CHANGED
                degrees[owner] -= 1
                changed += 1
                loops += owner == key
    fetch_add(report, WORD_CHANGED, changed)
    fetch_add(report, WORD_LOOPS, loops)


@entry
def restore(rank, size, sync, begins, work, owners, keys, slots, degrees, pool):
    """Put back the arcs that `remove` has deleted, each in its slot."""
    for begin, end in _parts(begins, work):
        for a in range(begin, end):
            if slots[a] >= 0:
                pool[slots[a]] = keys[a]
                degrees[owners[a]] += 1


@kernel
def slot_of(heads, pool, owner, key):
    """The position of an arc in the pool, or -1."""
    slab = first_slab(heads, owner, key)
    while True:
        start = slab * _LANE
        hits, used = look(pool, start, key)
        if hits > 0:
            return start + lane_of(pool, start, key)
        slab = np.int64(pool[start + NEXT])
        if used < KEYS or slab == NIL:
            return np.int64(-1)


@entry
def find(rank, size, sync, src, dst, heads, pool, found, slots):
    """Find whether each arc exists, and write its position to `slots`, if not empty."""
    begin, end = src.size * rank // size, src.size * (rank + 1) // size
    for i in range(begin, end):
        if i + 2 * AHEAD < end:
            prefetch_to_write(heads, 2 * np.int64(src[i + 2 * AHEAD]))
        if i + AHEAD < end:
            ask_for(heads, pool, src[i + AHEAD], dst[i + AHEAD])
        slot = slot_of(heads, pool, src[i], dst[i])
        found[i] = slot >= 0
        if slots.size > 0:
            slots[i] = slot


@entry
def mark(rank, size, sync, ids, bits, count):
    """Set the bit of each id that is not negative, and keep the ids whose bit was not set before. One thread only."""
    kept = 0
    for i in range(ids.size):
        if ids[i] < 0:
            continue
        bit = np.int32(1) << np.int32(ids[i] & 31)
        if bits[ids[i] >> 5] & bit == 0:
            bits[ids[i] >> 5] |= bit
            ids[kept] = ids[i]
            kept += 1
    count[0] = kept


@entry
def put_weights(rank, size, sync, begins, work, origins, slots, bits, weights, held):
    """Write the weight of each arc to its position, in order, so that the last weight of a batch remains.

    The old weights go to `held`, if it is not empty.
    """
    keep = held.size > 0
    for begin, end in _parts(begins, work):
        for a in range(begin, end):
            if keep and a + AHEAD < end:
                prefetch_to_write(weights, slots[a + AHEAD])
            origin, slot = np.int64(origins[a]), slots[a]
            if keep:
                held[a] = weights[slot]
            weights[slot] = bits[origin if origin >= 0 else ~origin]


@entry
def restore_weights(rank, size, sync, begins, work, slots, weights, held):
    """Undo `put_weights`, in reverse order of the arcs."""
    for begin, end in _parts(begins, work):
        for a in range(end - 1, begin - 1, -1):
            weights[slots[a]] = held[a]
