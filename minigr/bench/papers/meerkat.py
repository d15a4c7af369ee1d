"""The exhibits of Meerkat: Concessao, Cheramangalath, Dev, Nasre, arXiv 2305.17813 (2023), IJPP 52 (2024).

The paper follows ten batches of each kind with 10,000 edges each: use ``--repeat 10`` for the same number.
"""

from __future__ import annotations

from functools import partial

from minigr.bench.papers.changing import FULL, apps, followed, parts, schemes
from minigr.bench.papers.exhibit import Exhibit, Paper

SIZES = (FULL // 10, FULL, 10 * FULL)
SEARCHES = ("bfs", "bfs-vanilla", "sssp", "sssp-vanilla")

PAPER = Paper(
    "meerkat",
    "Concessao, Cheramangalath, Dev, Nasre, Meerkat: A Framework for Dynamic Graph Algorithms on GPUs, 2023",
    (
        Exhibit(
            "abstract",
            "Abstract: BFS, SSSP, PageRank and connected components over slabs",
            "mg.bfs, mg.sssp, mg.pagerank, mg.connected_components over a Graph and over a DynamicGraph",
            "apps",
            partial(apps, ["bfs", "sssp", "pagerank-step", "components"]),
        ),
        Exhibit(
            "figures-3-5",
            "Figures 3 to 5: insertion, deletion and queries of edges",
            "batches inserted, found and deleted, of edges that the graph has and of edges that it does not have",
            "dynamic",
            partial(parts, ["updates", "lookups"]),
        ),
        Exhibit(
            "tables-5-6",
            "Tables 5 and 6: iterations of following",
            "mg.dynamic.BFS and SSSP, and searches without a tree, each batch repaired; the steps of their loops",
            "maintained",
            partial(followed, SEARCHES, recompute="never"),
        ),
        Exhibit(
            "figures-6-10",
            "Figures 6 to 10: BFS, SSSP and PageRank over batches of several sizes",
            "mg.dynamic.BFS, SSSP and PageRank, and searches without a tree, beside computing them again; the steps of "
            "their loops",
            "maintained",
            partial(followed, [*SEARCHES, "pagerank", "pagerank-1e-10"], sizes=SIZES),
        ),
        Exhibit(
            "figure-11a",
            "Figure 11a: static triangle counting",
            "has_edge in slabs and intersect over slabs, beside triangle_count over sorted rows",
            "dynamic",
            partial(parts, ["triangles"]),
        ),
        Exhibit(
            "figure-11b",
            "Figure 11b: dynamic triangle counting",
            "mg.dynamic.TriangleCount, beside counting them again",
            "maintained",
            partial(followed, ["triangles"], sizes=SIZES),
        ),
        Exhibit(
            "figure-12a",
            "Figure 12a: incremental connected components by several schemes",
            "the paper's schemes written with find, join and advance, beside mg.dynamic.ConnectedComponents",
            "component-schemes",
            partial(schemes, sizes=SIZES),
        ),
        Exhibit(
            "figure-12b",
            "Figure 12b: connected components, and the iterations of following",
            "mg.dynamic.ConnectedComponents, beside finding them again; the steps of their loops",
            "maintained",
            partial(followed, ["components"], sizes=SIZES),
        ),
    ),
)
