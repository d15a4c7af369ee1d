"""Streams over the workers of a Dask cluster: what comes of them is what comes of one process."""

from functools import partial

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from tests.batch.sets import SETS, batch_of, weighted

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")  # of Dask's own doings


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


def test_as_in_one_process(client, device):
    graphs = SETS["sizes_around_words-undirected"][0]()
    expected = mg.batch.closeness(batch_of(graphs, "cpu"))
    parts = list(mg.batch.map(graphs, mg.batch.closeness, max_vertices=100, client=client, device=device))
    assert len(parts) > 3
    assert np.concatenate([part.positions for part in parts]).tolist() == list(range(len(graphs)))
    for part in parts:
        assert isinstance(part.result.score, np.ndarray)
        for position, found in zip(part.positions, part.result, strict=True):
            np.testing.assert_allclose(found, expected[position], rtol=1e-13)


def test_faults_are_told(client):
    graphs = weighted([nx.path_graph(n) for n in range(2, 12)])
    graphs[4].edges[0, 1]["weight"] = -1.0
    graphs[7] = 7
    algorithm = partial(mg.batch.shortest_paths, weighted=True)
    stream = mg.batch.map(graphs, algorithm, weight="weight", max_vertices=20, client=client, device="cpu")
    for part in stream:
        assert [len(matrix) for matrix in part.result] == (part.positions + 2).tolist() == part.batch.sizes.tolist()
    assert sorted(fault.position for fault in stream.faults) == [4, 7]
    assert stream.done == 10


def test_errors_of_programs_and_leaving_early(client):
    with pytest.raises(ZeroDivisionError):
        list(mg.batch.map([[(0, 1)]], lambda batch: 1 / 0, client=client, device="cpu"))
    parts = iter(mg.batch.map([[(0, 1)]] * 50, mg.batch.closeness, max_vertices=2, client=client, device="cpu"))
    assert next(parts).positions.tolist() == [0]
    parts.close()
