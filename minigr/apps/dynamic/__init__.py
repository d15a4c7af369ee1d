"""Answers that follow a `DynamicGraph` over batches of insertions and deletions, public as ``mg.dynamic``."""

from minigr.apps.dynamic.bfs import BFS
from minigr.apps.dynamic.coloring import Coloring
from minigr.apps.dynamic.common.maintained import Maintained, Update
from minigr.apps.dynamic.components import ConnectedComponents
from minigr.apps.dynamic.core_number import CoreNumber
from minigr.apps.dynamic.pagerank import PageRank
from minigr.apps.dynamic.sssp import SSSP
from minigr.apps.dynamic.stream import Step
from minigr.apps.dynamic.triangles import TriangleCount

__all__ = [
    "BFS",
    "SSSP",
    "Coloring",
    "ConnectedComponents",
    "CoreNumber",
    "Maintained",
    "PageRank",
    "Step",
    "TriangleCount",
    "Update",
]
