"""Graphs of NetworkX of every kind, with what is awkward in them."""

import random

import networkx as nx


def _weighted(graph, values, seed=1):
    draw = random.Random(seed)
    for *_, data in graph.edges(data=True):
        data["weight"] = draw.choice(values)
    return graph


def _shuffled(graph, label, seed=2):
    """The same graph with other nodes, which were added in another order, as were the edges."""
    draw = random.Random(seed)
    nodes, edges = list(graph), list(graph.edges(data=True))
    draw.shuffle(nodes)
    draw.shuffle(edges)
    other = type(graph)()
    other.add_nodes_from(map(label, nodes))
    other.add_edges_from((label(u), label(v), data) for u, v, data in edges)
    return other


def _multi(graph):
    graph = nx.MultiDiGraph(graph) if graph.is_directed() else nx.MultiGraph(graph)
    edges = list(graph.edges(data=True))
    graph.add_edges_from((u, v, {"weight": data["weight"] + 1}) for u, v, data in edges[::2])
    graph.add_edges_from((v, u, {"weight": data["weight"] / 2}) for u, v, data in edges[::5])
    return graph


def _doubled(graph):
    """With a second edge beside some, in the same direction."""
    graph = nx.MultiDiGraph(graph)
    graph.add_weighted_edges_from([(u, v, data["weight"] * 2) for u, v, data in graph.edges(data=True)][::3])
    return graph


def _label(node):
    """Labels of many types."""
    return [node, f"node {node}", (node, "x"), frozenset([node]), node + 0.5][node % 5]


_INTS, _FLOATS = (0, 0, 1, 2, 3, 7), (0.0, 0.1, 0.2, 0.30000000000000004, 1e9, 0.5)
_SPARSE = nx.gnm_random_graph(90, 130, seed=1)
_DIRECTED = nx.gnm_random_graph(60, 150, seed=2, directed=True)
_ACYCLIC = nx.DiGraph(edge for edge in _DIRECTED.edges if edge[0] < edge[1])
_ATTRIBUTES = _weighted(nx.Graph(nx.ring_of_cliques(5, 4), name="ring", year=1), (1, 2, 3))
_ATTRIBUTES.add_nodes_from([(3, {"color": "red"}), ("alone", {"color": "blue"})])
_ATTRIBUTES.add_edge(0, 1, weight=1, label="first")
_LOOPS = nx.Graph([(0, 1), (1, 1), (1, 2), (2, 3), (3, 3), (5, 4)])

GRAPHS = {
    "null": nx.Graph(),
    "null directed": nx.DiGraph(),
    "one node": nx.empty_graph(1),
    "no edges": nx.empty_graph(4),
    "loops": _LOOPS,
    "attributes": _ATTRIBUTES,
    "path": nx.path_graph(30),
    "path, directed": _shuffled(nx.path_graph(30, create_using=nx.DiGraph), lambda node: node),
    "grid": _shuffled(nx.grid_2d_graph(7, 8), lambda node: node),
    "star": nx.star_graph(70),
    "ints": _weighted(_SPARSE.copy(), _INTS),
    "floats": _weighted(_SPARSE.copy(), _FLOATS),
    "above 0": _shuffled(_weighted(_SPARSE.copy(), (1, 2, 2, 5)), lambda node: node),
    "all zero": _weighted(nx.wheel_graph(20), (0,)),
    "ids with gaps": _shuffled(_weighted(_SPARSE.copy(), _INTS), lambda node: 10**6 - 7 * node),
    "huge ids": _shuffled(_weighted(_SPARSE.copy(), _INTS), lambda node: 2**80 + node),
    "labels": _shuffled(_weighted(_SPARSE.copy(), _FLOATS), _label),
    "directed": _shuffled(_weighted(_DIRECTED.copy(), _INTS), lambda node: node),
    "directed, labels": _shuffled(_weighted(_DIRECTED.copy(), _FLOATS), _label),
    "directed, above 0": _weighted(_DIRECTED.copy(), (0.25, 0.5, 1.5)),
    "acyclic": _weighted(_ACYCLIC.copy(), _INTS),
    "acyclic, multi": _shuffled(_doubled(_weighted(_ACYCLIC.copy(), _FLOATS)), _label),
    "multi": _multi(_weighted(_SPARSE.copy(), _FLOATS)),
    "multi, directed": _shuffled(_multi(_weighted(_DIRECTED.copy(), _FLOATS)), _label),
    "view of some nodes": nx.gnm_random_graph(40, 90, seed=3).subgraph(range(5, 30)),
    "view of some parallel edges": nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 3)]).edge_subgraph(
        [(0, 1, 1), (2, 3, 0)]
    ),
    "view of the reverse": _shuffled(_DIRECTED.copy(), lambda node: node).reverse(copy=False),
    "multi, loops": nx.MultiGraph([(0, 0), (0, 0), (0, 1), (0, 1), (1, 2), (3, 3)]),
}
