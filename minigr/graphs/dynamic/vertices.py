"""Inserting and deleting vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.errors import GraphError, OutOfMemoryError
from minigr.graphs.checks import MAX_VERTICES
from minigr.graphs.dynamic import export, update
from minigr.graphs.dynamic.layout import NIL
from minigr.graphs.dynamic.state import State
from minigr.graphs.dynamic.storage import Slabs
from minigr.graphs.dynamic.transaction import Transaction


def insert(graph: State, count: int, transaction: Transaction, with_edges: bool, has_row: Any = None) -> Any:
    """Insert vertices, see `Batches.insert_vertices`. `with_edges`: the same batch will insert their edges.

    `has_row`, with a bool for each vertex with a new id, says which of these vertices have edges here; by default all.
    """
    xp = graph._device.xp
    if any(one.slabs.withdrawn for one in graph._directions):
        raise OutOfMemoryError("no memory to remove vertices of a batch that was undone: free memory, and try again")
    n = graph.num_vertices
    reused = xp.flatnonzero(graph._dead[:n])[: min(count, graph._num_dead)] if graph._num_dead else xp.arange(0)
    new = count - len(reused)
    check_count(n, new)
    ids = xp.concatenate([reused, xp.arange(n, n + new)]).astype(np.int32)
    if new:
        rows = new if has_row is None else int(has_row.sum())
        has_row = xp.ones(new, np.bool_) if has_row is None else has_row
        for one in graph._directions:
            _make_room(one.slabs, new, rows)
        if graph._dead is not None and n + new > len(graph._dead):
            graph._dead = graph._allocator.grown(graph._dead, n, _roomy(n, new), False)
        for one in graph._directions:
            _add(one.slabs, ids[len(reused) :], has_row, transaction, with_edges)
    if len(reused):
        # Written in another array, because a GPU may lack the memory for writing some elements, and so for undoing
        # this.
        dead = graph._allocator.grown(graph._dead, len(graph._dead), len(graph._dead))
        dead[reused] = False
        transaction.on_undo(_set_dead, graph, graph._dead, graph._num_dead)
        _set_dead(graph, dead, graph._num_dead - len(reused))
    return ids


def check_count(n: int, new: int) -> None:
    """Raise `GraphError` if a graph of n vertices can't have `new` more vertices."""
    if n + new > MAX_VERTICES:
        raise GraphError(f"a graph has at most {MAX_VERTICES} vertices (ids are int32); this one has {n} already")


def named(ends: Any, ids: Any) -> Any:
    """`ends` of edges, with ``~j`` replaced by the id of new vertex j."""
    ends, new = ends.copy(), ends < 0
    ends[new] = ids[~ends[new]]
    return ends


def _set_dead(graph: State, dead: Any, num_dead: int) -> None:
    graph._dead, graph._num_dead = dead, num_dead


def _add(slabs: Slabs, ids: Any, has_row: Any, transaction: Transaction, with_edges: bool) -> None:
    """Add vertices, for which there is room, until the transaction is undone. A vertex gets a slab if `has_row`."""
    xp, n, new = slabs.device.xp, slabs.num_vertices, len(ids)
    firsts, from_free, bump = slabs.place_runs(has_row.astype(np.int64))
    heads = xp.stack([firsts, has_row.astype(np.int32)], axis=1).ravel()
    firsts, ids = firsts[has_row], ids[has_row]
    nobody = slabs.allocator.full(len(ids), NIL, np.int32)
    if with_edges:
        transaction.on_undo(_withdraw_last, slabs, n)
    else:
        transaction.on_undo(_remove_last, slabs, firsts, nobody, n, slabs.free_count, slabs.bump)
    slabs.kernels.clear(slabs, firsts, ids)
    slabs.heads[2 * n : 2 * (n + new)] = heads
    slabs.note_widest(1)
    slabs.degrees[n : n + new] = 0
    slabs.free_count -= from_free
    slabs.bump = bump
    slabs.num_vertices = n + new


def _remove_last(slabs: Slabs, firsts: Any, nobody: Any, n: int, free_count: int, bump: int) -> None:
    slabs.kernels.clear(slabs, firsts, nobody)
    slabs.num_vertices, slabs.free_count, slabs.bump = n, free_count, bump


def _withdraw_last(slabs: Slabs, n: int) -> None:
    """Reduce the number of vertices to `n`. The others may have more slabs by now, and freeing these takes memory."""
    slabs.num_vertices, slabs.withdrawn = n, slabs.num_vertices - n


def _roomy(n: int, new: int) -> int:
    """The number of vertices for which to make room: n, `new` more, and some for the future."""
    return n + max(new, n // 4)


def _make_room(slabs: Slabs, new: int, rows: int) -> None:
    slabs.reserve(rows)
    n = slabs.num_vertices
    if 2 * (n + new) > len(slabs.heads):
        heads = slabs.allocator.grown(slabs.heads, 2 * n, 2 * _roomy(n, new))
        slabs.degrees = slabs.allocator.grown(slabs.degrees, n, _roomy(n, new))
        slabs.heads = heads


def delete(graph: State, ids: Any, transaction: Transaction) -> int:
    """See `Batches.delete_vertices`; `ids` are vertices of the graph, and may repeat."""
    if len(gone := there_of(graph, ids)):
        update.remove(graph._directions, *arcs_at(graph, gone), transaction, False)
        bury(graph, gone, gone, transaction)
    return len(gone)


def there_of(graph: State, ids: Any) -> Any:
    """The vertices of `ids` that are not deleted, each once."""
    found = graph._device.xp.unique(ids)
    return found[~graph._dead[found]] if graph._num_dead else found


def arcs_at(graph: State, gone: Any) -> tuple[Any, Any]:
    """Sources and destinations of the arcs from vertices and, if in-edges are kept, of the arcs to them."""
    src, dst = export.arcs_of(graph._out, gone)
    if graph._in is None:
        return src, dst
    heads, tails = export.arcs_of(graph._in, gone)
    return graph._device.xp.concatenate([src, tails]), graph._device.xp.concatenate([dst, heads])


def bury(graph: State, gone: Any, own: Any, transaction: Transaction) -> None:
    """Mark vertices as deleted, until the transaction is undone. `own` are those of them that have slabs here.

    The arcs that `arcs_at` finds must already be deleted.
    """
    out = graph._out
    dead = graph._allocator.full(len(out.degrees), False, np.bool_)
    if graph._dead is not None:
        dead[: graph.num_vertices] = graph._dead[: graph.num_vertices]
    dead[gone] = True
    if graph.directed and graph._in is None:  # the sources of arcs to these vertices are unknown, so sweep all slabs
        swept = graph._allocator.empty(out.bump, np.uint32)
        report = out.kernels.sweep(out, dead, swept)
        transaction.on_undo(out.kernels.restore_swept, out, swept)
        update.book_removed(out, report, transaction)
    transaction.on_undo(_bring_back, graph, graph._dead, graph._num_dead)
    graph._dead = dead
    graph._num_dead += len(gone)
    for one in graph._directions:
        one.slabs.vacant = own


def _bring_back(graph: State, dead: Any, num_dead: int) -> None:
    _set_dead(graph, dead, num_dead)
    for one in graph._directions:
        one.slabs.vacant = None
