"""Shortest paths that follow their graph; `loops.py` has the loops and the reference."""

from minigr.apps.dynamic.sssp.app import SSSP

__all__ = ["SSSP"]
