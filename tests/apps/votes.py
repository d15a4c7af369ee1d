"""Label propagation in plain Python, to be equalled vertex by vertex and step by step."""

from collections import defaultdict

import numpy as np

from minigr.apps.label_propagation import LABEL, MIX
from minigr.device import CPU
from tests.apps.in_order import number_of


def propagate(rows, seed=0):
    """The label of each vertex of a `Graph`, and the steps it took."""
    n, dst = rows.num_vertices, CPU.asarray(rows.indices).tolist()
    src = np.repeat(np.arange(n), np.diff(CPU.asarray(rows.offsets))).tolist()
    weight = CPU.asarray(rows.weights).tolist() if rows.weighted else [1] * len(src)
    arcs = [(u, v, w) for u, v, w in zip(src, dst, weight, strict=True) if u != v]
    around = [[] for _ in range(n)]
    for u, v, w in arcs + ([(v, u, w) for u, v, w in arcs] if rows.directed else []):
        around[u].append((v, w))
    order, label = [number_of(v, seed) for v in range(n)], list(range(n))
    frontier, steps = set(range(n)), 0
    while frontier:
        wish = {}
        for u in frontier:
            counts = defaultdict(int)
            for v, w in around[u]:
                counts[label[v]] += w
            if counts and max(counts.values()) > counts[label[u]]:
                wish[u] = max(counts, key=lambda its: (counts[its], its * MIX & LABEL))
        held = {
            u
            for u in wish
            for v, _ in around[u]
            if v in wish and (wish[u] == label[v] or wish[v] == label[u]) and order[v] > order[u]
        }
        moved = wish.keys() - held
        frontier = held | {v for u in moved for v, _ in around[u]}
        for u in moved:
            label[u] = wish[u]
        steps += 1
    return label, steps
