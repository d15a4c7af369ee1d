"""Long sequences of batches of the kinds that are hard on answers that follow them."""

import numpy as np

import minigr as mg
from minigr.device import CPU

KINDS = ("mixed", "hub", "tree", "parts", "path", "weights")
N = 90


def weights_of(rng, count, dtype):
    """Weights of which many are alike and some zero."""
    return rng.integers(0, 6, count).astype(dtype) / (1 if np.dtype(dtype).kind == "i" else 4)


def start(kind, rng, directed, weighted, device):
    """The graph that a sequence begins with."""
    if kind == "path":
        src, dst = np.arange(N - 1), np.arange(1, N)
    elif kind == "hub":
        src, dst = np.zeros(N - 1, int), np.arange(1, N)
    elif kind == "parts":  # cliques, with few edges between them
        parts = N // 9
        src, dst = (9 * rng.integers(0, parts, 300) + rng.integers(0, 9, (2, 300))).astype(int)
        src, dst = np.append(src, 9 * np.arange(parts - 1)), np.append(dst, 9 * np.arange(1, parts))
    else:
        src, dst = rng.integers(0, N, (2, 2 * N))
    values = weights_of(rng, len(src), weighted) if weighted else None
    return mg.DynamicGraph.from_edges(
        src, dst, values, num_vertices=N, directed=directed, device=device, in_edges=True,
        allow_self_loops=bool(rng.integers(2)),
    )  # fmt: skip


def edges_of(graph):
    """The ends of all arcs."""
    rows = graph.to_graph()
    return np.repeat(np.arange(N), np.diff(CPU.asarray(rows.offsets))), CPU.asarray(rows.indices)


def batches(kind, rng, graph, steps, parent=None):
    """For each step ``("insert" or "delete", src, dst)``; the next is made when the last has been applied.

    `parent` returns a tree whose edges are to be deleted, where there is one.
    """
    for step in range(steps):
        src, dst = edges_of(graph)
        if kind == "weights":
            size = min(len(src), 12)
            there = rng.choice(len(src), size) if len(src) else []
            yield "insert", np.repeat(src[there], 2), np.repeat(dst[there], 2)  # the second of each counts
        elif kind == "path":
            middle = N // 2 + int(rng.integers(-9, 9))
            yield "delete", [middle], [middle + 1]
            yield "insert", [middle], [middle + 1]
        elif kind == "hub":
            some = rng.integers(0, N, 12)
            yield ("insert" if step % 2 else "delete"), np.zeros(12, int), some
            yield "insert", some[:4], rng.integers(0, N, 4)
        elif kind == "tree" and parent is not None and step % 2 == 0:
            above = CPU.asarray(parent())
            child = rng.permutation(np.flatnonzero(above >= 0))[:6]
            yield "delete", above[child], child
        elif kind == "parts" and step % 2 == 0:
            one = 9 * int(rng.integers(0, N // 9))
            leaving = (src // 9 == one // 9) != (dst // 9 == one // 9)
            yield "delete", src[leaving], dst[leaving]
        elif step % 2 and len(src):
            gone = rng.choice(len(src), 7)
            yield "delete", np.append(src[gone], rng.integers(0, N, 3)), np.append(dst[gone], rng.integers(0, N, 3))
        else:
            yield "insert", *rng.integers(0, N, (2, 9))


def replay(kind, answer, check, seed, steps, parent=None, dtype=None):
    """Apply a sequence to an answer and `check` it after every batch; what the updates were."""
    rng, graph, updates = np.random.default_rng(seed), answer.graph, []
    for what, src, dst in batches(kind, rng, graph, steps, parent):
        if what == "delete":
            answer.delete_edges(src, dst)
        else:
            answer.insert_edges(src, dst, weights_of(rng, len(src), dtype) if dtype else None)
        check()
        updates.append(answer.last_update)
    return updates
