"""PageRank that follows its graph."""

from minigr.apps.dynamic.pagerank.app import PageRank

__all__ = ["PageRank"]
