"""Answers that are sums of floats, and still the same on a CPU with any number of threads, bit by bit."""

import pytest

import minigr as mg

CALLS = {
    "pagerank": lambda graph: mg.pagerank(graph).rank,
    "pagerank, single": lambda graph: mg.pagerank(graph, precision="single").rank,
    "pagerank, personalized": lambda graph: mg.pagerank(graph, personalization={0: 1.0, 7: 2.0}).rank,
    "hits": lambda graph: mg.hits(graph).hub,
    "eigenvector": lambda graph: mg.eigenvector_centrality(graph).score,
    "katz": lambda graph: mg.katz_centrality(graph, 1e-4).score,
    "betweenness": lambda graph: mg.betweenness_centrality(graph, range(5)).score,
}


@pytest.mark.parametrize("layout", ["csr", "slabs"])
@pytest.mark.parametrize("name", CALLS)
def test_any_number_of_threads(name, layout, monkeypatch):
    graph = mg.generate.rmat(11, 8, seed=3, weights=(1, 9), directed=True, device="cpu")  # with hubs, and dangling ends
    if layout == "slabs":
        src, dst, weights = graph.to_edges()
        graph = mg.DynamicGraph.from_edges(
            src, dst, weights, num_vertices=graph.num_vertices, directed=True, in_edges=True, device="cpu"
        )
    found = set()
    for threads in ("1", "2", "3", "16"):
        monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
        found.add(CALLS[name](graph).tobytes())
    assert len(found) == 1
