"""Centralities of all vertices, estimated by searches from a sample of vertices, with bounds of the error."""

from minigr.apps.approximate.betweenness import approximate_betweenness_centrality
from minigr.apps.approximate.closeness import approximate_closeness_centrality, approximate_harmonic_centrality

__all__ = [
    "approximate_betweenness_centrality",
    "approximate_closeness_centrality",
    "approximate_harmonic_centrality",
]
