"""Breadth-first search that follows its graph; `loops.py` has the loops and the references."""

from minigr.apps.dynamic.bfs.app import BFS

__all__ = ["BFS"]
