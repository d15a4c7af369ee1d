"""Breadth-first search that follows its graph; `loops.py` has its loops, and the papers."""

from minigr.apps.dynamic.bfs.app import BFS

__all__ = ["BFS"]
