"""The layout of a slab, and the numbers that decide when the hash table of a vertex grows.

A *slab* is 32 lanes of four bytes. Its 128 bytes are a cache line of a GPU. It holds 30 keys, the vertex that owns it,
and the next slab of its chain. A vertex has one or more *buckets*, and each bucket is a chain of slabs. The first slab
of a chain is a base slab. The base slabs of a vertex are contiguous and form its run. A key is the id of a neighbor. An
insertion puts a key in the first lane of the chain that was never used, or in the place of a deleted key. So unused
lanes are always the last lanes of a chain.

Awad, Ashkiani, Porumbescu and Owens, Dynamic Graphs on the GPU, IPDPS 2020, section IV, describe the slab hash. Their
weighted graphs interleave keys and weights, 15 pairs to a slab. Here weights have a pool of their own, at the same
positions as the keys, so that a search reads only keys.
"""

from __future__ import annotations

from typing import Any

from minigr.graphs.adjacency import EMPTY as EMPTY

LANES = 32
KEYS = 30
"""Number of keys of a slab, in lanes 0 to 29."""
OWNER = 30
NEXT = 31
SLAB_BYTES = 4 * LANES

TOMBSTONE = -2
"""The value of the lane of a deleted edge. TOMBSTONE - key is a tombstone that keeps the key, so every value less than
TOMBSTONE is a tombstone, too. A lane that was never used is EMPTY."""
NIL = -1
"""The next slab of the last slab of a chain, and the owner of a slab that is not in use."""

LOAD_FACTOR = 0.7
"""Keys of a vertex divided by the lanes of its base slabs, when the number of its buckets is chosen."""
CHAIN_LIMIT = 2
"""The slabs that a chain may have, at a load factor of at most 1, before an insertion checks whether the vertex of the
chain should have more buckets."""
NO_LIMIT = 2**31 - 1
"""A limit that is greater than the number of slabs of any chain."""
GROWTH = 1.5
"""A vertex gets a new run of base slabs if it should have at least this many times its buckets. The edges that were
inserted since the last move pay for this move."""
FLUSH_SHARE = 0.5
"""The share of used lanes that may be tombstones. Above this share, all tombstones are removed."""

HASH_FACTOR = 0x9E3779B1
HASH_SHIFT = 15

# The state of each arc of a batch after an insertion or deletion.
UNCHANGED, CHANGED, WITHOUT_SLAB, LONG_CHAIN = 0, 1, 2, 3

# The options of a launch over a batch: which arcs the pairs stand for, and which of these arcs the launch is about.
MIRROR, REVERSE, KEEP_LOOPS, RESUME, ONLY_CHANGED = 1, 2, 4, 8, 16
# The type of the weights, if the launch must check them.
FLOAT32, FLOAT64 = 32, 64

# The words of the array in which kernels report. The first words are the fields of a `Report`, in the same order.
(WORD_CHANGED, WORD_LOOPS, WORD_WITHOUT_SLAB, WORD_LONG_CHAIN, WORD_TAKEN, WORD_RETURNED, WORD_REUSED, WORD_BAD,
 WORD_DONE, WORD_LISTED, WORD_RUNS, WORD_SINGLES, WORD_OVERFLOW, WORD_OLD, WORD_TOMBSTONES,
 WORD_WIDEST) = range(16)  # fmt: skip
REPORT_WORDS = 16
NOT_BAD = -1  # the maximum of an unsigned word, because kernels store a minimum in this word


def buckets_for(xp: Any, degrees: Any, load_factor: float) -> Any:
    """int64: the number of buckets that a vertex of each degree gets.

    A vertex whose neighbors fit in one slab gets one bucket, whatever the load factor is, because one read loads a
    single slab, and more slabs would only cost memory. With an infinite load factor each vertex gets one bucket. A
    degree below 0 marks a vertex that will never have an edge here. Such a vertex gets no bucket.

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
    """The slabs that a chain may have before an insertion checks whether its vertex should have more buckets."""
    return int(min(NO_LIMIT, CHAIN_LIMIT - 1 + max(load_factor, 1.0)))


_HOST_ONLY = ("SLAB_BYTES", "LOAD_FACTOR", "CHAIN_LIMIT", "NO_LIMIT", "GROWTH", "FLUSH_SHARE")


def cuda_constants(updates: bool = True) -> str:
    """The constants above as CUDA C++. Compiled code must include them before ``slabs.cuh``.

    `updates`: also the constants of reports. Operators leave these out, because the names are macros in their code.
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
