"""Random edges as NetworkX draws them, from the same words of the same generator."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigr.jit.kernel import entry
from minigr.networkx.twister import Words

_EMPTY = -1


def rows(n: int, src: Any, dst: Any, directed: bool) -> tuple[Any, Any]:
    """Offsets and neighbors, as if the edges were added one by one; int64[n + 1] and int32."""
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(src, minlength=n) + (0 if directed else np.bincount(dst, minlength=n)), out=offsets[1:])
    targets = np.empty(offsets[-1], np.int32)
    _fill(offsets[:-1].copy(), src, dst, directed, targets)
    return offsets, targets


def random_edges(words: Words, n: int, m: int, directed: bool) -> tuple[Any, Any]:
    """`m` different edges between `n` vertices, in the order in which they are drawn; each end is independent."""
    src, dst = np.empty(m, np.int64), np.empty(m, np.int64)
    table = np.full(1 << (2 * m).bit_length(), _EMPTY, np.int64)
    made, shift = 0, 32 - n.bit_length()
    while made < m:
        made, taken = _draw(words.ahead(), n, shift, directed, src, dst, table, made)
        words.take(taken)
    return src, dst


def skipping_edges(words: Words, n: int, p: float) -> tuple[Any, Any]:
    """Edges that each exist with probability `p`. One draw skips all edges up to the next existing edge.

    Batagelj, Brandes, Efficient Generation of Large Random Networks (Physical Review E 71, 2005).
    """
    parts, log = [], math.log(1.0 - p)
    if log == 0.0 and n > 1:
        raise ZeroDivisionError(f"float division by zero: 1 - p is 1 for p = {p}")  # as NetworkX does
    v, w = 1, -1
    while v < n:
        ahead = words.ahead()
        src, dst = np.empty(len(ahead) // 2, np.int64), np.empty(len(ahead) // 2, np.int64)
        v, w, made, taken = _skip(ahead, n, log, src, dst, v, w)
        words.take(taken)
        parts.append((src[:made], dst[:made]))
    none = np.empty(0, np.int64)
    return np.concatenate([none, *(src for src, _ in parts)]), np.concatenate([none, *(dst for _, dst in parts)])


@entry
def _fill(place, src, dst, directed, targets):
    for e in range(src.size):
        targets[place[src[e]]] = dst[e]
        place[src[e]] += 1
        if not directed:
            targets[place[dst[e]]] = src[e]
            place[dst[e]] += 1


@entry
def _draw(words, n, shift, directed, src, dst, table, made):
    """Return the number of edges, and the number of words that complete draws took."""
    mask, taken, u = table.size - 1, 0, np.int64(_EMPTY)
    for i in range(words.size):
        drawn = np.int64(words[i] >> np.uint32(shift))
        if drawn >= n:
            continue
        if u == _EMPTY:
            u = drawn
            continue
        v, first, taken = drawn, u, i + 1
        u = np.int64(_EMPTY)
        if first == v:
            continue
        key = first * n + v if directed or first < v else v * n + first
        slot = (key * 0x9E3779B1 ^ key >> 15) & mask
        while table[slot] != _EMPTY and table[slot] != key:
            slot = (slot + 1) & mask
        if table[slot] == key:
            continue
        table[slot], src[made], dst[made] = key, first, v
        made += 1
        if made == src.size:
            break
    return made, taken


@entry
def _skip(words, n, log, src, dst, v, w):
    made = taken = 0
    while taken + 2 <= words.size and v < n:
        high, low = np.int64(words[taken] >> np.uint32(5)), np.int64(words[taken + 1] >> np.uint32(6))
        taken += 2
        skipped = math.log(1.0 - (high * 67108864.0 + low) * (1.0 / 9007199254740992.0)) / log
        if skipped >= n * n:  # beyond the last edge, and perhaps beyond int64
            return n, w, made, taken
        w += 1 + int(skipped)
        while w >= v and v < n:
            w -= v
            v += 1
        if v < n:
            src[made], dst[made] = v, w
            made += 1
    return v, w, made, taken
