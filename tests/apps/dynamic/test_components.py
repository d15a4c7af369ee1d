"""Connected components that follow a graph: after every batch the answer of the static app."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from tests.apps.dynamic.batches import KINDS, replay, start
from tests.verifiers import check_components


def is_components(answer):
    found = mg.connected_components(answer.graph)
    np.testing.assert_array_equal(CPU.asarray(answer.label), CPU.asarray(found.label))
    assert answer.num_components == found.num_components
    if answer.graph.num_live_vertices == answer.graph.num_vertices:
        check_components(answer.graph.to_graph(), answer.label, answer.num_components)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("kind", KINDS[:-1])
def test_after_every_batch(device, kind, directed):
    graph = start(kind, np.random.default_rng(5), directed, None, device)
    answer = mg.dynamic.ConnectedComponents(graph, recompute="never")
    search = mg.bfs(graph, 0)  # a tree whose edges are bridges more often than others
    updates = replay(kind, answer, lambda: is_components(answer), 6, 24, lambda: search.parent)
    assert {update.kind for update in updates} == {"repair"}
    assert max(update.touched for update in updates) > 0


def test_only_components_that_lost_an_edge_are_touched(device):
    chains = np.arange(200).reshape(20, 10)
    graph = mg.DynamicGraph.from_edges(chains[:, :-1].ravel(), chains[:, 1:].ravel(), device=device)
    answer = mg.dynamic.ConnectedComponents(graph)
    assert answer.num_components == 20
    answer.delete_edges([14, 34, 3], [15, 35, 77])  # the last is no edge
    assert (answer.last_update.kind, answer.last_update.touched, answer.num_components) == ("repair", 20, 22)
    answer.insert_edges([0, 9], [1, 4])
    assert (answer.last_update.kind, answer.last_update.touched, answer.num_components) == ("repair", 0, 22)
    answer.insert_edges([190, 5], [35, 15])
    assert (answer.last_update.touched, answer.num_components) == (15, 20)
    is_components(answer)


def test_vertices_that_come_and_go(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(30, device=device))
    answer = mg.dynamic.ConnectedComponents(graph)
    graph.delete_vertices([0, 10, 29])
    is_components(answer)
    assert answer.last_update.reason == "the graph was changed elsewhere"
    answer.delete_edges([20], [21])
    is_components(answer)
    graph.insert_vertices(4)
    answer.insert_edges([30, 0], [5, 30])
    is_components(answer)
    never = mg.dynamic.ConnectedComponents(graph, recompute="never")
    graph.delete_vertices([15])
    assert never.label[15] == -1
    never.delete_edges([12, 29], [13, 28])
    assert never.last_update.kind == "repair"
    is_components(never)
    never.insert_edges([13], [12])
    is_components(never)
