"""Predict the group of a vertex with a neural network by PyTorch Geometric that learns from samples of neighbors.

    python examples/learn_from_samples.py [--epochs 10] [--device cuda]

Needs PyTorch and PyTorch Geometric, which minigr doesn't install (pip install torch torch_geometric).

The script makes the graph: four groups, with more edges within groups than between them. For each vertex the features
name a group, which is wrong for most vertices. For a few vertices the right group is known and used for training. The
neighbors of a vertex show its group, so the network looks at samples of neighbors. `NeighborSampler` is all that the
loaders of PyTorch Geometric need to draw samples by minigr; the arrays of a sample become tensors without a copy. The
script prints for how many of the other vertices the network is right, and for how many their features are right.
"""

import argparse

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.loader import NodeLoader
from torch_geometric.nn import SAGEConv
from torch_geometric.sampler import BaseSampler, SamplerOutput
from torch_geometric.sampler.neighbor_sampler import edge_sample, node_sample

import minigr as mg

GROUPS, SIZE = 4, 300
TOLD = 0.3  # the fraction of vertices whose features always name the right group


class NeighborSampler(BaseSampler):
    """Samples of a graph for the loaders of PyTorch Geometric."""

    def __init__(self, graph, fanouts):
        self.graph, self.fanouts = graph, fanouts

    def sample(self, seeds, *_):
        number = int(torch.randint(2**62, ()))
        found = mg.sample_neighbors(self.graph, seeds, self.fanouts, seed=number)
        arrays = {name: torch.from_dlpack(getattr(found, name)) for name in ("node", "row", "col", "edge")}
        nodes, edges = list(found.num_sampled_nodes), list(found.num_sampled_edges)
        return SamplerOutput(**arrays, num_sampled_nodes=nodes, num_sampled_edges=edges)

    def sample_from_nodes(self, index):
        return node_sample(index, self.sample)

    def sample_from_edges(self, index, neg_sampling=None):
        return edge_sample(index, self.sample, self.graph.num_vertices, False, None, neg_sampling)


class Network(torch.nn.Module):
    """A network with as many layers as samples have: two."""

    def __init__(self):
        super().__init__()
        self.first, self.second = SAGEConv(GROUPS, 32), SAGEConv(32, GROUPS)

    def forward(self, x, edge_index):
        return self.second(self.first(x, edge_index).relu(), edge_index)


def make_graph(rng, device=None):
    """A graph, and the group of each vertex."""
    group = np.repeat(np.arange(GROUPS), SIZE)
    src = rng.integers(0, len(group), 12 * len(group))
    within = SIZE * group[src] + rng.integers(0, SIZE, len(src))
    dst = np.where(rng.random(len(src)) < 0.7, within, rng.integers(0, len(group), len(src)))
    return mg.Graph.from_edges(src, dst, num_vertices=len(group), device=device), group


def as_data(graph, group, rng):
    """The features and edges for the loaders of PyTorch Geometric, on the device of the graph."""
    told = np.where(rng.random(len(group)) < TOLD, group, rng.integers(0, GROUPS, len(group)))
    src, dst, _ = graph.to_edges(both_ways=True)
    edge_index = torch.stack([torch.from_dlpack(src), torch.from_dlpack(dst)]).long()
    features = torch.nn.functional.one_hot(torch.as_tensor(told), GROUPS).float()
    return Data(features, edge_index, y=torch.as_tensor(group)).to(edge_index.device), told


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--device")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    graph, group = make_graph(rng, arguments.device)
    data, told = as_data(graph, group, rng)
    order = torch.as_tensor(rng.permutation(len(group)))
    known, others = order[: len(order) // 5], order[len(order) // 5 :]
    network = Network().to(data.x.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    sampler = NeighborSampler(graph, [10, 10])
    for _ in range(arguments.epochs):
        for batch in NodeLoader(data, sampler, known, batch_size=32, shuffle=True):
            found = network(batch.x, batch.edge_index)[: batch.batch_size]
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(found, batch.y[: batch.batch_size]).backward()
            optimizer.step()
    right = 0
    for batch in NodeLoader(data, sampler, others, batch_size=256):
        with torch.no_grad():
            found = network(batch.x, batch.edge_index)[: batch.batch_size].argmax(1)
        right += int((found == batch.y[: batch.batch_size]).sum())
    share = float((told[others] == group[others]).mean())
    print(f"of {len(others):,} vertices the network is right about {right / len(others):.1%}, and was told {share:.1%}")


if __name__ == "__main__":
    main()
