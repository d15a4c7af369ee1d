"""A shortest path between two vertices."""

from minigr.apps.shortest_path.app import ShortestPathResult, shortest_path

__all__ = ["ShortestPathResult", "shortest_path"]
