"""Walks along random edges."""

from minigr.apps.random_walks.app import RandomWalksResult, random_walks

__all__ = ["RandomWalksResult", "random_walks"]
