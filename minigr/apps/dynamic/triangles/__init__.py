"""Triangles that follow their graph."""

from minigr.apps.dynamic.triangles.app import TriangleCount

__all__ = ["TriangleCount"]
