"""Kernels over whole chains, by teams of CPU threads; the counterpart of `chains.cuh`."""

from __future__ import annotations

import numpy as np

from minigr.graphs.dynamic.layout import EMPTY, KEYS, LANES, NEXT, NIL, OWNER, TOMBSTONE, WORD_CHANGED, WORD_LOOPS
from minigr.jit.atomics import atomic_add
from minigr.jit.kernel import entry, kernel
from minigr.jit.seq_cst import fetch_add


@entry
def clear(rank, size, sync, slabs, owners, pool):
    """Make each of `slabs` an empty slab without a next slab, and write its owner."""
    for i in range(slabs.size * rank // size, slabs.size * (rank + 1) // size):
        start = np.int64(slabs[i]) * LANES
        for lane in range(KEYS):
            pool[start + lane] = EMPTY
        pool[start + OWNER], pool[start + NEXT] = owners[i], NIL


@kernel
def _first_lane(marks, slab, since):
    """The first lane of a slab that a walk reads: 0, or the first lane after the mark."""
    return np.int64(marks[slab]) if since else np.int64(0)


@entry
def measure(rank, size, sync, firsts, pool, marks, since, lives, used, lengths):
    """Count live keys, used lanes and slabs of each chain; with `since`, only keys and lanes after the mark."""
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
    """Write the live arcs of chain i from position ``offsets[i]`` on. Outputs may have length 0, except `keys`."""
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
    """Write the slabs of chain i from position ``offsets[i]`` on."""
    for i in range(firsts.size * rank // size, firsts.size * (rank + 1) // size):
        slab, at = np.int64(firsts[i]), offsets[i]
        while slab != NIL:
            slabs[at] = slab
            at += 1
            slab = np.int64(pool[slab * LANES + NEXT])


@entry
def note_fill(rank, size, sync, firsts, pool, marks):
    """Store how many lanes are used in each slab of these chains. Later lanes are after the mark."""
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
    """Delete every arc whose key is a dead vertex, in one pass over the pool, because slabs hold their owners.

    Two threads may have slabs of the same owner, so degrees are decreased atomically. For `restore_swept`, each lane
    has a bit of `swept` that says whether its arc was deleted, and the tombstones keep the keys.
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
    """Put back the arcs that `sweep` has deleted."""
    for slab in range(swept.size * rank // size, swept.size * (rank + 1) // size):
        if swept[slab] == 0:
            continue
        start, back = slab * LANES, 0
        for lane in range(KEYS):
            if swept[slab] >> np.uint32(lane) & np.uint32(1):
                pool[start + lane] = TOMBSTONE - pool[start + lane]
                back += 1
        atomic_add(degrees, np.int64(pool[start + OWNER]), back)
