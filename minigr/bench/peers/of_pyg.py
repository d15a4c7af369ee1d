"""The calls of PyTorch Geometric, whose sampler and walks are in its library pyg-lib."""

from __future__ import annotations

from typing import Any

from minigr.bench.named import FANOUTS, SAMPLE, STEPS, WALKS, seeds_of
from minigr.bench.peers.peer import PeerCall


def calls(graph: Any, source: int) -> dict[str, PeerCall]:
    import pyg_lib
    import torch
    from torch_geometric.data import Data
    from torch_geometric.sampler import NeighborSampler, NodeSamplerInput

    src, dst, _ = graph.to_edges(both_ways=True)
    edges = torch.stack([torch.from_numpy(ends).long() for ends in (src, dst)])
    sampler = NeighborSampler(Data(edge_index=edges, num_nodes=graph.num_vertices), list(FANOUTS))
    seeds = torch.from_numpy(seeds_of(graph)).long()
    offsets, indices = torch.from_numpy(graph.offsets), torch.from_numpy(graph.indices).long()
    return {
        SAMPLE: PeerCall(
            "sampler.NeighborSampler, by one thread: node, row, col and edge",
            lambda: sampler.sample_from_nodes(NodeSamplerInput(input_id=None, node=seeds)),
        ),
        WALKS: PeerCall(
            "pyg_lib.sampler.random_walk", lambda: pyg_lib.sampler.random_walk(offsets, indices, seeds, STEPS)
        ),
    }
