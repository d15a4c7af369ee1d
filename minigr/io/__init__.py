"""Readers and writers of graph files."""

from minigr.io.registry import read, write
from minigr.io.shipped import shipped, shipped_names
from minigr.io.timed import TimedEdges, read_timed

__all__ = ["TimedEdges", "read", "read_timed", "shipped", "shipped_names", "write"]
