"""Graphs in parts over the workers of a Dask cluster."""

from minigr.distributed.cluster import Cluster, GraphOnWorkers, start

__all__ = ["Cluster", "GraphOnWorkers", "start"]
