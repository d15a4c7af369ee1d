"""Random pairs of vertices without an edge."""

from minigr.apps.negative_samples.app import NegativeSamplesResult, negative_samples

__all__ = ["NegativeSamplesResult", "negative_samples"]
