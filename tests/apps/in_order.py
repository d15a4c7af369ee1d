"""Coloring and independent sets as what they are to equal: one vertex after the other, in plain Python."""

import numpy as np

from minigr.device import CPU

LOW, ALL = 2**32 - 1, 2**64 - 1


def _splitmix(z):
    z &= ALL
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & ALL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & ALL
    return z ^ (z >> 31)


def _murmur(h):
    h = (h ^ (h >> 16)) * 0x85EBCA6B & LOW
    h = (h ^ (h >> 13)) * 0xC2B2AE35 & LOW
    return h ^ (h >> 16)


def number_of(vertex, seed):
    """The random number of a vertex."""
    key = _splitmix(_splitmix(seed + 0x9E3779B97F4A7C15))
    return _murmur(_murmur(vertex ^ (key & LOW)) ^ (key >> 32))


def neighbors_of(rows):
    """For each vertex of a `Graph` the set of its neighbors, in either direction, without itself."""
    n, dst = rows.num_vertices, CPU.asarray(rows.indices)
    src = np.repeat(np.arange(n), np.diff(CPU.asarray(rows.offsets)))
    near = [set() for _ in range(n)]
    for u, v in zip(src.tolist(), dst.tolist(), strict=True):
        if u != v:
            near[u].add(v)
            near[v].add(u)
    return near


def _order(rows, near, order, seed):
    rank = [(number_of(v, seed),) for v in range(len(near))]
    if order == "largest_first":
        degree = [len(some) for some in near] if rows.directed else CPU.asarray(rows.degree()).tolist()
        rank = [(d, *r) for d, r in zip(degree, rank, strict=True)]
    return sorted(range(len(near)), key=rank.__getitem__, reverse=True)


def color(rows, order="largest_first", seed=0):
    """Each vertex the least color that no neighbor has, by falling degree and random number."""
    return color_along(rows, _order(rows, neighbors_of(rows), order, seed))


def color_along(rows, order):
    """Each vertex in `order` the least color that no neighbor has."""
    near = neighbors_of(rows)
    color = np.full(len(near), -1, np.int32)
    for v in order:
        used = {int(color[u]) for u in near[v]}
        color[v] = next(c for c in range(len(near) + 1) if c not in used)
    return color


def members(rows, seed=0):
    """Each vertex unless a neighbor was taken, by falling random number."""
    near = neighbors_of(rows)
    member = np.zeros(len(near), bool)
    for v in _order(rows, near, "random", seed):
        member[v] = not any(member[u] for u in near[v])
    return member
