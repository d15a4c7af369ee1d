"""Coloring and independent sets as what they are to equal: one vertex after the other, in plain Python."""

import numpy as np

from minigr.device import CPU
from minigr.enactor.control import DRIVERS

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
    near = neighbors_of(rows)
    color = np.full(len(near), -1, np.int32)
    for v in _order(rows, near, order, seed):
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


def check_whoever_runs_it(app, values_of, graph, expected):
    """That each driver finds `expected`, in as many steps, and a trace has each of them."""
    drivers = DRIVERS if graph._device.is_cuda else ("auto", "fused", "host")
    runs = [app(graph, seed=9, driver=driver) for driver in drivers]
    runs.append(app(graph, seed=9, trace=True))
    for result in runs:
        np.testing.assert_array_equal(CPU.asarray(values_of(result)), expected)
        assert result.iterations == runs[0].iterations
    assert len(runs[-1].trace) == runs[-1].iterations
