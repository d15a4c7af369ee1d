"""Random walks, over the battery, against walks in plain Python, and by what is drawn how often."""

import itertools

import numpy as np
import pytest
from scipy import stats

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError, ProblemError
from minigr.generate.keys import stream_key
from tests.layouts import slabs_of
from tests.verifiers import check_random_walks

_MASK = 2**64 - 1


def bits_of(seed, walk, step):
    return mixed(stream_key(seed, 0), (walk << 32) + step)


def mixed(key, counter):
    z = (key + counter * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def walks_of(graph, starts, length, weighted, seed):
    """The same walks, one step after the other."""
    offsets, indices = CPU.asarray(graph.offsets).tolist(), CPU.asarray(graph.indices).tolist()
    found = []
    for walk, start in enumerate(starts):
        row = [int(start)]
        for step in range(1, length + 1):
            begin, end = offsets[row[-1]], offsets[row[-1] + 1]
            bits = bits_of(seed, walk, step)
            if weighted:
                sums = np.cumsum(CPU.asarray(graph.weights)[begin:end].astype(np.float64))
                if begin == end or sums[-1] == 0:
                    break
                place = int(np.searchsorted(sums, (bits >> 11) * 2.0**-53 * sums[-1], side="right"))
            elif begin == end:
                break
            else:
                place = (bits >> 32) * (end - begin) >> 32
            row.append(indices[begin + place])
        found.append(row + [-1] * (length + 1 - len(row)))
    return np.array(found, np.int32).reshape(len(starts), length + 1)


def biased_walks_of(graph, starts, length, weighted, seed, p, q):
    """The same walks with biases, by lists of what each edge weighs."""
    offsets, indices = CPU.asarray(graph.offsets).tolist(), CPU.asarray(graph.indices).tolist()
    neighbors = [set(indices[begin:end]) for begin, end in itertools.pairwise(offsets)]
    weights = CPU.asarray(graph.weights).astype(np.float64) if weighted else np.ones(len(indices))
    most, found, weighed = max(1 / p, 1.0, 1 / q), [], 0
    for walk, start in enumerate(starts):
        row = [int(start)]
        for step in range(1, length + 1):
            begin, end = offsets[row[-1]], offsets[row[-1] + 1]
            sums = np.cumsum(weights[begin:end])
            if begin == end or sums[-1] == 0:
                break

            def drawn(bits, sums=sums):
                if weighted:
                    return int(np.searchsorted(sums, (bits >> 11) * 2.0**-53 * sums[-1], side="right"))
                return (bits >> 32) * len(sums) >> 32

            bits, there = bits_of(seed, walk, step), indices[begin:end]
            place = drawn(bits)
            if step > 1:
                biases = np.array([1 / p if v == row[-2] else 1.0 if v in neighbors[row[-2]] else 1 / q for v in there])
                for attempt in range(len(there) + 16):
                    place = drawn(mixed(bits, 2 * attempt))
                    if (mixed(bits, 2 * attempt + 1) >> 11) * 2.0**-53 < biases[place] / most:
                        break
                else:
                    totals = np.cumsum(weights[begin:end] * biases / most)
                    wanted = (mixed(bits, 2 * len(there) + 32) >> 11) * 2.0**-53 * totals[-1]
                    place = int(np.searchsorted(totals, wanted, side="right"))
                    weighed += 1
            row.append(there[place])
        found.append(row + [-1] * (length + 1 - len(row)))
    return np.array(found, np.int32).reshape(len(starts), length + 1), weighed


def starts_on(graph, count=40):
    return np.arange(count) % graph.num_vertices if graph.num_vertices else np.arange(0)


def test_battery(graph):
    starts = starts_on(graph)
    for weighted in (False, True)[: 1 + graph.weighted]:
        result = mg.random_walks(graph, starts, 7, weighted=weighted, seed=3)
        assert isinstance(result.vertices, resolve(graph.device).xp.ndarray)
        check_random_walks(graph, starts, 7, result.vertices, weighted)
        np.testing.assert_array_equal(CPU.asarray(result.vertices), walks_of(graph, starts, 7, weighted, 3))
        biased = mg.random_walks(graph, starts, 7, weighted=weighted, p=0.25, q=4.0, seed=3).vertices
        check_random_walks(graph, starts, 7, biased, weighted)
        expected, _ = biased_walks_of(graph, starts, 7, weighted, 3, 0.25, 4.0)
        np.testing.assert_array_equal(CPU.asarray(biased), expected)


@pytest.mark.parametrize("threads", ["1", "5"])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_walks(device, weighted, threads, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    graph = mg.generate.rmat(9, 8, seed=2, weights=(0, 5), directed=True, device=device)
    starts = np.random.default_rng(1).integers(0, graph.num_vertices, 20_000)  # enough for a team
    walks = CPU.asarray(mg.random_walks(graph, starts, 6, weighted=weighted).vertices)
    check_random_walks(graph, starts, 6, walks, weighted)
    longer = CPU.asarray(mg.random_walks(graph, starts[:500], 30, weighted=weighted).vertices)
    np.testing.assert_array_equal(longer[:, :7], walks[:500])
    np.testing.assert_array_equal(longer, walks_of(graph, starts[:500], 30, weighted, 0))


@pytest.mark.parametrize("weighted", [False, True])
def test_each_edge_as_often_as_it_should(device, weighted):
    weights = np.array([1, 2, 3, 4, 0, 5.5, 0.5, 7])
    graph = mg.Graph.from_edges([0] * 8, [1, 2, 3, 3, 4, 5, 6, 7], weights, directed=True, device=device)
    walks = CPU.asarray(mg.random_walks(graph, np.zeros(50_000, np.int32), 1, weighted=weighted, seed=11).vertices)
    seen = np.bincount(walks[:, 1], minlength=8)
    chances = np.bincount([1, 2, 3, 3, 4, 5, 6, 7], weights if weighted else None, minlength=8)
    chances = chances / chances.sum()
    assert (seen[chances == 0] == 0).all()
    there = chances > 0
    assert stats.chisquare(seen[there], 50_000 * chances[there]).pvalue > 0.01


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("p", "q", "some_are_weighed"), [(0.5, 2.0, False), (1e-3, 1.0, True), (1e6, 1e6, True)])
def test_biases(device, weighted, p, q, some_are_weighed):
    graph = mg.generate.rmat(7, 6, seed=8, weights=(0, 4), directed=True, device=device)
    starts = starts_on(graph, 500)
    walks = CPU.asarray(mg.random_walks(graph, starts, 8, weighted=weighted, p=p, q=q, seed=2).vertices)
    check_random_walks(graph, starts, 8, walks, weighted)
    expected, weighed = biased_walks_of(graph, starts, 8, weighted, 2, p, q)
    np.testing.assert_array_equal(walks, expected)
    assert (weighed > 50) == some_are_weighed
    shorter = CPU.asarray(mg.random_walks(graph, starts[:9], 3, weighted=weighted, p=p, q=q, seed=2).vertices)
    np.testing.assert_array_equal(shorter, walks[:9, :4])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("p", "q"), [(0.25, 4.0), (4.0, 0.5), (1.0, 3.0), (0.02, 1.0), (1e3, 1e3)])
def test_biased_steps_as_often_as_they_should(device, weighted, p, q):
    """From 1, which 0 has led to: back to 0, to 2 and 3, which 0 has edges to, and to 4 and 5, which it has none to."""
    src, dst = [0, 0, 0, 1, 1, 1, 1, 1, 1], [1, 2, 3, 0, 2, 3, 4, 5, 5]
    weights = np.array([1e9, 0, 0, 2, 1, 3, 1, 2, 0.5])
    graph = mg.Graph.from_edges(src, dst, weights, directed=True, device=device)
    walks = CPU.asarray(mg.random_walks(graph, [0] * 60_000, 2, weighted=weighted, p=p, q=q, seed=4).vertices)
    seen = np.bincount(walks[walks[:, 1] == 1, 2], minlength=6)[[0, 2, 3, 4, 5]]
    chances = np.array([1 / p, 1, 1, 1 / q, 1 / q]) * ([2, 1, 3, 1, 2.5] if weighted else [1, 1, 1, 1, 2])
    assert seen.sum() > 15_000
    assert stats.chisquare(seen, seen.sum() * chances / chances.sum()).pvalue > 0.001


def test_walks_and_steps_are_independent(device):
    edges = [(u, v) for u in range(8) for v in range(8)]  # with self-loops: each vertex is as likely after any other
    graph = mg.Graph.from_edges(*zip(*edges, strict=True), directed=True, device=device)
    walks = CPU.asarray(mg.random_walks(graph, np.zeros(20_000, np.int32), 3, seed=5).vertices)
    for before, after in ((walks[:, 1], walks[:, 2]), (walks[:, 1], walks[:, 3]), (walks[:-1, 1], walks[1:, 1])):
        pairs = np.bincount(before * 8 + after, minlength=64)
        assert stats.chisquare(pairs).pvalue > 0.01


def test_seeds(device):
    graph = mg.generate.cycle(50, device=device)
    found = [CPU.asarray(mg.random_walks(graph, range(50), 9, seed=seed).vertices) for seed in (0, 0, 1, -1)]
    assert (found[0] == found[1]).all()
    assert (found[0] != found[2]).any()
    assert (found[2] != found[3]).any()
    with pytest.raises(GraphError, match="seed must be a whole number, got 'a'"):
        mg.random_walks(graph, [0], 1, seed="a")


@pytest.mark.parametrize("weighted", [False, True])
def test_over_slabs(device, weighted):
    rows = mg.generate.rmat(8, 8, seed=1, directed=True, weights=(0, 9), device=device)
    starts = starts_on(rows, 300)
    for bias in (1, 0.3):
        options = {"weighted": weighted, "q": bias}
        found = [CPU.asarray(mg.random_walks(graph, starts, 5, **options).vertices) for graph in (rows, slabs_of(rows))]
        np.testing.assert_array_equal(*found)


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.cycle(9, device=device))
    graph.delete_vertices([4])
    walks = CPU.asarray(mg.random_walks(graph, [3, 5, 5], 20).vertices)
    check_random_walks(graph.to_graph(), [3, 5, 5], 20, walks)
    assert not (walks == 4).any()
    with pytest.raises(GraphError, match=r"starts\[1\] is 4, which was deleted"):
        mg.random_walks(graph, [5, 4], 2)


def test_shapes(device):
    graph = mg.generate.path(4, device=device)
    for p in (1, 2):
        assert CPU.asarray(mg.random_walks(graph, 2, 0, p=p).vertices).tolist() == [[2]]
        assert mg.random_walks(graph, [], 3, p=p).vertices.shape == (0, 4)
    starts = resolve(device).asarray(np.array([1, 0], np.int64))
    assert CPU.asarray(mg.random_walks(graph, starts, 1).vertices)[:, 0].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("starts", "length", "options", "error", "complaint"),
    [
        ([0, 4], 2, {}, GraphError, r"starts\[1\] is 4"),
        ([-1], 2, {}, GraphError, "must not be negative"),
        ([0.0], 2, {}, GraphError, "starts must hold integer vertex ids"),
        ([[0]], 2, {}, GraphError, "starts must have one dimension"),
        ([0], -1, {}, ProblemError, "length=-1 must be a whole number"),
        ([0], 2.0, {}, ProblemError, "length=2.0 must be a whole number"),
        ([0], 2, {"p": 0}, ProblemError, "p=0 must be a number from 1e-9 to 1e9"),
        ([0], 2, {"q": "far"}, ProblemError, "q='far' must be a number"),
        ([0], 2, {"q": float("nan")}, ProblemError, "q=nan must be a number"),
        ([0], 2, {"weighted": True}, GraphError, "random_walks needs weights"),
    ],
)
def test_bad_arguments(device, starts, length, options, error, complaint):
    with pytest.raises(error, match=complaint):
        mg.random_walks(mg.generate.path(4, device=device), starts, length, **options)


@pytest.mark.parametrize(("weight", "complaint"), [(-1.0, "at least 0"), (np.inf, "finite")])
def test_bad_weights(device, weight, complaint):
    graph = mg.Graph.from_edges([0, 1], [1, 2], [1.0, weight], device=device)
    with pytest.raises(GraphError, match=complaint):
        mg.random_walks(graph, [0], 1, weighted=True)
