"""Neighbors drawn at random, layer after layer, as neural networks on graphs are trained."""

from minigr.apps.neighbor_sampling.app import NeighborSampleResult, sample_neighbors

__all__ = ["NeighborSampleResult", "sample_neighbors"]
