"""A maximal matching."""

from minigr.apps.maximal_matching.app import MatchingResult, maximal_matching

__all__ = ["MatchingResult", "maximal_matching"]
