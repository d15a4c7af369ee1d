"""DynamicGraph: adjacency in one slab hash per vertex, changed by batches of edges and vertices."""

from minigr.graphs.dynamic.graph import DynamicGraph

__all__ = ["DynamicGraph"]
