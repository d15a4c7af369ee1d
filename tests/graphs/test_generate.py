"""The generators: shapes, chances, determinism, arguments."""

import numpy as np
import pytest
import scipy.spatial

from minigr import batch, generate
from minigr.device import CPU, resolve
from minigr.errors import GraphError, OutOfMemoryError
from minigr.generate import kernels_cpu
from minigr.generate.keys import stream_key
from minigr.graphs import Graph
from minigr.graphs.backend import builder
from minigr.jit.kernel import entry
from minigr.primitives.random_cpu import random_bits
from tests.batch.sets import same_batch

EVERY = {
    "rmat": lambda **options: generate.rmat(9, 8, weights=(1, 255), **options),
    "rmat_directed": lambda **options: generate.rmat(9, 8, directed=True, weights=(-5, 5), **options),
    "uniform": lambda **options: generate.uniform(1000, 5000, weights=(0, 1), **options),
    "random_geometric": lambda **options: generate.random_geometric(1000, 10, weights=(1, 9), **options),
    "delaunay": lambda **options: generate.delaunay(1000, weights=(1, 9), **options),
    "lattice": lambda **options: generate.lattice(40, 30, 0.6, weights=(1, 9), **options),
}

RMAT_8_4_3 = (762, 147978477, 76214)  # edges, weighted sum of neighbors, sum of weights


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_simple_valid_and_reproducible(make, device):
    graph = make(seed=5, device=device)
    Graph.from_csr(graph.offsets, graph.indices, graph.weights, directed=graph.directed)  # raises unless symmetric
    assert graph.is_simple
    reference = make(seed=5, device="cpu")
    for ours, theirs in zip(vars(graph.out_edges).values(), vars(reference.out_edges).values(), strict=True):
        if theirs is not None:
            np.testing.assert_array_equal(CPU.asarray(ours), theirs)
    other = make(seed=6, device=device)
    assert CPU.asarray(other.indices).tolist() != reference.indices.tolist()


def test_the_bits_are_fixed():
    """The random bits of a seed are part of the interface, because benchmarks of different versions need one graph."""
    assert entry(random_bits)(np.uint64(0), np.uint64(1)) == 0xE220A8397B1DCDAF  # the first of splitmix64, from state 0
    graph = generate.rmat(8, 4, seed=3, weights=(1, 100), device="cpu")
    places = np.arange(1, graph.num_arcs + 1)
    assert (graph.num_edges, int((graph.indices * places).sum()), int(graph.weights.sum())) == RMAT_8_4_3


def test_a_batch_is_made_of_graphs_of_the_other_generators(device):
    made = generate.batch(30, first=17, edge_factors=(3, 6), seed=9, device=device)
    assert made.device == str(resolve(device))
    assert set(made.sizes.tolist()) == {32, 64, 128, 256, 512, 1024}
    for number, graph in enumerate(made, 17):
        seed, n = stream_key(stream_key(9, 10), number), graph.num_vertices
        rmat = number % 2 == 0
        options = {"seed": seed, "device": "cpu"}
        drawn = [
            generate.rmat(n.bit_length() - 1, factor, **options) if rmat else generate.uniform(n, factor * n, **options)
            for factor in (3, 4, 5, 6)
        ]
        indices = CPU.asarray(graph.indices).tolist()
        assert indices in [other.indices.tolist() for other in drawn]
        assert graph.is_simple


def test_batches_of_one_seed_continue_each_other(device):
    whole = generate.batch(20, sizes=(2, 16), chances=(0.25, 0.75), device=device)
    assert set(whole.sizes.tolist()) == {2, 16}
    for first, count in ((0, 7), (7, 13)):
        part = generate.batch(count, first=first, sizes=(2, 16), chances=(0.25, 0.75), device=device)
        same_batch(part, whole[first : first + count])
    assert generate.batch(20, sizes=(2, 16), chances=(0.25, 0.75), seed=1, device=device).sizes.tolist() != (
        whole.sizes.tolist()
    )
    assert len(generate.batch(0, device=device)) == 0


def test_sizes_and_degrees_are_as_asked_for():
    made = generate.batch(4000, seed=2, device="cpu")
    sizes, counts = np.unique(made.sizes, return_counts=True)
    assert sizes.tolist() == [32, 64, 128, 256, 512, 1024]
    np.testing.assert_allclose(counts / 4000, (0.1, 0.1, 0.2, 0.2, 0.2, 0.2), atol=0.02)
    uniform = made[1::2]
    large = uniform[uniform.sizes == 1024]
    means = np.diff(large.graph.offsets[large.host_offsets]) / 1024
    assert 7.8 < means.min() < 8.1
    assert 15.5 < means.max() < 16


def test_files_of_a_batch(tmp_path):
    files = generate.batch_files(tmp_path / "made", 11, per_file=4, seed=3, device="cpu")
    assert [file.name for file in files] == ["00.npz", "04.npz", "08.npz"]
    whole = generate.batch(11, seed=3, device="cpu")
    for first, file in zip((0, 4, 8), files, strict=True):
        same_batch(batch.read(file, device="cpu"), whole[first : first + 4])
    more = generate.batch_files(tmp_path / "more", 3, per_file=2, first=8, seed=3, threads=1, device="cpu")
    assert [file.name for file in more] == ["08.npz", "10.npz"]
    same_batch(batch.read(more[1], device="cpu"), whole[10:])


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"count": -1}, "count must be between 0"),
        ({"first": -1}, "first must be between 0"),
        ({"sizes": (32, 33), "chances": (0.5, 0.5)}, r"powers of two, got \(32, 33\)"),
        ({"sizes": (), "chances": ()}, "powers of two"),
        ({"sizes": (32, 64), "chances": (0.5, 0.6)}, "add up to 1"),
        ({"sizes": (32, 64), "chances": (1,)}, "one for each of 2 sizes"),
        ({"edge_factors": (5, 6, 7)}, r"a pair \(lowest, highest\), got \(5, 6, 7\)"),
        ({"edge_factors": 5}, r"a pair \(lowest, highest\), got 5"),
        ({"sizes": 5}, "sizes must be a sequence of powers of two, got 5"),
        ({"sizes": np.array(32), "chances": (1,)}, "sizes must be a sequence of powers of two"),
        ({"sizes": (32, 64), "chances": 1}, "one for each of 2 sizes, and add up to 1, got 1$"),
        ({"sizes": (32,), "chances": None}, "one for each of 1 sizes, and add up to 1, got None"),
        ({"sizes": (32, 64), "chances": "ab"}, "chances must be a sequence of numbers, got 'ab'"),
        ({"edge_factors": (5, 4)}, "the highest edge factor must be between 5"),
        ({"count": 5, "sizes": (1 << 30,), "chances": (1,)}, "make several"),
    ],
)
def test_bad_batches(options, named):
    with pytest.raises(GraphError, match=named):
        generate.batch(**{"count": 1, "device": "cpu", **options})


def test_no_folder_for_a_bad_batch(tmp_path):
    with pytest.raises(GraphError, match="sizes must be a sequence"):
        generate.batch_files(tmp_path / "set", 3, sizes=5, device="cpu")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("directed", [False, True])
def test_parts_change_nothing(device, monkeypatch, directed):
    """Edges of a large graph are made in parts, each of them twice."""
    options = {"seed": 5, "directed": directed}
    for make, sizes in ((generate.rmat, (6, 20)), (generate.uniform, (64, 1000))):
        whole = make(*sizes, **options, device="cpu")
        with monkeypatch.context() as patch:
            patch.setattr(builder(resolve(device)), "part_of", lambda count: 300)
            ours = make(*sizes, **options, device=device)
        for name in ("offsets", "indices"):
            np.testing.assert_array_equal(CPU.asarray(getattr(ours, name)), getattr(whole, name))


def test_threads_change_nothing(monkeypatch):
    whole = kernels_cpu.uniform_edges(1000, 5000, 3)
    monkeypatch.setattr(kernels_cpu, "_RANGE", 77)
    for ours, theirs in zip(whole, kernels_cpu.uniform_edges(1000, 5000, 3), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("bits", range(11))
def test_labels_are_a_permutation(bits):
    quarters = (1 << 30, 2 << 30, 3 << 30)  # all ends are equally likely even before labels are shuffled
    src, dst = kernels_cpu.rmat_edges(bits, 40 << bits, quarters, 1, 12345)
    for ends in (src, dst):
        assert np.unique(ends).tolist() == list(range(1 << bits))


def test_rmat_chances():
    src, dst = kernels_cpu.rmat_edges(1, 200_000, (int(0.5 * 2**32), int(0.7 * 2**32), int(0.8 * 2**32)), 1, 2)
    [[first], [same]] = kernels_cpu.rmat_edges(1, 1, (1 << 32, 1 << 32, 1 << 32), 1, 2)
    assert first == same
    label = [first, 1 - first]
    counts = [int(((src == label[u]) & (dst == label[v])).sum()) for u in (0, 1) for v in (0, 1)]
    np.testing.assert_allclose(np.array(counts) / 200_000, (0.5, 0.2, 0.1, 0.2), atol=0.01)


def test_rmat_is_scale_free_and_uniform_is_not():
    assert generate.rmat(14, 16, device="cpu").degree().max() > 1000
    assert generate.uniform(1 << 14, 16 << 14, device="cpu").degree().max() < 100


def test_repeats_on_request():
    graph = generate.uniform(10, 500, simple=False, device="cpu")
    assert graph.num_edges == 500
    assert graph.has_parallel_edges


def test_random_geometric_against_all_pairs():
    graph = generate.random_geometric(400, radius=0.1, seed=9, device="cpu")
    x, y = (p / 2**31 for p in kernels_cpu.geometric_points(400, stream_key(9, 3), stream_key(9, 4)))
    near = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2 <= 0.1**2
    np.fill_diagonal(near, False)
    assert sorted(near.sum(axis=1)) == sorted(graph.degree())
    assert generate.random_geometric(50, radius=2, device="cpu").num_edges == 50 * 49 // 2
    assert generate.random_geometric(50, radius=0, device="cpu").num_edges == 0


def test_delaunay():
    graph = generate.delaunay(300, seed=9, device="cpu")
    x, y = (p / 2**31 for p in kernels_cpu.geometric_points(300, stream_key(9, 3), stream_key(9, 4)))
    cells = np.floor(y * 17) * 17 + np.floor(x * 17)  # labels follow the cells; 17 * 17 is as close to 300 as possible
    order = np.argsort(cells, kind="stable")
    x, y = x[order], y[order]
    rows = np.repeat(np.arange(300), np.diff(graph.offsets))
    # Each edge has an empty circle through its ends: that on the edge as diameter, or one with a common neighbor.
    for u, v in zip(rows.tolist(), graph.indices.tolist(), strict=True):
        centers = [((x[u] + x[v]) / 2, (y[u] + y[v]) / 2)]
        for w in np.intersect1d(graph.neighbors(u), graph.neighbors(v)).tolist():
            sides = np.array([[x[v] - x[u], y[v] - y[u]], [x[w] - x[u], y[w] - y[u]]])
            centers.append(np.linalg.solve(2 * sides, (sides**2).sum(axis=1)) + np.array((x[u], y[u])))
        distances = [np.hypot(x - a, y - b) for a, b in centers]
        assert any((found >= found[u] * (1 - 1e-9)).all() for found in distances)
    hull = len(scipy.spatial.ConvexHull(np.stack((x, y), axis=1)).vertices)
    assert graph.num_edges == 3 * 300 - 3 - hull  # Euler's formula


@pytest.mark.parametrize(("n", "edges"), [(0, 0), (1, 0), (2, 1), (3, 3)])
def test_delaunay_of_few_points(n, edges, device):
    assert generate.delaunay(n, device=device).num_edges == edges


def test_lattice():
    graph = generate.lattice(5, 4, device="cpu")
    assert graph.num_edges == 5 * 3 + 4 * 4
    assert graph.neighbors(6).tolist() == [1, 5, 7, 11]
    assert generate.lattice(5, 4, 0, device="cpu").num_edges == 0
    mean = generate.lattice(300, 300, 0.6, device="cpu").degree().mean()
    assert mean == pytest.approx(2.4, abs=0.02)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_shapes(n, device):
    assert generate.path(n, device=device).num_edges == max(n - 1, 0)
    assert generate.star(n, device=device).num_edges == max(n - 1, 0)
    assert generate.complete(n, device=device).num_edges == n * (n - 1) // 2
    assert generate.complete(n, directed=True, device=device).num_edges == n * (n - 1)
    assert generate.uniform(n, 0, device=device).num_vertices == n
    assert generate.random_geometric(n, device=device).num_vertices == n
    assert generate.lattice(n, 1, device=device).num_edges == max(n - 1, 0)
    if n >= 3:
        assert generate.cycle(n, device=device).num_edges == n


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_weight_dtypes(dtype, device):
    graph = generate.uniform(100, 3000, weights=(-3, 3), weight_dtype=dtype, device=device)
    assert graph.weights.dtype == dtype
    assert set(CPU.asarray(graph.weights).tolist()) == set(range(-3, 4))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: generate.rmat(31, device="cpu"), "scale must be between 0 and 30, got 31"),
        (lambda: generate.rmat(3.0, device="cpu"), "scale must be a whole number"),
        (lambda: generate.rmat(3, -1, device="cpu"), "edge_factor must be between 0"),
        (lambda: generate.rmat(3, a=0.9, device="cpu"), "add up to at most 1"),
        (lambda: generate.rmat(3, a=float("nan"), device="cpu"), "add up to at most 1"),
        (lambda: generate.rmat(3, seed="x", device="cpu"), "seed must be a whole number"),
        (lambda: generate.rmat(3, weights=5, device="cpu"), "weights must be a pair"),
        (lambda: generate.rmat(3, weights=(5, 1), device="cpu"), "the highest weight must be between 5"),
        (lambda: generate.rmat(3, weights=(0, 2**30), device="cpu"), "the highest weight"),
        (lambda: generate.rmat(3, weight_dtype="int8", device="cpu"), "weight_dtype must be one of"),
        (lambda: generate.uniform(0, 1, device="cpu"), "num_edges must be between 0 and 0"),
        (lambda: generate.uniform(-1, 1, device="cpu"), "num_vertices"),
        (lambda: generate.random_geometric(5, -1, device="cpu"), "mean_degree"),
        (lambda: generate.random_geometric(5, radius=float("nan"), device="cpu"), "radius"),
        (lambda: generate.lattice(2**20, 2**20, device="cpu"), r"width \* height"),
        (lambda: generate.lattice(2, 2, 1.5, device="cpu"), "keep must be between 0 and 1"),
        (lambda: generate.cycle(2, device="cpu"), "at least three"),
        (lambda: generate.rmat(3, a="x", device="cpu"), "a must be a number, got 'x'"),
        (lambda: generate.random_geometric(5, None, device="cpu"), "mean_degree must be a number, got None"),
        (lambda: generate.random_geometric(5, radius="x", device="cpu"), "radius must be a number, got 'x'"),
        (lambda: generate.lattice(2, 2, "x", device="cpu"), "keep must be a number, got 'x'"),
        (lambda: generate.path(3, weight_dtype="real", device="cpu"), "weight_dtype must be one of .*, got 'real'"),
        (lambda: generate.batch_files("made", 1, threads=0), "threads must be between 1"),
    ],
)
def test_bad_arguments_are_named(call, named):
    with pytest.raises(GraphError, match=named):
        call()


def test_a_radius_of_any_size_joins_all_points(device):
    for radius in (2, 1e300, float("inf"), np.array(1.5)):
        assert generate.random_geometric(10, radius=radius, device=device).num_edges == 45


def test_a_complete_graph_that_no_memory_holds_is_refused():
    with pytest.raises(OutOfMemoryError, match="the complete graph of 2,147,483,647 vertices would take"):
        generate.complete(2**31 - 1, device="cpu")


def test_more_edges_than_there_is_room_for_are_refused_before_any_is_drawn(device):
    refusal = "drawing and sorting 1,099,511,627,776 edges would take .* bytes on"
    with pytest.raises(OutOfMemoryError, match=refusal):
        generate.rmat(30, 1024, device=device)
    with pytest.raises(OutOfMemoryError, match=refusal):
        generate.uniform(10**9, 2**40, device=device)


@pytest.mark.parametrize("seed", [np.int64(2), np.uint8(2), np.array(2)])
def test_a_seed_of_any_integer_type(seed):
    for make in (
        lambda seed: generate.rmat(4, 4, seed=seed, device="cpu"),
        lambda seed: generate.uniform(20, 30, seed=seed, device="cpu"),
        lambda seed: generate.lattice(5, 5, 0.5, seed=seed, device="cpu"),
        lambda seed: generate.random_geometric(20, 4, seed=seed, device="cpu"),
    ):
        np.testing.assert_array_equal(make(seed).indices, make(2).indices)
