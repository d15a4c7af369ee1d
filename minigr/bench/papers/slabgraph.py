"""The exhibits of SlabGraph: Awad, Ashkiani, Porumbescu, Owens, Dynamic Graphs on the GPU, IPDPS 2020.

Table I lists data sets, so there is nothing to measure.
"""

from __future__ import annotations

from functools import partial

from minigr.bench.dynamic_calls import UNWEIGHTED
from minigr.bench.papers.changing import parts
from minigr.bench.papers.exhibit import Exhibit, Paper

PAPER = Paper(
    "slabgraph",
    "Awad, Ashkiani, Porumbescu, Owens, Dynamic Graphs on the GPU, IPDPS 2020",
    (
        Exhibit(
            "table-2",
            "Table II: batched edge insertion",
            "batches inserted, found and deleted again, in a set of edges and in a map to int32 weights",
            "dynamic",
            partial(parts, ["updates"], values=(UNWEIGHTED, "int32")),
        ),
        Exhibit(
            "table-3",
            "Table III: batched edge deletion",
            "edges that the graph has, and edges that it does not have, found and deleted",
            "dynamic",
            partial(parts, ["lookups"]),
        ),
        Exhibit(
            "table-4",
            "Table IV: vertex deletion",
            "insert_vertices, and delete_vertices with their edges",
            "dynamic",
            partial(parts, ["vertices"]),
        ),
        Exhibit(
            "tables-5-6",
            "Tables V and VI: bulk build and incremental build",
            "from_edges, and insert_edges in batches of 2^20 into a graph without a hint",
            "dynamic",
            partial(parts, ["builds"]),
        ),
        Exhibit(
            "tables-7-9",
            "Tables VII to IX: triangle counting, and what sorting adds",
            "has_edge in slabs and intersect over slabs, beside triangle_count over sorted rows",
            "dynamic",
            partial(parts, ["triangles"]),
        ),
        Exhibit(
            "figures-2-3",
            "Figures 2 and 3: load factor against chain length",
            "rehash to load factors up to 5 and to one bucket a vertex; rates, memory and chains",
            "dynamic",
            partial(parts, ["load"]),
        ),
    ),
)
