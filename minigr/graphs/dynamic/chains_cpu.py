"""What goes through whole chains, by teams of CPU threads; `chains.cuh` is its counterpart."""

from __future__ import annotations

import numpy as np

from minigr.graphs.dynamic.layout import EMPTY, KEYS, LANES, NEXT, NIL, OWNER, TOMBSTONE, WORD_CHANGED, WORD_LOOPS
from minigr.jit.atomics import atomic_add
from minigr.jit.kernel import entry, kernel
from minigr.jit.seq_cst import fetch_add


@entry
def clear(rank, size, sync, slabs, owners, pool):
    """Make each of `slabs` an empty slab without a successor, of the owner given beside it."""
    for i in range(slabs.size * rank // size, slabs.size * (rank + 1) // size):
        start = np.int64(slabs[i]) * LANES
        for lane in range(KEYS):
            pool[start + lane] = EMPTY
        pool[start + OWNER], pool[start + NEXT] = owners[i], NIL


@kernel
def _first_lane(marks, slab, since):
    """The first lane that a walk looks at: 0, or what the mark left."""
    return np.int64(marks[slab]) if since else np.int64(0)


@entry
def measure(rank, size, sync, firsts, pool, marks, since, lives, used, lengths):
    """Live keys, used lanes and slabs of each chain; with `since` only the keys and lanes that came after the mark."""
    for i in range(firsts.size * rank // size, firsts.size * (rank + 1) // size):
        slab, live, full, length = np.int64(firsts[i]), 0, 0, 0
        while slab != NIL:
            for lane in range(_first_lane(marks, slab, since), KEYS):
                key = pool[slab * LANES + lane]
                live += key >= 0
                full += key != EMPTY
            length += 1
            slab = np.int64(pool[slab * LANES + NEXT])
        lives[i], used[i], lengths[i] = live, full, length


@entry
def read(rank, size, sync, firsts, offsets, pool, weights, marks, since, owners, keys, bits, fresh):
    """The live arcs of chain i from position ``offsets[i]``; outputs of length 0 are left alone."""
    for i in range(firsts.size * rank // size, firsts.size * (rank + 1) // size):
        slab, at = np.int64(firsts[i]), offsets[i]
        while slab != NIL:
            start = slab * LANES
            for lane in range(_first_lane(marks, slab, since), KEYS):
                key = pool[start + lane]
                if key >= 0:
                    keys[at] = key
                    if owners.size > 0:
                        owners[at] = pool[start + OWNER]
                    if bits.size > 0:
                        bits[at] = weights[start + lane]
                    if fresh.size > 0:
                        fresh[at] = lane >= marks[slab]
                    at += 1
            slab = np.int64(pool[start + NEXT])


@entry
def list_slabs(rank, size, sync, firsts, offsets, pool, slabs):
    """The slabs of chain i from position ``offsets[i]``."""
    for i in range(firsts.size * rank // size, firsts.size * (rank + 1) // size):
        slab, at = np.int64(firsts[i]), offsets[i]
        while slab != NIL:
            slabs[at] = slab
            at += 1
            slab = np.int64(pool[slab * LANES + NEXT])


@entry
def note_fill(rank, size, sync, firsts, pool, marks):
    """Note how many lanes of each slab in these chains are used: those from there on come after the mark."""
    for i in range(firsts.size * rank // size, firsts.size * (rank + 1) // size):
        slab = np.int64(firsts[i])
        while slab != NIL:
            used = 0
            for lane in range(KEYS):
                used += pool[slab * LANES + lane] != EMPTY
            marks[slab] = used
            slab = np.int64(pool[slab * LANES + NEXT])


@entry
def sweep(rank, size, sync, dead, bump, pool, degrees, swept, report):
    """Delete every arc whose key is a dead vertex: one stream over the pool, because slabs know their owners.

    Slabs of one owner may fall to two threads, so degrees are lowered atomically. A bit of `swept` for each lane tells
    which arcs of a slab were deleted, and their tombstones keep the keys, for `restore_swept`.
    """
    changed, loops = 0, 0
    for slab in range(bump * rank // size, bump * (rank + 1) // size):
        start, gone, lanes = slab * LANES, 0, np.uint32(0)
        for lane in range(KEYS):
            key = pool[start + lane]
            if key >= 0 and dead[key]:
                pool[start + lane] = TOMBSTONE - key
                lanes |= np.uint32(1) << np.uint32(lane)
                gone += 1
                loops += key == pool[start + OWNER]
        swept[slab] = lanes
        if gone > 0:
            atomic_add(degrees, np.int64(pool[start + OWNER]), -gone)
            changed += gone
    fetch_add(report, WORD_CHANGED, changed)
    fetch_add(report, WORD_LOOPS, loops)


@entry
def restore_swept(rank, size, sync, swept, pool, degrees):
    """Put the arcs back that `sweep` has deleted."""
    for slab in range(swept.size * rank // size, swept.size * (rank + 1) // size):
        if swept[slab] == 0:
            continue
        start, back = slab * LANES, 0
        for lane in range(KEYS):
            if swept[slab] >> np.uint32(lane) & np.uint32(1):
                pool[start + lane] = TOMBSTONE - pool[start + lane]
                back += 1
        atomic_add(degrees, np.int64(pool[start + OWNER]), back)
