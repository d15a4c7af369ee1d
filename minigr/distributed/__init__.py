"""Graphs in parts over processes that MPI started, and over the workers of a Dask cluster."""

from minigr.distributed.cluster import Cluster, start
from minigr.distributed.held import DynamicGraphOnWorkers, GraphOnWorkers
from minigr.graphs.partitioned.messages import Mpi

__all__ = ["Cluster", "DynamicGraphOnWorkers", "GraphOnWorkers", "Mpi", "start"]
