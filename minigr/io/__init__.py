"""Readers and writers of graph files."""

from minigr.io.registry import read, write
from minigr.io.shipped import shipped, shipped_names

__all__ = ["read", "shipped", "shipped_names", "write"]
