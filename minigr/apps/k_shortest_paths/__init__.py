"""The k shortest simple paths between two vertices."""

from minigr.apps.k_shortest_paths.app import KShortestPathsResult, k_shortest_paths

__all__ = ["KShortestPathsResult", "k_shortest_paths"]
