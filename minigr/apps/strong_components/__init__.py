"""Strongly connected components."""

from minigr.apps.strong_components.app import MatchEnactor, SpreadEnactor, strongly_connected_components

__all__ = ["MatchEnactor", "SpreadEnactor", "strongly_connected_components"]
