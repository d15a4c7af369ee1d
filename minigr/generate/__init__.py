"""Graph generators. A seed gives the same graph, bit for bit, on every device and with any number of threads."""

from minigr.generate.batches import batch, batch_files
from minigr.generate.random_graphs import rmat, uniform
from minigr.generate.shapes import complete, cycle, path, star
from minigr.generate.spatial import delaunay, lattice, random_geometric

__all__ = [
    "batch",
    "batch_files",
    "complete",
    "cycle",
    "delaunay",
    "lattice",
    "path",
    "random_geometric",
    "rmat",
    "star",
    "uniform",
]
