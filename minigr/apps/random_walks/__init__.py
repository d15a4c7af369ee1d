"""Walks along edges drawn at random."""

from minigr.apps.random_walks.app import RandomWalksResult, random_walks

__all__ = ["RandomWalksResult", "random_walks"]
