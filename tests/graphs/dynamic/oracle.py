"""A dynamic graph as a Python dictionary, which `DynamicGraph` is compared with."""

import numpy as np

from minigr.device import CPU


class Oracle:
    """Edges that are inserted and deleted one after the other, by the rules of `DynamicGraph`."""

    def __init__(self, n, directed=True, weighted=False, loops=False):
        self.n, self.directed, self.weighted, self.loops = n, directed, weighted, loops
        self.edges, self.dead = {}, set()

    def key(self, u, v):
        return (u, v) if self.directed or u <= v else (v, u)

    def insert(self, src, dst, weights=None):
        mask = []
        for i, (u, v) in enumerate(zip(src, dst, strict=True)):
            key = self.key(u, v)
            wanted = u != v or self.loops
            mask.append(wanted and key not in self.edges)
            if wanted:
                self.edges[key] = None if weights is None else weights[i]
        return mask

    def delete(self, src, dst):
        mask = []
        for u, v in zip(src, dst, strict=True):
            mask.append(self.key(u, v) in self.edges)
            self.edges.pop(self.key(u, v), None)
        return mask

    def insert_vertices(self, k):
        reused = sorted(self.dead)[:k]
        new = list(range(self.n, self.n + k - len(reused)))
        self.dead -= set(reused)
        self.n += len(new)
        return reused + new

    def delete_vertices(self, ids):
        gone = set(ids) - self.dead
        self.dead |= gone
        self.edges = {e: w for e, w in self.edges.items() if e[0] not in gone and e[1] not in gone}
        return len(gone)

    def arcs(self):
        """A dictionary from (u, v) to the weight, with both directions of undirected edges."""
        both = dict(self.edges)
        if not self.directed:
            both.update({(v, u): w for (u, v), w in self.edges.items()})
        return both


def arcs_of(rows):
    """A dictionary from (u, v) to the weight of compressed sparse rows."""
    offsets, indices = CPU.asarray(rows.offsets), CPU.asarray(rows.indices)
    src = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    weights = [None] * len(indices) if rows.weights is None else CPU.asarray(rows.weights).tolist()
    return dict(zip(zip(src.tolist(), indices.tolist(), strict=True), weights, strict=True))


def check(graph, oracle):
    """Check every count, degree and edge; that rows are sorted; and that nothing is in the slabs twice."""
    want = oracle.arcs()
    n = oracle.n
    csr = graph.to_graph()
    assert (graph.num_vertices, graph.num_live_vertices) == (n, n - len(oracle.dead))
    assert (graph.num_edges, graph.num_arcs) == (len(oracle.edges), len(want))
    assert graph.num_self_loops == sum(u == v for u, v in want)
    assert csr.num_arcs == len(want)
    assert arcs_of(csr.out_edges) == want
    rows = np.repeat(np.arange(n), np.diff(CPU.asarray(csr.offsets)))
    assert (np.diff(rows * (n + 1) + CPU.asarray(csr.indices)) > 0).all()
    src = np.array([u for u, _ in want], np.int64)
    dst = np.array([v for _, v in want], np.int64)
    assert CPU.asarray(graph.degree()).tolist() == np.bincount(src, minlength=n).tolist()
    assert CPU.asarray(graph.in_degree()).tolist() == np.bincount(dst, minlength=n).tolist()
    assert CPU.asarray(graph.live_vertices()).tolist() == sorted(set(range(n)) - oracle.dead)
    if graph._in is not None:
        assert graph._in.num_arcs == graph._out.num_arcs
        reverse = arcs_of(rows_of(graph._in))
        assert {(v, u): w for (u, v), w in reverse.items()} == want
    check_slabs(graph)


def rows_of(slabs):
    from minigr.graphs.dynamic.export import rows_of

    return rows_of(slabs)


def check_slabs(graph):
    """Check the invariants of the slabs, which must hold after every update."""
    for one in graph._directions:
        slabs = one.slabs
        n, pool = slabs.num_vertices + slabs.withdrawn, CPU.asarray(slabs.pool).reshape(-1, 32)
        heads = CPU.asarray(slabs.heads)[: 2 * n].reshape(-1, 2)
        seen, live, dead = set(), 0, 0
        for v in range(n):
            keys = []
            for bucket in range(heads[v, 1]):
                slab, open_end = heads[v, 0] + bucket, False
                while slab >= 0:
                    assert slab not in seen, "a slab is in two chains"
                    seen.add(slab)
                    lanes = pool[slab, :30]
                    used = int((lanes != -1).sum())
                    assert (lanes[:used] != -1).all()
                    assert not (open_end and used), "a key behind an unused lane"
                    open_end |= used < 30
                    assert pool[slab, 30] == v
                    keys += lanes[lanes >= 0].tolist()
                    dead += int((lanes <= -2).sum())  # a tombstone may keep its key
                    slab = pool[slab, 31]
            assert len(keys) == len(set(keys)), "an arc is there twice"
            assert not keys or v < slabs.num_vertices
            live += len(keys)
        free = CPU.asarray(slabs.free)[: slabs.free_count].tolist()
        assert len(free) == len(set(free))
        assert not seen & set(free)
        assert seen | set(free) == set(range(slabs.bump)), "a slab is lost"
        assert (pool[free, 30] == -1).all()
        assert (pool[free, :30] == -1).all()
        assert (live, dead) == (slabs.num_arcs, slabs.num_tombstones)
