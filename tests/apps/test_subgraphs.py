"""Subgraphs by a search, by components and by functors, over the battery, against NetworkX and NumPy."""

import networkx as nx
import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import FunctorError, GraphError, ProblemError
from minigr.graphs import Graph
from tests.layouts import slabs_of


def check(graph, found, vertices, edges=None):
    """That these vertices are left, in order, with all edges between them, or those of `edges`, a mask of arcs."""
    assert isinstance(found.vertices, resolve(graph.device).xp.ndarray)
    assert found.vertices.dtype == np.int32
    assert CPU.asarray(found.vertices).tolist() == sorted(vertices)
    left = graph if edges is None else graph.edge_subgraph(edges)
    wanted = left.subgraph(sorted(vertices))
    for name in ("offsets", "indices", "weights"):
        if getattr(wanted, name) is None:
            assert getattr(found.graph, name) is None
        else:
            np.testing.assert_array_equal(CPU.asarray(getattr(found.graph, name)), CPU.asarray(getattr(wanted, name)))
    assert (found.graph.directed, found.graph.device) == (graph.directed, graph.device)


# --- around a vertex -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [0, 1, 3])
def test_ego_graphs(graph, radius):
    if not graph.num_vertices:
        with pytest.raises(GraphError, match="source 0 is not a vertex: the graph has no vertices"):
            mg.ego_graph(graph, 0, radius)
        return
    theirs = graph.to_networkx()
    for source in {0, graph.num_vertices // 2, graph.num_vertices - 1}:
        check(graph, mg.ego_graph(graph, source, radius), nx.ego_graph(theirs, source, radius).nodes)


def test_around_several_vertices(device):
    graph = mg.generate.path(10, device=device)
    check(graph, mg.ego_graph(graph, [8, 2]), [1, 2, 3, 7, 8, 9])
    with pytest.raises(ProblemError, match="ego_graph: source 2 is given more than once"):
        mg.ego_graph(graph, [2, 2])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((4,), "source 4 is not a vertex"), ((0, -1), "radius must be between 0"), ((0, 1.5), "radius must be a whole")],
)
def test_ego_graphs_that_there_are_not(device, arguments, named):
    with pytest.raises(GraphError, match=named):
        mg.ego_graph(mg.generate.path(3, device=device), *arguments)


# --- the largest component -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strong", [False, True])
def test_largest_component(graph, strong):
    theirs = graph.to_networkx()
    if strong and graph.directed:
        components = nx.strongly_connected_components(theirs)
    else:
        components = nx.connected_components(theirs.to_undirected())
    expected = min(components, key=lambda vertices: (-len(vertices), min(vertices)), default=[])
    check(graph, mg.largest_component(graph, strong=strong), expected)


@pytest.mark.parametrize("make", [lambda graph: mg.ego_graph(graph, 3, 2), mg.largest_component])
def test_over_slabs(device, make):
    rows = mg.generate.lattice(20, 20, 0.6, seed=2, device=device)
    check(rows, make(slabs_of(rows, deleted=3)), CPU.asarray(make(rows).vertices).tolist())


def test_deleted_vertices(device):
    graph = mg.DynamicGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], directed=False, device=device)
    graph.delete_vertices([2])
    assert CPU.asarray(mg.largest_component(graph).vertices).tolist() == [0, 1]
    graph.delete_vertices(range(5))
    assert mg.largest_component(graph).graph.num_vertices == 0


# --- by functors -----------------------------------------------------------------------------------------------------


class Fields(mg.Problem):
    level = mg.vertex_field(np.int32)
    rate = mg.edge_field(np.float64)
    least = mg.parameter(np.float64, default=0.5)


class High(mg.Functor):
    def cond_filter(vertex, level):
        return level[vertex] > 2


class Fast(mg.Functor):
    def cond_filter(edge, src, dst, rate, least):
        return rate[edge] > least or src == dst


class Heavy(mg.Functor):
    def cond_filter(weight):
        return weight > 3


def test_by_fields(graph):
    rng = np.random.default_rng(4)
    level, rate = rng.integers(0, 6, graph.num_vertices), rng.random(graph.num_arcs)
    fields = Fields(graph)
    fields.level, fields.rate = level, rate
    high = np.flatnonzero(level > 2)
    src, dst, _ = graph.to_edges(both_ways=True)
    fast = (rate > 0.5) | CPU.asarray(src == dst)
    everyone = range(graph.num_vertices)
    check(graph, mg.filter_graph(graph, vertices=High, edges=Fast, problem=fields), high.tolist(), fast)
    check(graph, mg.filter_graph(graph, vertices=High, problem=fields), high.tolist())
    check(graph, mg.filter_graph(graph, edges=Fast, problem=fields), everyone, fast)
    assert mg.filter_graph(graph).graph is graph


def test_by_weights(device):
    graph = mg.generate.rmat(7, 8, seed=5, weights=(1, 9), device=device)
    check(graph, mg.filter_graph(graph, edges=Heavy), range(graph.num_vertices), CPU.asarray(graph.weights) > 3)


def test_what_is_refused(device):
    graph = mg.generate.path(3, device=device)
    for problem in (Fields(mg.generate.path(3, device=device)), High):
        with pytest.raises(ProblemError, match="problem= must be a Problem over graph"):
            mg.filter_graph(graph, vertices=High, problem=problem)
    with pytest.raises(GraphError, match=r"filter_graph takes a static minigr.Graph, got a DynamicGraph"):
        mg.filter_graph(mg.DynamicGraph(3, device=device))
    with pytest.raises(FunctorError, match=r"parameter 'level' is neither supplied .*; pass a Problem that declares"):
        mg.filter_graph(graph, vertices=High)


def test_names_go_along(device):
    pytest.importorskip("pandas")
    labels, ends = mg.Labels.number(["ann", "bob", "cleo", "dora"], ["bob", "ann", "dora", "emil"])
    found = mg.largest_component(Graph.from_edges(*ends, device=device))
    names = mg.Labels(labels[found.vertices])
    assert names.series(found.graph.degree()).to_dict() == {"cleo": 1, "dora": 2, "emil": 1}
