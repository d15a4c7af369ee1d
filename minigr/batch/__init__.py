"""Many small graphs at once: files of graphs, and algorithms that run on each graph of a `minigr.GraphBatch`."""

from minigr.batch.betweenness import betweenness
from minigr.batch.closeness import closeness
from minigr.batch.cluster import local_cluster
from minigr.batch.shortest_paths import shortest_paths
from minigr.batch.stream import map
from minigr.batch.union import coloring, components, pagerank, triangles
from minigr.io.batches import read_batch as read
from minigr.io.batches import write_batch as write

__all__ = [
    "betweenness",
    "closeness",
    "coloring",
    "components",
    "local_cluster",
    "map",
    "pagerank",
    "read",
    "shortest_paths",
    "triangles",
    "write",
]
