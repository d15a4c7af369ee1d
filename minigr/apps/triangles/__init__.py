"""Triangles and clustering coefficients."""

from minigr.apps.triangles.app import TriangleResult, triangle_count

__all__ = ["TriangleResult", "triangle_count"]
