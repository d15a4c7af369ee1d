"""The example that learns from samples: what the loaders of PyTorch Geometric make of them."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU

torch = pytest.importorskip("torch", reason="PyTorch is not installed, and too large to be a part of [test]")
loader = pytest.importorskip("torch_geometric.loader", reason="PyTorch Geometric is not installed, which needs PyTorch")
pytestmark = pytest.mark.filterwarnings("default")  # of PyTorch's own doings
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield importlib.import_module("learn_from_samples")


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def data(request, example, device):
    graph = mg.generate.rmat(9, 8, seed=1, directed=request.param, device=device)
    src, dst, _ = graph.to_edges(both_ways=not request.param)
    edge_index = torch.stack([torch.from_dlpack(src), torch.from_dlpack(dst)]).long()
    arcs = torch.arange(graph.num_arcs, device=edge_index.device)
    features = torch.arange(graph.num_vertices, device=edge_index.device)
    taken = example.Data(features, edge_index, edge_attr=arcs)
    return graph, taken, example.NeighborSampler(graph, [5, 5])


def check(graph, data, batch):
    """That a batch's vertices, edges and features are the graph's."""
    assert (batch.x == batch.n_id).all()
    assert (batch.edge_attr == batch.e_id).all()
    ends = data.edge_index[:, batch.e_id]
    ends = ends if graph.directed else ends.flip(0)  # the arc from the vertex that drew it
    assert (batch.n_id[batch.edge_index] == ends).all()


def test_batches_of_vertices(data):
    graph, data, sampler = data
    seeds = torch.arange(100)
    for number, batch in enumerate(loader.NodeLoader(data, sampler, seeds, batch_size=25)):
        check(graph, data, batch)
        assert batch.n_id[:25].tolist() == seeds[25 * number : 25 * number + 25].tolist()
        assert sum(batch.num_sampled_nodes) == len(batch.n_id)
        assert sum(batch.num_sampled_edges) == batch.edge_index.shape[1]


def test_batches_of_edges(data):
    graph, data, sampler = data
    edges = data.edge_index[:, :60].cpu()
    for batch in loader.LinkLoader(data, sampler, edge_label_index=edges, neg_sampling="binary", batch_size=30):
        check(graph, data, batch)
        src, dst = batch.n_id[batch.edge_label_index[:, batch.edge_label == 1].to(batch.n_id.device)]
        assert CPU.asarray(graph.has_edges(src, dst)).all()
        assert len(src) == 30


def test_the_network_is_told_little(example, device):
    rng = np.random.default_rng(1)
    graph, group = example.make_graph(rng, device)
    data, told = example.as_data(graph, group, rng)
    assert data.x.argmax(1).tolist() == told.tolist()
    assert 0.4 < (told == group).mean() < 0.55
    assert data.y.tolist() == group.tolist()
