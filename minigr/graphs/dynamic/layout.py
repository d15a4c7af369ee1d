"""How a slab is laid out, and the few numbers that decide when the hash of a vertex grows.

A *slab* is 32 lanes of four bytes, 128 bytes in all, which is a cache line of a GPU: 30 keys, the vertex that owns it,
and the slab that follows it in its chain. A vertex has one or more *buckets*; each is a chain of slabs whose first, the
base slab, stands in a run with the vertex's other base slabs. A key is the id of a neighbor. A key is put in the first
lane of a chain that was never used, or in the place of a key that was deleted. So unused lanes are always the last ones
of a chain.

(Awad, Ashkiani, Porumbescu and Owens, Dynamic Graphs on the GPU, IPDPS 2020, section IV, has the slab hash; there a
weighted graph interleaves keys and weights, 15 pairs to a slab. Here weights stand in a pool of their own, at the same
place, so that a search reads keys only.)
"""

from __future__ import annotations

from typing import Any

from minigr.graphs.adjacency import EMPTY as EMPTY

LANES = 32
KEYS = 30
"""Keys of a slab; lanes 0 to 29."""
OWNER = 30
NEXT = 31
SLAB_BYTES = 4 * LANES

TOMBSTONE = -2
"""In the lane of an edge that was deleted; so is anything below. TOMBSTONE - key is a tombstone that keeps the key.
A lane that was never used is EMPTY."""
NIL = -1
"""What follows the last slab of a chain, and what owns a slab that is not in use."""

LOAD_FACTOR = 0.7
"""Keys of a vertex over the lanes of its base slabs, when its buckets are counted out."""
CHAIN_LIMIT = 2
"""Slabs that a chain may have, at a load factor of at most 1, before an insertion looks whether its vertex should have
more buckets."""
NO_LIMIT = 2**31 - 1
"""More slabs than a chain can have."""
GROWTH = 1.5
"""A vertex is given a new run of base slabs if it would have at least this many times its buckets. What is moved then
is paid for by the edges that came since the last time."""
FLUSH_SHARE = 0.5
"""Share of used lanes that may be tombstones before all are flushed."""

HASH_FACTOR = 0x9E3779B1
HASH_SHIFT = 15

# What an insertion or deletion left of each arc of a batch.
UNCHANGED, CHANGED, WITHOUT_SLAB, LONG_CHAIN = 0, 1, 2, 3

# What a launch over a batch is told: which arcs its pairs stand for, and which of them it is about.
MIRROR, REVERSE, KEEP_LOOPS, RESUME, ONLY_CHANGED = 1, 2, 4, 8, 16
# What weights are, if they have to be looked at.
FLOAT32, FLOAT64 = 32, 64

# Words of the block in which kernels report; the first are the fields of a `Report`, in its order.
(WORD_CHANGED, WORD_LOOPS, WORD_WITHOUT_SLAB, WORD_LONG_CHAIN, WORD_TAKEN, WORD_RETURNED, WORD_REUSED, WORD_BAD,
 WORD_DONE, WORD_LISTED, WORD_RUNS, WORD_SINGLES, WORD_OVERFLOW, WORD_OLD, WORD_TOMBSTONES,
 WORD_WIDEST) = range(16)  # fmt: skip
REPORT_WORDS = 16
NOT_BAD = -1  # the greatest of unsigned words, which kernels take the least of


def buckets_for(xp: Any, degrees: Any, load_factor: float) -> Any:
    """int64: how many buckets a vertex of each degree is given.

    A vertex whose neighbors fit in one slab gets one bucket, whatever the load factor, because a lone slab is found in
    one read, and more of them would only cost memory. With an infinite load factor each vertex has one. A degree below
    0 stands for a vertex that is never to have an edge here, and gets none.

    Examples
    --------
    >>> import numpy as np
    >>> buckets_for(np, np.array([0, 30, 31, 210]), 0.7)
    array([ 1,  1,  2, 10])
    >>> buckets_for(np, np.array([0, 30, 31, 210, -1]), np.inf)
    array([1, 1, 1, 1, 0])
    """
    degrees = xp.asarray(degrees)
    spread = xp.ceil(degrees / (load_factor * KEYS)).astype("int64")
    return xp.where(degrees <= KEYS, degrees >= 0, xp.maximum(spread, 1))


def chain_limit(load_factor: float) -> int:
    """Slabs that a chain may have before an insertion looks whether its vertex should have more buckets."""
    return int(min(NO_LIMIT, CHAIN_LIMIT - 1 + max(load_factor, 1.0)))


_HOST_ONLY = ("SLAB_BYTES", "LOAD_FACTOR", "CHAIN_LIMIT", "NO_LIMIT", "GROWTH", "FLUSH_SHARE")


def cuda_constants(updates: bool = True) -> str:
    """The constants above as CUDA C++, which ``slabs.cuh`` needs before it is included.

    `updates`: also those of reports, whose names are macros where operators are compiled.
    """
    shared = {name: value for name, value in globals().items() if name.isupper() and name not in _HOST_ONLY}
    if not updates:
        shared = {name: value for name, value in shared.items() if not name.startswith("WORD_")}
    numbers = {name: value for name, value in shared.items() if not name.startswith("_")}
    lines = (f"constexpr {_c_type(value)} {name} = {value};" for name, value in numbers.items())
    return "\n".join(["namespace minigr {", "namespace dynamic {", *lines, "}", "}", ""])


def _c_type(value: int) -> str:
    if value >= 2**32:
        return "long long"
    return "unsigned" if value >= 2**31 else "int"
