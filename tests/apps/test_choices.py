"""Algorithms whose direction and balance the caller chooses: the answer is the same, and a wrong choice is refused."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError

GRAPHS = {
    "rmat": lambda device: mg.generate.rmat(9, 6, directed=True, seed=3, device=device),
    "star": lambda device: mg.generate.star(1500, device=device),
    "lattice": lambda device: mg.generate.lattice(12, 15, device=device),
}
CHOICES = [{"direction": direction} for direction in ("auto", "push", "pull")]
CHOICES += [{"balance": balance} for balance in ("thread", "tile", "warp", "block", "merge")]
CHOICES += [{"direction": "push", "balance": "merge"}]
BALANCED = [choice for choice in CHOICES if "direction" not in choice]


def named(choice):
    return "-".join(choice.values())


@pytest.mark.parametrize("choice", CHOICES, ids=named)
@pytest.mark.parametrize("name", GRAPHS)
def test_bfs(name, choice, device):
    graph = GRAPHS[name](device)
    expected, found = mg.bfs(graph, 1), mg.bfs(graph, 1, **choice)
    depth, parent = CPU.asarray(found.depth), CPU.asarray(found.parent)
    np.testing.assert_array_equal(depth, CPU.asarray(expected.depth))
    reached = np.flatnonzero(depth > 0)
    np.testing.assert_array_equal(depth[parent[reached]], depth[reached] - 1)


@pytest.mark.parametrize("choice", CHOICES, ids=named)
def test_multi_source_bfs(choice, device):
    graph = GRAPHS["rmat"](device)
    expected = mg.multi_source_bfs(graph, [5, 0, 99, 5])
    found = mg.multi_source_bfs(graph, [5, 0, 99, 5], **choice)
    np.testing.assert_array_equal(CPU.asarray(found.depth), CPU.asarray(expected.depth))


@pytest.mark.parametrize("balance", ["thread", "tile", "warp", "block", "merge"])
def test_sssp(balance, device):
    graph = mg.generate.rmat(9, 6, directed=True, seed=3, weights=(1, 20), device=device)
    expected, found = mg.sssp(graph, 1), mg.sssp(graph, 1, balance=balance)
    np.testing.assert_array_equal(CPU.asarray(found.distance), CPU.asarray(expected.distance))


@pytest.mark.parametrize("balance", ["thread", "tile", "warp", "block", "merge"])
def test_paths(balance, device):
    graph = mg.generate.rmat(9, 6, directed=True, seed=3, weights=(1, 20), device=device)
    distance, arrival = mg.sssp(graph, 1).distance, mg.earliest_arrival(graph, 1, duration=2).arrival
    found = mg.earliest_arrival(graph, 1, duration=2, balance=balance).arrival
    np.testing.assert_array_equal(CPU.asarray(found), CPU.asarray(arrival))
    target = int(CPU.asarray(graph.degree()).argmax())
    for bounds in (None, np.zeros(graph.num_vertices)):
        result = mg.shortest_path(graph, 1, target, weighted=True, heuristic=bounds, balance=balance)
        assert result.length == distance[target] < np.inf


EXACT = {
    "shortest_path": (lambda graph, **how: mg.shortest_path(graph, 1, 300, **how).path, BALANCED),
    "all_pairs": (lambda graph, **how: next(mg.all_pairs(graph, [1, 300], **how)).distance, CHOICES),
    "connected_components": (lambda graph, **how: mg.connected_components(graph, **how).label, CHOICES),
    "coloring": (lambda graph, **how: mg.coloring(graph, "random", 4, **how).color, CHOICES),
    "maximal_independent_set": (lambda graph, **how: mg.maximal_independent_set(graph, 4, **how).member, CHOICES),
    "core_number": (lambda graph, **how: mg.core_number(graph, **how).core, BALANCED),
    "closeness_centrality": (lambda graph, **how: mg.closeness_centrality(graph, [1, 2], **how).score, CHOICES),
    "approximate_closeness_centrality": (
        lambda graph, **how: mg.approximate_closeness_centrality(graph, 0.3, **how).score,
        CHOICES,
    ),
    "harmonic_centrality": (lambda graph, **how: mg.harmonic_centrality(graph, [1, 2], **how).score, CHOICES),
}
ROUNDED = {
    "betweenness_centrality": (lambda graph, **how: mg.betweenness_centrality(graph, [1, 2], **how).score, CHOICES),
    "edge_betweenness_centrality": (
        lambda graph, **how: mg.edge_betweenness_centrality(graph, [1, 2], **how).score,
        CHOICES,
    ),
    "personalized_pagerank": (
        lambda graph, **how: mg.personalized_pagerank(graph, [1, 2], epsilon=1e-9, **how).rank,
        BALANCED,
    ),
    "hits": (lambda graph, **how: mg.hits(graph, **how).hub, BALANCED),
    "eigenvector_centrality": (lambda graph, **how: mg.eigenvector_centrality(graph, **how).score, BALANCED),
    "katz_centrality": (lambda graph, **how: mg.katz_centrality(graph, 0.01, **how).score, BALANCED),
    **{
        f"pagerank by {way}": (lambda graph, way=way, **how: mg.pagerank(graph, method=way, **how).rank, BALANCED)
        for way in ("pull", "push", "residual")
    },
}


def cases(apps):
    """Every algorithm with every choice that it has."""
    return [(name, choice) for name, (_, choices) in apps.items() for choice in choices]


@pytest.mark.parametrize(("name", "choice"), cases(EXACT), ids=str)
def test_an_answer_that_is_exact(name, choice, device):
    graph = mg.generate.rmat(9, 6, seed=3, device=device)
    expected, found = EXACT[name][0](graph), EXACT[name][0](graph, **choice)
    np.testing.assert_array_equal(CPU.asarray(found), CPU.asarray(expected))


@pytest.mark.parametrize(("name", "choice"), cases(ROUNDED), ids=str)
def test_an_answer_that_is_rounded(name, choice, device):
    graph = mg.generate.rmat(9, 6, seed=3, device=device)
    expected, found = ROUNDED[name][0](graph), ROUNDED[name][0](graph, **choice)
    left = (
        1e-6 if name in ("pagerank by residual", "personalized_pagerank") else 1e-12
    )  # its tolerance: what is left depends on who comes first
    np.testing.assert_allclose(CPU.asarray(found), CPU.asarray(expected), rtol=1e-9, atol=left)


@pytest.mark.parametrize("choice", CHOICES, ids=named)
def test_strong_components(choice, device):
    for name in ("rmat", "star"):
        graph = GRAPHS[name](device)
        expected = mg.strongly_connected_components(graph)
        found = mg.strongly_connected_components(graph, **choice)
        np.testing.assert_array_equal(CPU.asarray(found.label), CPU.asarray(expected.label))


@pytest.mark.parametrize("balance", ["thread", "tile", "warp", "block", "merge"])
def test_centrality_by_weight(balance, device):
    graph = mg.generate.rmat(9, 6, directed=True, seed=3, weights=(1, 20), device=device)
    for app in (mg.betweenness_centrality, mg.closeness_centrality):
        expected, found = (app(graph, [1, 2], weighted=True, **how).score for how in ({}, {"balance": balance}))
        np.testing.assert_allclose(CPU.asarray(found), CPU.asarray(expected), rtol=1e-9)


def test_a_choice_reaches_the_steps(device):
    """The trace tells in which direction each step went."""
    graph = mg.generate.rmat(9, 6, seed=3, device=device)
    searches = (mg.bfs(graph, 1, trace=True, direction=way).trace for way in ("push", "pull"))
    assert [{row.direction for row in trace} for trace in searches] == [{"push"}, {"pull"}]
    pulled = mg.connected_components(graph)
    pushed = [mg.connected_components(graph, **how) for how in ({"direction": "push"}, {"balance": "block"})]
    assert [result.iterations for result in (pulled, *pushed)] == [2, 1, 1]


def test_choices_that_there_are_not():
    graph = mg.generate.path(5, device="cpu")
    with pytest.raises(ProblemError, match="direction='sideways': use one of 'push', 'pull', 'auto'"):
        mg.bfs(graph, 0, direction="sideways")
    with pytest.raises(ProblemError, match="balance='fair'"):
        mg.bfs(graph, 0, balance="fair")
    with pytest.raises(ProblemError, match="balance='warp' says how a push deals out edges, but direction is 'pull'"):
        mg.multi_source_bfs(graph, [0], direction="pull", balance="warp")
    with pytest.raises(TypeError, match="sssp has no option 'direction'"):
        mg.sssp(graph, 0, direction="push")
    weighted = mg.generate.path(5, weights=(1, 2), device="cpu")
    for app in (mg.closeness_centrality, mg.betweenness_centrality, mg.harmonic_centrality):
        with pytest.raises(ProblemError, match=f"{app.__name__}: direction='pull' is for searches by hops"):
            app(weighted, weighted=True, direction="pull")
    directed = mg.generate.rmat(4, 2, directed=True, device="cpu")
    with pytest.raises(ProblemError, match="direction='pull' takes an undirected graph"):
        mg.connected_components(directed, direction="pull")
    for app in (mg.connected_components, mg.coloring, mg.maximal_independent_set, mg.closeness_centrality):
        with pytest.raises(ProblemError, match="balance='warp' says how a push deals out edges, but direction is 'pul"):
            app(graph, direction="pull", balance="warp")


@pytest.mark.parametrize("option", ["direction", "balance", "driver"])
def test_a_wrong_choice_is_refused_where_there_is_nothing_to_do(option):
    empty = mg.Graph.from_edges([], [], num_vertices=0, device="cpu")
    for app, arguments in ((mg.multi_source_bfs, [[]]), (mg.closeness_centrality, []), (mg.coloring, [])):
        with pytest.raises(ProblemError, match=f"{option}='sideways': use one of"):
            app(empty, *arguments, **{option: "sideways"})


def test_a_pull_needs_in_edges(device):
    graph = mg.DynamicGraph(5, directed=True, device=device)
    with pytest.raises(GraphError, match="in_edges=True"):
        mg.bfs(graph, 0, direction="pull")
