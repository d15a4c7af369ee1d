"""Vertices that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.errors import GraphError, OutOfMemoryError
from minigr.graphs.checks import MAX_VERTICES
from minigr.graphs.dynamic import update
from minigr.graphs.dynamic.storage import Slabs, starts

if TYPE_CHECKING:
    from minigr.graphs.dynamic.graph import DynamicGraph


def insert(graph: DynamicGraph, count: int) -> Any:
    """See `DynamicGraph.insert_vertices`."""
    xp = graph._device.xp
    if count == 0:
        return xp.zeros(0, np.int32)
    n = graph.num_vertices
    reused = xp.flatnonzero(graph._dead[:n])[: min(count, graph._num_dead)] if graph._num_dead else xp.arange(0)
    new = count - len(reused)
    if n + new > MAX_VERTICES:
        raise GraphError(f"a graph has at most {MAX_VERTICES} vertices (ids are int32); this one has {n} already")
    ids = xp.concatenate([reused, xp.arange(n, n + new)]).astype(np.int32)
    stores = [one.slabs for one in graph._directions]
    for slabs in stores:
        _make_room(slabs, new)
    if graph._dead is not None and n + new > len(graph._dead):
        graph._dead = graph._allocator.grown(graph._dead, n, _roomy(n, new), False)
    if new:
        places = [slabs.place_runs(xp.ones(new, np.int64)) for slabs in stores]
        for slabs, place in zip(stores, places, strict=True):
            _add(slabs, new, *place)
    if len(reused):
        graph._dead[reused] = False
        graph._num_dead -= len(reused)
    return ids


def _add(slabs: Slabs, new: int, firsts: Any, from_free: int, bump: int) -> None:
    """Add `new` vertices whose slabs are `firsts`."""
    xp, n = slabs.device.xp, slabs.num_vertices
    slabs.kernels.clear(slabs, firsts, xp.arange(n, n + new, dtype=np.int32))
    slabs.heads[2 * n : 2 * (n + new)] = xp.stack([firsts, xp.ones(new, np.int32)], axis=1).ravel()
    slabs.note_widest(1)
    slabs.degrees[n : n + new] = 0
    slabs.free_count -= from_free
    slabs.bump = bump
    slabs.num_vertices = n + new


def _roomy(n: int, new: int) -> int:
    """Room for `new` more vertices than n, and some to come."""
    return n + max(new, n // 4)


def _make_room(slabs: Slabs, new: int) -> None:
    slabs.reserve(new)
    n = slabs.num_vertices
    if 2 * (n + new) > len(slabs.heads):
        heads = slabs.allocator.grown(slabs.heads, 2 * n, 2 * _roomy(n, new))
        slabs.degrees = slabs.allocator.grown(slabs.degrees, n, _roomy(n, new))
        slabs.heads = heads


def delete(graph: DynamicGraph, ids: Any) -> int:
    """See `DynamicGraph.delete_vertices`; `ids` are vertices of the graph, any number of times."""
    if len(ids) == 0:
        return 0
    xp = graph._device.xp
    gone = xp.unique(ids)
    if graph._num_dead:
        gone = gone[~graph._dead[gone]]
    if len(gone) == 0:
        return 0
    dead = graph._allocator.full(len(graph._out.degrees), False, np.bool_)
    if graph._dead is not None:
        dead[: graph.num_vertices] = graph._dead[: graph.num_vertices]
    dead[gone] = True
    src, dst = arcs_of(graph._out, gone)
    if graph._in is not None:
        heads, tails = arcs_of(graph._in, gone)
        src, dst = xp.concatenate([src, tails]), xp.concatenate([dst, heads])
    update.remove(graph._directions, src, dst, False)
    if graph.directed and graph._in is None:  # nobody knows who points here, so all slabs are gone through
        update.book_removed(graph._out, graph._out.kernels.sweep(graph._out, dead))
    graph._dead = dead
    graph._num_dead += len(gone)
    for one in graph._directions:
        _free_slabs(one.slabs, gone)
    return len(gone)


def arcs_of(slabs: Slabs, vertices: Any) -> tuple[Any, Any]:
    """Owners and keys of the arcs of some vertices."""
    firsts, _ = slabs.chains(vertices)
    lives, _, _ = slabs.kernels.measure(slabs, firsts, False)
    return slabs.kernels.read(slabs, firsts, *starts(slabs.device.xp, lives), False)[:2]


def _free_slabs(slabs: Slabs, vertices: Any) -> None:
    """Leave one slab to each vertex; where there is no room to do so, its slabs stay until the next rebuild."""
    try:
        slabs.kernels.relocate(slabs, vertices)
    except OutOfMemoryError:
        return
