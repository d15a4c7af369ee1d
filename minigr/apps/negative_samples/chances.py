"""The probabilities with which vertices are drawn, evenly or by degree.

By degree, a vertex is found by a search in the prefix sums of all vertices' chances. A guide table gives the range of
the search, so it ends after a step or two: Chen, Asau, On Generating Random Variates from an Empirical Distribution
(AIIE Transactions 6, 1974).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigr.apps.common.draws import first_above
from minigr.errors import GraphError
from minigr.primitives.scan import scan
from minigr.primitives.transform import transform


def share(i, table, degree):
    """The chance of vertex i, by its degree, as an integer."""
    return table[degree[i]]


def look_up(i, sums, many, buckets, guide):
    """Find the vertex for i / buckets of the last sum."""
    guide[i] = first_above(i / buckets * sums[many - 1], 0, many - 1, sums)


def chances_of(graph: Any, power: float) -> dict[str, Any]:
    """The fields of `NegativeProblem`: the vertices for even draws, or the sums and guides for draws by degree.

    Raises
    ------
    GraphError
        If there are no vertices to draw from, or no edges for draws by degree.
    """
    device, n = graph._device, graph.num_vertices
    if power == 0:
        ids = graph.live_vertices() if graph.num_live_vertices < n else device.xp.arange(n, dtype=np.int32)
        if not len(ids):
            raise GraphError("negative_samples: the graph has no vertices to draw from")
        none = {name: device.empty(0, np.int64) for name in ("tails", "heads")}
        none |= {name: device.empty(0, np.int32) for name in ("tail_guide", "head_guide")}
        return {"ids": ids, "many": len(ids), "evenly": True, "buckets": 1, **none}
    if not graph.num_arcs:
        raise GraphError(f"negative_samples: power={power} draws vertices by degree, and the graph has no edges")
    buckets = 1 << n.bit_length()
    tails, tail_guide = heads, head_guide = _guided(graph, graph.degree(), graph.max_degree(), power, buckets)
    if graph.directed:
        heads, head_guide = _guided(graph, graph.in_degree(), graph.max_degree(inward=True), power, buckets)
    sums = {"tails": tails, "heads": heads, "tail_guide": tail_guide, "head_guide": head_guide}
    return {"ids": device.empty(0, np.int32), "many": n, "evenly": False, "buckets": buckets, **sums}


def _guided(graph: Any, degree: Any, greatest: int, power: float, buckets: int) -> tuple[Any, Any]:
    """The prefix sums of chances, which are proportional to degrees to a power; and the guide.

    Chances are integers, so that all devices have the same sums.
    """
    device, n = graph._device, graph.num_vertices
    unit = 2.0 ** min(62 - n.bit_length(), 40)
    table = np.ceil((device.host.xp.arange(greatest + 1) / greatest) ** power * unit).astype(np.int64)
    table = device.asarray(table)
    sums = scan(share, inclusive=True, dtype=np.int64, count=n, table=table, degree=degree)
    guide = device.empty(buckets + 1, np.int32)
    transform(look_up, count=buckets + 1, sums=sums, many=n, buckets=buckets, guide=guide)
    return sums, guide
