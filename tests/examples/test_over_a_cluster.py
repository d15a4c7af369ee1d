"""The example over a cluster: what it takes from the archives is what one process finds."""

import importlib
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import minigr as mg

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")  # of Dask's own doings
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield importlib.import_module("over_a_cluster")


def test_the_greatest_closeness_of_each_graph(example, device, tmp_path, capsys):
    graphs = [nx.star_graph(4), nx.empty_graph(0), nx.path_graph(4), nx.empty_graph(2), nx.empty_graph(0)]
    mg.batch.write(mg.GraphBatch.from_graphs(graphs, device="cpu"), tmp_path / "a.npz")
    mg.batch.write(mg.GraphBatch.from_graphs([nx.empty_graph(0)], device="cpu"), tmp_path / "b.npz")
    files = [tmp_path / name for name in ("a.npz", "b.npz", "none.npz")]
    options = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        written, done = example.closeness_of(files, tmp_path / "found", client, device)
    assert [path.name for path in written] == ["a-0.npz", "b-0.npz"]
    assert done == 6
    assert "none.npz, graph None: " in capsys.readouterr().out
    np.testing.assert_allclose(example.most_central(written[0]), [1, 0, 0.75, 0, 0])
    assert example.most_central(written[1]).tolist() == [0]
