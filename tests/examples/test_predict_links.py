"""The example of link prediction: its scores beside NetworkX's, and how it hides edges."""

import importlib
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import minigr as mg

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield importlib.import_module("predict_links")


GRAPHS = {
    "karate": nx.karate_club_graph(),
    "star": nx.star_graph(100),
    "complete": nx.complete_graph(40),
    "empty": nx.empty_graph(3),
    "sparse": nx.gnm_random_graph(90, 9, seed=1),
}


@pytest.mark.parametrize("theirs", GRAPHS.values(), ids=GRAPHS)
def test_scores(example, device, theirs):
    graph = mg.Graph.from_networkx(theirs, device=device)
    pairs = [pair for pair in np.ndindex(len(theirs), len(theirs)) if pair[0] != pair[1]][::3]
    found = example.scores(graph, *np.array(pairs).T)
    for name, function in example.SCORES.items():
        expected = [score for *_, score in getattr(nx, function)(theirs, pairs)]
        np.testing.assert_allclose(found[name], expected, rtol=1e-12)


def test_what_is_hidden(example, device):
    graph = mg.generate.rmat(7, 6, seed=2, simple=False, device=device)
    edges = {tuple(sorted(edge)) for edge in graph.to_networkx().edges() if edge[0] != edge[1]}
    left, hidden, others = example.hide(graph, 0.25, 3)
    assert left.device == graph.device
    hidden, others = (set(map(tuple, pairs.tolist())) for pairs in (hidden, others))
    assert set(left.to_networkx().edges()) == edges - hidden
    assert len(hidden) == len(edges) // 4 == len(others)
    assert hidden < edges
    assert not {tuple(sorted(pair)) for pair in others} & edges


def test_quality(example):
    assert example.quality(np.array([3, 4, 5]), np.array([1, 2])) == 1
    assert example.quality(np.array([1, 2]), np.array([3.0])) == 0
    assert example.quality(np.array([1, 2, 2, 3]), np.array([2, 2])) == 0.5
