"""A battery of unusual graphs, on which every layout, operator and app must be tested.

`BATTERY` is a list of (name, factory); ``factory(device)`` makes the graph.
"""

from functools import partial

import numpy as np

from minigr import generate
from minigr.graphs import Graph

_SHAPES = {  # name: (number of vertices, edges)
    "empty": (0, []),
    "one_vertex": (1, []),
    "no_edges": (5, []),
    "self_loop_only": (1, [(0, 0)]),
    "single_edge": (2, [(0, 1)]),
    "star": (65, [(0, v) for v in range(1, 65)]),
    "star_inwards": (65, [(v, 64) for v in range(64)]),
    "path": (40, [(v, v + 1) for v in range(39)]),
    "cycle": (33, [(v, (v + 1) % 33) for v in range(33)]),
    "two_hubs": (300, [(v % 2, v) for v in range(2, 300)] + [(0, 1)]),
    "complete": (17, [(u, v) for u in range(17) for v in range(u)]),
    "duplicate_edges": (4, [(0, 1), (0, 1), (1, 0), (2, 1), (0, 1), (2, 3), (2, 3)]),
    "self_loops": (4, [(0, 0), (0, 1), (1, 1), (1, 1), (2, 3), (3, 3)]),
    "disconnected": (12, [(0, 1), (1, 2), (2, 0), (4, 5), (6, 7), (7, 8), (8, 9), (9, 6)]),
    "bipartite": (9, [(u, v) for u in range(4) for v in range(4, 9) if (u + v) % 3]),
    "chain_with_branches": (
        600,
        [(v, v + 1) for v in range(399)]
        + [(2 * v, 400 + v) for v in range(199)]
        + [(400 + v, 401 + v) for v in range(0, 150, 3)],
    ),
    "isolated_last_vertex": (1025, [(0, 1023), (1023, 511), (511, 0)]),
    "descending": (50, [(v + 1, v) for v in range(49)]),
    "wheel": (34, [(0, v) for v in range(1, 34)] + [(v, v % 33 + 1) for v in range(1, 34)]),
}


def _shape(name, directed, weights, device):
    n, edges = _SHAPES[name]
    src, dst = ([edge[end] for edge in edges] for end in (0, 1))
    values = None
    if weights == "zero":
        values = np.zeros(len(edges), np.float32)
    elif weights:
        values = (np.arange(len(edges)) * 7 % 10).astype(weights)  # some are zero, many are equal
    return Graph.from_edges(src, dst, values, num_vertices=n, directed=directed, device=device)


def _cases():
    for name in _SHAPES:
        for directed in (False, True):
            kind = "directed" if directed else "undirected"
            yield f"{name}-{kind}", partial(_shape, name, directed, None)
            yield f"{name}-{kind}-float32", partial(_shape, name, directed, "float32")
    for dtype in ("int64", "float64", "zero"):
        yield f"wheel-undirected-{dtype}", partial(_shape, "wheel", False, dtype)
        yield f"duplicate_edges-directed-{dtype}", partial(_shape, "duplicate_edges", True, dtype)
    for directed in (False, True):
        kind = "directed" if directed else "undirected"
        rmat = partial(generate.rmat, 8, 8, seed=1, directed=directed, weights=(1, 255))
        yield f"rmat-{kind}", lambda device, make=rmat: make(device=device)
        multi = partial(generate.rmat, 6, 8, seed=2, directed=directed, weights=(0, 3), simple=False)
        yield f"rmat_with_repeats-{kind}", lambda device, make=multi: make(device=device)
    yield "lattice", lambda device: generate.lattice(40, 25, 0.7, seed=3, weights=(1, 9), device=device)
    yield "random_geometric", lambda device: generate.random_geometric(500, 8, seed=4, device=device)


BATTERY = list(_cases())

TO_COMPILE_FOR = [case for case in BATTERY if not case[0].endswith(("int64", "float64"))]
"""Cases for tests that compile programs. Other dtypes of weights need programs, and have tests, of their own."""
