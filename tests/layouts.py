"""Graphs in the layout of a dynamic graph, in all shapes that updates leave behind."""

import numpy as np

import minigr as mg
from minigr.device import CPU


def slabs_of(graph, *, seed=0, deleted=0):
    """The distinct edges of a `Graph` as a `DynamicGraph` after a history of updates.

    Edges are inserted in parts, at a load factor with which chains overflow and vertices move. Other edges are inserted
    and deleted, and leave tombstones. The last quarter of the graph's edges is inserted after a mark. `deleted`
    vertices, with edges to some others, are added after the vertices of the graph and deleted again.
    """
    n, rng = graph.num_vertices, np.random.default_rng(seed)
    dst = CPU.asarray(graph.indices)
    src = np.repeat(np.arange(n, dtype=np.int32), np.diff(CPU.asarray(graph.offsets)))
    weights = CPU.asarray(graph.weights) if graph.weighted else None
    made = mg.DynamicGraph(
        n, directed=graph.directed, weighted=graph.weight_dtype if graph.weighted else False, device=graph.device,
        load_factor=1.0, in_edges=True, allow_self_loops=True,
    )  # fmt: skip

    def insert(which):
        made.insert_edges(src[which], dst[which], None if weights is None else weights[which])

    parts = np.array_split(rng.permutation(len(src)), 4)
    for part in parts[:3]:
        insert(part)
    there = set(zip(src.tolist(), dst.tolist(), strict=True))
    if not graph.directed:
        there |= {(v, u) for u, v in there}
    others = {(int(u), int(v)) for u, v in rng.integers(0, max(n, 1), (len(src) // 4 + 9, 2))} - there if n else set()
    others = np.array(sorted(others), np.int32).reshape(-1, 2).T
    made.insert_edges(*others, None if weights is None else np.full(others.shape[1], 77, weights.dtype))
    made.mark()
    insert(parts[3])
    made.delete_edges(*others)
    if deleted:
        ids = CPU.asarray(made.insert_vertices(deleted))
        near = np.arange(min(n, 40), dtype=np.int32)
        ends = np.repeat(ids, len(near)), np.tile(near, len(ids))
        made.insert_edges(*ends, None if weights is None else np.zeros(len(ends[0]), weights.dtype))
        made.delete_vertices(ids)
    if weights is not None:  # of parallel edges the last one counts, so insert all in the graph's order again
        insert(np.arange(len(src)))
    made.delete_edges([], [])  # its upkeep reclaims the slabs of deleted vertices
    return made


def as_graph(graph):
    """A graph of either layout as a `Graph`."""
    return graph if isinstance(graph, mg.Graph) else graph.to_graph()


def arcs_of(graph, since=False):
    """The ids of a graph's arcs on the host, and arrays by id, with gaps: sources, destinations, weights (or None).

    With `since`, ids are only those of arcs after the mark.
    """
    rows = graph.out_edges
    weights = None if rows.weights is None else CPU.asarray(rows.weights)
    if graph.layout == "csr":
        src = np.repeat(np.arange(graph.num_vertices), np.diff(CPU.asarray(rows.offsets)))
        return np.arange(len(src)), src, CPU.asarray(rows.indices), weights
    pool = CPU.asarray(rows.pool).reshape(-1, 32)
    is_arc = (pool >= 0) & (np.arange(32) < 30)
    if since:
        is_arc &= np.arange(32) >= CPU.asarray(rows.marks)[:, None]
    return np.flatnonzero(is_arc), np.repeat(pool[:, 30], 32), pool.ravel(), weights
