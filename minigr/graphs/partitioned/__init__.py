"""PartitionedGraph: one graph in several parts."""

from minigr.graphs.partitioned.graph import PartitionedGraph

__all__ = ["PartitionedGraph"]
