"""Betweenness centrality of vertices and of edges, by hops and by weight."""

from minigr.apps.betweenness.app import BetweennessResult, betweenness_centrality
from minigr.apps.betweenness.edges import EdgeBetweennessResult, edge_betweenness_centrality
from minigr.apps.betweenness.sums import DependentsEnactor

__all__ = [
    "BetweennessResult",
    "DependentsEnactor",
    "EdgeBetweennessResult",
    "betweenness_centrality",
    "edge_betweenness_centrality",
]
