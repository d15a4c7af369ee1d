"""Random dynamic graphs and batches, and everything that can be asked of a graph: for tests of batches that raise."""

import signal

import numpy as np

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError, OutOfMemoryError
from tests.allocations import Failing
from tests.graphs.dynamic.oracle import check_slabs

WEIGHTS = (None, "int32", "float32", "int64", "float64")


def random_graph(rng, device=None, n=None):
    """A graph with random options, tombstones, deleted vertices and marks."""
    n = int(rng.integers(1, 120)) if n is None else n
    directed, in_edges, weights = bool(rng.integers(2)), bool(rng.integers(2)), WEIGHTS[rng.integers(len(WEIGHTS))]
    src, dst = pairs(rng, n, int(rng.integers(0, 12 * n)))
    graph = mg.DynamicGraph(
        n, directed=directed, weighted=weights or False, in_edges=in_edges, allow_self_loops=bool(rng.integers(2)),
        load_factor=float(rng.choice([0.3, 0.7, 1.0, 3.0, np.inf])), device=device,
    )  # fmt: skip
    graph.insert_edges(src, dst, random_weights(rng, graph, len(src)))
    if rng.random() < 0.5:
        graph.delete_edges(src[::3], dst[::3])
    if rng.random() < 0.4:
        graph.mark()
        some = pairs(rng, n, n)
        graph.insert_edges(some[0], some[1], random_weights(rng, graph, n))
    if rng.random() < 0.3:
        graph.delete_vertices(rng.integers(0, n, max(1, n // 8)))
    return graph


def pairs(rng, n, count):
    """Ends of edges, many of them at one vertex."""
    src, dst = rng.integers(0, n, (2, count), dtype=np.int32)
    src[rng.random(count) < 0.3] = 0
    return src, dst


def random_weights(rng, graph, count):
    return rng.integers(0, 100, count).astype(graph.weight_dtype) if graph.weighted else None


def random_batch(rng, graph):
    """The name of a batch, and a function that applies it to a graph like `graph`; every call does the same."""
    live = CPU.asarray(graph.live_vertices())
    n, size = graph.num_vertices, int(rng.choice([1, 10, 200, 2000]))
    src, dst = (live[ids] if len(live) else ids[:0] for ids in pairs(rng, max(len(live), 1), size))
    rows = graph.to_graph()
    owners, keys = np.repeat(np.arange(n), np.diff(CPU.asarray(rows.offsets))), CPU.asarray(rows.indices)
    there = rng.permutation(len(owners))[: int(rng.choice([1, 20, len(owners)]))]
    weights, with_mask = random_weights(rng, graph, len(src)), bool(rng.integers(2))
    gone = rng.integers(0, n, int(rng.choice([1, max(1, n // 2)])))
    count, factor = int(rng.choice([1, 60, 900])), float(rng.choice([0.2, 0.9]))
    arriving = (~rng.integers(0, count, len(src)), src, weights) if with_mask else ()
    owners, keys = np.append(owners[there], src[:9]), np.append(keys[there], dst[:9])
    batches = {
        "insert_edges": lambda g: g.insert_edges(src, dst, weights, return_mask=with_mask),
        "delete_edges": lambda g: g.delete_edges(owners, keys, return_mask=with_mask),
        "insert_vertices": lambda g: g.insert_vertices(count, *arriving),
        "delete_vertices": lambda g: g.delete_vertices(gone),
        "mark": lambda g: g.mark(),
        "rehash": lambda g: g.rehash(factor),
        "flush": lambda g: g.flush(),
        "copy": lambda g: g.copy(),
    }
    name = rng.choice(list(batches), p=[0.3, 0.25, 0.1, 0.15, 0.05, 0.05, 0.05, 0.05])
    return str(name), batches[name]


def state(graph):
    """Everything that can be asked of a graph, in a form that can be compared. Invariants of slabs are checked."""
    check_slabs(graph)
    found = [graph.num_vertices, graph.num_live_vertices, graph.num_edges, graph.num_arcs, graph.num_self_loops]
    found += [graph.load_factor, _lists(graph.live_vertices(), graph.out_degree(), graph.in_degree())]
    for view in (graph, graph.reverse()) if graph.keeps_in_edges else (graph,):
        rows = view.to_graph()
        found.append(_lists(rows.offsets, rows.indices, rows.weights))
    try:
        src, dst, weights = _lists(*graph.added_since_mark())
        found.append(sorted(zip(src, dst, weights or src, strict=True)))
    except GraphError:
        found.append("no mark")
    return found


def _lists(*arrays):
    return [None if array is None else CPU.asarray(array).tolist() for array in arrays]


def interrupted(call, delay, times=1, gap=0.0):
    """Call a function, and raise KeyboardInterrupt by a signal after `delay` seconds; return whether it was raised.

    With `times` above 1 more signals follow, `gap` seconds apart, whose handlers raise, too.
    """
    left = 0

    def handler(*_):
        nonlocal left
        if left > 0:
            left -= 1
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, handler)  # is not reset, because a signal may come late
    raised = False
    try:
        try:
            left = times
            signal.setitimer(signal.ITIMER_REAL, max(delay, 1e-6), gap)
            call()
            left = 0
        except KeyboardInterrupt:
            raised, left = True, 0
    except KeyboardInterrupt:
        raised, left = True, 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return raised


def check_whole_without_room(graph, batch, device, numbers, state, wanted):
    """Apply a batch to copies of a graph, with another array that finds no room each time; check that each is whole.

    The `state` of a copy must be `wanted` if the batch succeeds, and otherwise that of `graph`. Return the first of
    `numbers` for which there is no such array.
    """
    before = state(graph)
    for number in numbers:
        trial = graph.copy()
        with Failing(number, device) as failing:
            try:
                batch(trial)
                is_done = True
            except OutOfMemoryError:
                is_done = False
        assert state(trial) == (wanted if is_done else before)
        if not failing.failed:
            break
    assert is_done
    return number
