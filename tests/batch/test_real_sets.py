"""Every graph of sets of real ones, against SciPy and NetworkX."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

import minigr as mg
from minigr.device import CPU

SETS = (
    "tu-MUTAG", "tu-PTC", "tu-ENZYMES", "tu-PROTEINS", "tu-NCI1", "tu-NCI109", "tu-IMDB-BINARY", "tu-IMDB-MULTI",
    "reddit-threads-10k", "deezer-ego-nets", "hiv-molecules",
)  # fmt: skip


def read(data_dir, name, device):
    path = data_dir / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"the folder of real graphs, which is no part of the project, has no {path.name}: put it there")
    return mg.batch.read(path, device=device)


@pytest.mark.parametrize("name", SETS)
def test_hops(device, data_dir, name):
    batch = read(data_dir, name, device)
    result = mg.batch.shortest_paths(batch)
    found, starts = CPU.asarray(result.distance), batch.host_offsets
    matrix = batch.to("cpu").graph.to_scipy()
    for i in range(len(batch)):
        part = matrix[starts[i] : starts[i + 1], starts[i] : starts[i + 1]]
        expected = shortest_path(part, unweighted=True, directed=False)
        same = found[result.pair_offsets[i] : result.pair_offsets[i + 1]] == np.where(
            np.isinf(expected), -1, expected
        ).reshape(-1)
        assert same.all(), f"graph {i}"


@pytest.mark.parametrize("name", ["tu-MUTAG", "tu-PTC", "tu-ENZYMES"])
def test_centralities(device, data_dir, name):
    batch = read(data_dir, name, device)
    graphs = [graph.to_networkx() for graph in batch.to("cpu")]
    for reference, result in (
        (nx.closeness_centrality, mg.batch.closeness(batch)),
        (nx.harmonic_centrality, mg.batch.closeness(batch, harmonic=True)),
        (nx.betweenness_centrality, mg.batch.betweenness(batch)),
    ):
        expected = np.concatenate([list(reference(graph).values()) for graph in graphs])
        np.testing.assert_allclose(CPU.asarray(result.score), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["tu-PROTEINS", "deezer-ego-nets"])
def test_what_runs_over_all_graphs_as_one(device, data_dir, name):
    batch = read(data_dir, name, device)[:300]
    graphs = [graph.to_networkx() for graph in batch.to("cpu")]
    components = CPU.asarray(mg.batch.components(batch).num_components).tolist()
    assert components == [nx.number_connected_components(graph) for graph in graphs]
    triangles = CPU.asarray(mg.batch.triangles(batch).total).tolist()
    assert triangles == [sum(nx.triangles(graph).values()) // 3 for graph in graphs]
