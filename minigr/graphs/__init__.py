"""Graphs: adjacency in compressed sparse rows, on the CPU and on GPUs."""

from minigr.graphs.adjacency import Adjacency
from minigr.graphs.graph import Graph

__all__ = ["Adjacency", "Graph"]
