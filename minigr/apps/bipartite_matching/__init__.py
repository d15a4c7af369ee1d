"""A maximum matching of a bipartite graph, and a minimum vertex cover."""

from minigr.apps.bipartite_matching.app import BipartiteMatchingResult, maximum_bipartite_matching

__all__ = ["BipartiteMatchingResult", "maximum_bipartite_matching"]
