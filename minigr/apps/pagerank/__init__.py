"""PageRank, by pulling and by pushing."""

from minigr.apps.pagerank.app import COARSE, PageRankResult, check_parameters, pagerank

__all__ = ["COARSE", "PageRankResult", "check_parameters", "pagerank"]
