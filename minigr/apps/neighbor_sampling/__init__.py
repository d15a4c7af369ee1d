"""Random samples of neighbors, layer by layer, for the training of graph neural networks."""

from minigr.apps.neighbor_sampling.app import NeighborSampleResult, sample_neighbors

__all__ = ["NeighborSampleResult", "sample_neighbors"]
