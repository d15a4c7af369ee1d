"""Sets of graphs that a batch must get right, each as a list of NetworkX graphs."""

import networkx as nx
import numpy as np

from minigr.device import CPU
from minigr.graphs.batch import GraphBatch
from tests.battery import _SHAPES


def shapes(directed=False):
    """The shapes of the battery, loops and parallel edges merged, in one set."""
    graphs = []
    for n, edges in _SHAPES.values():
        graph = (nx.DiGraph if directed else nx.Graph)()
        graph.add_nodes_from(range(n))
        graph.add_edges_from(edges)
        graphs.append(graph)
    return graphs


def sizes_around_words(directed=False):
    """Random graphs whose sizes are those at which something changes: words, warps, blocks, shared memory."""
    sizes = (1, 2, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 190, 257)
    return [nx.gnp_random_graph(n, 2.2 / n, seed=n, directed=directed) for n in sizes]


def large_among_small(directed=False):
    """An empty graph, one vertex, a disconnected graph, and three that are far larger than the others."""
    kind = nx.DiGraph if directed else nx.Graph
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(40, 35))
    return [
        kind(),
        nx.empty_graph(1, create_using=kind),
        nx.disjoint_union(nx.path_graph(5, create_using=kind), nx.cycle_graph(4, create_using=kind)),
        nx.path_graph(1500, create_using=kind),
        kind(),
        nx.gnm_random_graph(1300, 4000, seed=4, directed=directed),
        kind(grid),
        nx.empty_graph(3, create_using=kind),
    ]


def weighted(graphs, dtype="float64", low=1, seed=5):
    """The same graphs with random whole-number weights from `low` to 9."""
    rng = np.random.default_rng(seed)
    for graph in graphs:
        for *_, data in graph.edges(data=True):
            data["weight"] = np.dtype(dtype).type(rng.integers(low, 10))
    return graphs


SETS = {
    f"{make.__name__}-{'directed' if directed else 'undirected'}": (make, directed)
    for make in (shapes, sizes_around_words, large_among_small)
    for directed in (False, True)
}


def random_tree(n, seed, reach=40):
    """Ends of the edges, and the betweenness of each vertex: the pairs that it separates.

    Each parent is one of the `reach` vertices before: the larger, the shorter are the ways.
    """
    parent = np.array([np.random.default_rng(seed).integers(max(0, v - reach), v) for v in range(1, n)])
    below = np.ones(n, np.int64)
    for v in range(n - 1, 0, -1):
        below[parent[v - 1]] += below[v]
    squares = np.zeros(n)
    np.add.at(squares, parent, below[1:] ** 2.0)
    return np.arange(1, n), parent, ((n - 1) ** 2 - squares - (n - below) ** 2.0) / 2


def same_graph(found, expected):
    """Whether two graphs are equal, arc by arc and weight by weight."""
    for name in ("offsets", "indices", "weights"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(CPU.asarray(one), CPU.asarray(other), err_msg=name)
    assert found.directed == expected.directed
    assert found.device == expected.device


def same_batch(found, expected):
    """Whether two batches are equal, labels too."""
    same_graph(found.graph, expected.graph)
    np.testing.assert_array_equal(found.host_offsets, expected.host_offsets)
    for one, other in zip(found._all_labels(), expected._all_labels(), strict=True):
        np.testing.assert_equal(one, other)


def batch_of(graphs, device, weight=None):
    return GraphBatch.from_graphs(graphs, weight=weight, device=device)
