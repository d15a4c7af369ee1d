"""Graphs in parts over processes that MPI started, and over the workers of a Dask cluster."""

from minigr.distributed.cluster import Cluster, GraphOnWorkers, start
from minigr.graphs.partitioned.messages import Mpi

__all__ = ["Cluster", "GraphOnWorkers", "Mpi", "start"]
