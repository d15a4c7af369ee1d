"""Readers and writers of graph files."""

from minigr.io.conversion import convert
from minigr.io.named import read_named
from minigr.io.reading import read
from minigr.io.registry import write
from minigr.io.shipped import shipped, shipped_names
from minigr.io.timed import TimedEdges, read_timed

__all__ = ["TimedEdges", "convert", "read", "read_named", "read_timed", "shipped", "shipped_names", "write"]
