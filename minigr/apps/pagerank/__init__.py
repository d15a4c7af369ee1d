"""PageRank by pulling and by pushing, and personalized PageRank from several sources by forward push."""

from minigr.apps.pagerank.app import COARSE, PageRankResult, check_parameters, pagerank
from minigr.apps.pagerank.personalized import PersonalizedPageRankResult, personalized_pagerank

__all__ = [
    "COARSE",
    "PageRankResult",
    "PersonalizedPageRankResult",
    "check_parameters",
    "pagerank",
    "personalized_pagerank",
]
