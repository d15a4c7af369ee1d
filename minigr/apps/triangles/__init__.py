"""Triangles, and how clustered vertices are."""

from minigr.apps.triangles.app import TriangleResult, triangle_count

__all__ = ["TriangleResult", "triangle_count"]
