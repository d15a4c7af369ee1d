"""Betweenness centrality, by hops and by weight."""

from minigr.apps.betweenness.app import BetweennessResult, DependentsEnactor, betweenness_centrality

__all__ = ["BetweennessResult", "DependentsEnactor", "betweenness_centrality"]
