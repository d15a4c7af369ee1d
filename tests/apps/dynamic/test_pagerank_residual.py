"""How far the ranks are from the graph's: the bound that PageRank keeps of that, beside the truth."""

import numpy as np
import pytest

import minigr as mg
from minigr.apps.dynamic.common.changes import Changes
from minigr.apps.dynamic.pagerank.drift import Drift
from minigr.apps.pagerank.transition import chance_per_weight
from minigr.device import CPU
from tests.apps.dynamic.batches import KINDS, N, batches, start, weights_of
from tests.verifiers import arcs_of

DAMPING = 0.85
NOISE = 1e-15  # of the sums here


def residual_of(graph, rank, personalization=None):
    """By how much another iteration would change the ranks, in NumPy."""
    src, dst, weight = arcs_of(graph.to_graph())
    weight = np.ones(len(src)) if weight is None else weight.astype(np.float64)
    jump = np.zeros(graph.num_vertices)
    jump[CPU.asarray(graph.live_vertices())] = 1.0
    jump = jump if personalization is None else np.asarray(personalization, np.float64)
    jump = jump / jump.sum()
    out = np.bincount(src, weight, minlength=graph.num_vertices)
    share = np.divide(rank, out, out=np.zeros(len(rank)), where=out > 0)
    gathered = np.bincount(dst, share[src] * weight, minlength=len(rank))
    again = DAMPING * (gathered + rank[out == 0].sum() * jump) + (1 - DAMPING) * jump
    return np.abs(again - rank).sum()


def is_bounded(answer, tolerance, personalization=None):
    assert answer.converged
    true = residual_of(answer.graph, CPU.asarray(answer.rank), personalization)
    assert true <= answer.residual + NOISE
    assert answer.residual <= DAMPING * tolerance * (1 + 1e-6) + NOISE
    return true


def apply(answer, what, src, dst, values):
    before = answer.rank
    if what == "delete":
        answer.delete_edges(src, dst)
    else:
        answer.insert_edges(src, dst, values)
    update = answer.last_update
    if update.kind == "repair" and not update.touched:
        assert answer.iterations == 0
        assert (answer.rank == before).all()
    return update


def directions():
    return pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])


@directions()
@pytest.mark.parametrize("dtype", [None, "int64", "float32"], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_holds_after_every_batch(device, kind, directed, dtype):
    """With a tolerance that some batches fit into and others don't."""
    rng, tol = np.random.default_rng(11), 2e-3
    graph = start(kind, rng, directed, dtype, device)
    preferences = np.arange(N) % 3 if kind == "tree" else None
    answer = mg.dynamic.PageRank(graph, tol=tol / N, personalization=preferences, recompute="never")
    is_bounded(answer, tol, preferences)
    for what, src, dst in batches(kind, rng, graph, 12):
        apply(answer, what, src, dst, weights_of(rng, len(src), dtype) if dtype else None)
        is_bounded(answer, tol, preferences)


@directions()
@pytest.mark.parametrize("dtype", [None, "float64"], ids=str)
def test_small_batches_need_iterations_now_and_then(device, directed, dtype):
    """One edge at a time, of vertices with edges and without, while others come and go."""
    rng, n, tol = np.random.default_rng(5), 400, 0.02
    edges = rng.integers(0, n // 2, (2, 4 * n))  # the other half are dead ends
    graph = mg.DynamicGraph.from_edges(
        *edges, weights_of(rng, 4 * n, dtype) if dtype else None, num_vertices=n, directed=directed, device=device,
        in_edges=True,
    )  # fmt: skip
    answer = mg.dynamic.PageRank(graph, tol=tol / n)
    iterated, tight = [], []
    for step in range(120):
        src, dst = rng.integers(0, n - 1, (2, 1))
        if step % 3 == 2:
            rows = arcs_of(graph.to_graph())
            some = rng.integers(len(rows[0]))
            src, dst = rows[0][some : some + 1], rows[1][some : some + 1]
        what = "delete" if step % 3 == 2 else "insert"
        update = apply(answer, what, src, dst, weights_of(rng, 1, dtype) if dtype else None)
        iterated.append(answer.iterations > 0)
        assert update.kind == "repair"
        tight.append(is_bounded(answer, tol) / answer.residual)
        if step % 40 == 39:
            graph.delete_vertices([n - 1])
            is_bounded(answer, tol)
            assert answer.last_update.reason == "the graph was changed elsewhere"
            graph.insert_vertices(1)
    assert 5 < sum(iterated) < 60
    assert max(tight) > 0.5  # it is no empty promise


def chances(graph):
    """A matrix of where a walk goes from each vertex."""
    src, dst, _ = arcs_of(graph.to_graph())
    matrix = np.zeros((N, N))
    matrix[src, dst] = 1.0
    return matrix / matrix.sum(axis=1, keepdims=True)


@directions()
def test_without_weights_the_drift_is_what_a_batch_moves(device, directed):
    """Where no vertex loses its last edge, as here those of a cycle stay."""
    rng, around = np.random.default_rng(2), np.arange(N)
    graph = mg.DynamicGraph.from_edges(around, (around + 1) % N, directed=directed, in_edges=True, device=device)
    rank = rng.random(N)
    drift = Drift(graph, graph._device.asarray(rank), chance_per_weight(graph))
    ends, steps = rng.integers(0, N, 100), rng.integers(2, N - 2, 100)
    for some, deleted in ((slice(60), False), (slice(30), True), (slice(40, None), False), (slice(80), True)):
        before, as_ids = chances(graph), graph._device.asarray
        src, dst = (as_ids(ids[some].astype(np.int32)) for ids in (ends, (ends + steps) % N))
        (graph.delete_edges if deleted else graph.insert_edges)(src, dst)
        both = graph._device.xp.concatenate
        tails, heads = (src, dst) if directed else (both([src, dst]), both([dst, src]))
        drift.forget()
        moved = drift.follow(Changes(tails, heads, None, None, None, deleted, len(src), len(src)))
        expected = (rank * abs(chances(graph) - before).sum(axis=1)).sum()
        assert moved == pytest.approx(expected, rel=1e-12)
        assert expected > 1.0


@pytest.mark.parametrize(
    ("weights", "now", "expected"),
    [
        ((1, 3), (1, 3), 0.0),
        ((1, None), (1, 3), 1.5),  # three quarters go where none did
        ((1, 3), (1, None), 1.5),
        ((1, 1), (1, 3), 1.0),  # twice a quarter, and as much for the turn of the divisor
        ((1, 3), (1, 1), 1.0),
        ((2, 4), (4, 2), 2 / 3),
        ((None, None), (1, 1), 2.0),
        ((1, None), (None, None), 2.0),
        ((2, 2), (0, 0), 2.0),
        ((0, 0), (2, 2), 2.0),
        ((0, 0), (0, None), 0.0),
    ],
)
def test_what_one_vertex_can_move(device, weights, now, expected):
    """Of a vertex's edges to two others, None where there is none: all that it gives at most goes elsewhere."""
    graph = mg.DynamicGraph(3, directed=True, weighted=True, in_edges=True, device=device)
    list(turn_to(graph, weights))
    chance = chance_per_weight(graph)
    drift = Drift(graph, graph._device.asarray(np.array([0.5, 0.2, 0.3])), chance)
    moved = [drift.follow(changes) for changes in turn_to(graph, now)]
    assert moved[-1] == pytest.approx(0.5 * expected, abs=1e-12)
    np.testing.assert_array_equal(CPU.asarray(chance), CPU.asarray(chance_per_weight(graph)))
    drift.forget()
    assert not any(drift.follow(changes) for changes in turn_to(graph, now))


def turn_to(graph, weights):
    """Give vertex 0 edges of these weights to vertices 1 and 2; the changes one by one, with each arc twice."""
    as_ids = graph._device.asarray
    for kept in (True, False):
        ends = [end for end, value in enumerate(weights, 1) if (value is not None) == kept]
        src, dst = as_ids(np.zeros(2 * len(ends), np.int32)), as_ids(np.array(2 * ends, np.int32))
        before = graph.edge_weights(src, dst, default=-1)
        if kept:
            graph.insert_edges(src, dst, 2 * [value for value in weights if value is not None])
        else:
            src, dst = (ids[before >= 0] for ids in (src, dst))
            graph.delete_edges(src, dst)
        now = graph.edge_weights(src, dst, default=-1)
        if len(src):
            yield Changes(src, dst, now, before, None, not kept, len(src) // 2, len(src))


@directions()
def test_a_coarse_tolerance_does_not_mean_old_ranks(device, directed):
    """Where a change of all ranks would be accepted, what batches moved is followed soon."""
    rng, n = np.random.default_rng(3), 3000
    graph = mg.DynamicGraph.from_edges(
        *(rng.integers(0, n, (2, 4 * n)) ** 2 // n), num_vertices=n, directed=directed, in_edges=True, device=device
    )
    answer = mg.dynamic.PageRank(graph, tol=1.0, recompute="never")
    left, room, iterations = answer.residual, max(DAMPING / 100, answer.residual / 16), []
    for step in range(60):
        if step % 2:
            src, dst, _ = arcs_of(graph.to_graph())
            gone = rng.integers(0, len(src), 12)
            answer.delete_edges(src[gone], dst[gone])
        else:
            answer.insert_edges(np.full(12, 7), rng.integers(0, n, 12))
        true = residual_of(graph, CPU.asarray(answer.rank))
        iterations.append(answer.iterations)
        left = answer.residual if answer.iterations else left
        assert true <= answer.residual <= left + room
    assert 0 < sum(iterations) < 30
    assert max(iterations) == 1
    precise = mg.pagerank(graph, tol=1e-12, max_iter=500).rank
    own, anew = (float(abs(some.rank - precise).sum()) for some in (answer, mg.pagerank(graph, tol=1.0)))
    assert own < anew


def test_an_update_that_was_cut_short_is_made_up_for(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(50, device=device))
    answer = mg.dynamic.PageRank(graph, tol=1e-5, max_iter=3, recompute="never")
    while not answer.converged:
        assert residual_of(graph, CPU.asarray(answer.rank)) <= answer.residual + NOISE
        answer.insert_edges([0], [1])  # is there
        assert 0 < answer.iterations <= 3
    answer.insert_edges([0], [1])
    assert answer.iterations == 0
    is_bounded(answer, 50e-5)


def test_ranks_without_an_iteration_have_no_bound(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(5, device=device))
    answer = mg.dynamic.PageRank(graph, max_iter=0, recompute="never")
    assert answer.residual == np.inf
    answer.insert_edges([0], [4])
    assert (answer.residual, answer.converged) == (np.inf, False)
