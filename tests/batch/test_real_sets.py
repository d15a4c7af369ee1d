"""Every graph of sets of real ones, against SciPy and NetworkX."""

import os

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components, shortest_path

import minigr as mg
from minigr.device import CPU

SETS = (
    "tu-MUTAG", "tu-PTC", "tu-ENZYMES", "tu-PROTEINS", "tu-NCI1", "tu-NCI109", "tu-IMDB-BINARY", "tu-IMDB-MULTI",
    "reddit-threads-10k", "deezer-ego-nets", "hiv-molecules",
)  # fmt: skip
QUICK = ("tu-MUTAG", "tu-PTC", "tu-ENZYMES")
EVERY = "MINIGR_TEST_EVERY_GRAPH"
"""With this variable set, what takes long is done for all sets and not for `QUICK` alone: half an hour of NetworkX."""
MANY = 10_000
"""Of more graphs SciPy is asked about one in eight, unless that variable is set."""


def read(data_dir, name, device):
    path = data_dir / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"the folder of real graphs, which is no part of the project, has no {path.name}: put it there")
    return mg.batch.read(path, device=device)


def skip_unless_quick(name):
    if name not in QUICK and not os.environ.get(EVERY):
        pytest.skip(f"takes minutes: set {EVERY}=1 to have it done")


def with_weights(batch):
    """The same graphs with weights that have many ties."""
    src, dst, _ = batch.to("cpu").graph.to_edges()
    weights = 1.0 + np.random.default_rng(3).integers(0, 6, len(src)) / 2
    return mg.GraphBatch.from_edges(src, dst, batch.host_offsets, weights, device=batch.device)


def sums(values, starts, lengths):
    """The sum of each range of values."""
    found = np.zeros(len(starts))
    found[lengths > 0] = np.add.reduceat(values, starts[lengths > 0]) if len(values) else 0
    return found


def closeness_of(distance, sizes, harmonic):
    """Closeness of all vertices, from symmetric matrices of distances that are -1 or inf where there is no path."""
    lengths = np.repeat(sizes, sizes)
    starts = np.cumsum(lengths) - lengths
    joined = (distance > 0) & np.isfinite(distance)
    if harmonic:
        return sums(np.divide(1.0, distance, where=joined, out=np.zeros(len(distance))), starts, lengths)
    others = sums(joined, starts, lengths)
    total = sums(np.where(joined, distance, 0), starts, lengths)
    mean = np.divide(others, total, where=total > 0, out=np.zeros(len(total)))
    return mean * others / np.maximum(lengths - 1, 1)


@pytest.mark.parametrize("weighted", [False, True], ids=["hops", "weight"])
@pytest.mark.parametrize("name", SETS)
def test_distances_and_closeness(device, data_dir, name, weighted):
    batch = read(data_dir, name, device)
    if weighted:
        skip_unless_quick(name)
        batch = with_weights(batch)
    result = mg.batch.shortest_paths(batch, weighted=weighted)
    found, starts = CPU.asarray(result.distance), batch.host_offsets
    matrix = batch.to("cpu").graph.to_scipy()
    every = 1 if len(batch) <= MANY or os.environ.get(EVERY) else 8
    for i in range(0, len(batch), every):
        part = matrix[starts[i] : starts[i + 1], starts[i] : starts[i + 1]]
        expected = shortest_path(part, unweighted=not weighted, directed=False).reshape(-1)
        if not weighted:
            expected[np.isinf(expected)] = -1
        same = found[result.pair_offsets[i] : result.pair_offsets[i + 1]] == expected
        assert same.all(), f"graph {i}"
    for harmonic in (False, True):
        score = CPU.asarray(mg.batch.closeness(batch, harmonic=harmonic, weighted=weighted).score)
        np.testing.assert_allclose(score, closeness_of(found, batch.sizes, harmonic), rtol=1e-9, atol=1e-12)


def networkx_centralities(graph, by):
    harmonic = nx.harmonic_centrality(graph, distance=by)
    return nx.closeness_centrality(graph, distance=by), harmonic, nx.betweenness_centrality(graph, weight=by)


@pytest.mark.parametrize("weighted", [False, True], ids=["hops", "weight"])
@pytest.mark.parametrize("name", SETS)
def test_centralities(device, data_dir, name, weighted):
    skip_unless_quick(name)
    batch = read(data_dir, name, device)
    if weighted:
        batch = with_weights(batch)
    results = (
        mg.batch.closeness(batch, weighted=weighted),
        mg.batch.closeness(batch, harmonic=True, weighted=weighted),
        mg.batch.betweenness(batch, weighted=weighted),
    )
    results = [CPU.asarray(result.score) for result in results]
    for i, graph in enumerate(batch.to("cpu")):
        part = slice(*batch.host_offsets[i : i + 2])
        for found, expected in zip(
            results, networkx_centralities(graph.to_networkx(), "weight" if weighted else None), strict=True
        ):
            np.testing.assert_allclose(
                found[part], list(expected.values()), rtol=1e-9, atol=1e-12, err_msg=f"graph {i}"
            )


@pytest.mark.parametrize("name", SETS)
def test_what_runs_over_all_graphs_as_one(device, data_dir, name):
    batch = read(data_dir, name, device)
    matrix, starts = batch.to("cpu").graph.to_scipy(), batch.host_offsets
    src, dst = matrix.nonzero()

    _, label = connected_components(matrix, directed=False)
    _, first, which = np.unique(label, return_index=True, return_inverse=True)
    owners = np.repeat(np.arange(len(batch)), batch.sizes)
    components = mg.batch.components(batch)
    assert (CPU.asarray(components.label) == first[which] - starts[owners]).all()
    assert (CPU.asarray(components.num_components) == np.bincount(owners[first], minlength=len(batch))).all()

    simple = matrix.astype(bool).astype(np.int64)
    simple.setdiag(0)
    simple.eliminate_zeros()
    triangles = np.asarray((simple @ simple).multiply(simple).sum(axis=1)).reshape(-1) // 2
    result = mg.batch.triangles(batch)
    assert (CPU.asarray(result.per_vertex) == triangles).all()
    assert (CPU.asarray(result.total) == batch.to("cpu").reduce(triangles) // 3).all()

    coloring = mg.batch.coloring(batch)
    color = CPU.asarray(coloring.color)
    assert (color[src] != color[dst])[src != dst].all()
    assert (CPU.asarray(coloring.num_colors) == batch.to("cpu").reduce(color + 1, "max", initial=0)).all()

    rank = CPU.asarray(mg.batch.pagerank(batch, tol=1e-12).rank)
    degree = np.asarray(matrix.sum(axis=1)).reshape(-1)
    handed = np.divide(rank, degree, where=degree > 0, out=np.zeros(len(rank)))
    lost = batch.to("cpu").reduce(np.where(degree > 0, 0, rank))
    expected = 0.85 * (matrix.T @ handed) + (0.15 + 0.85 * lost[owners]) / batch.sizes[owners]
    np.testing.assert_allclose(rank, expected, rtol=1e-7, atol=1e-12)
