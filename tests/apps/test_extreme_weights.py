"""Weights near the ends of their dtypes: the right answer, or an error before anything runs."""

import warnings

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import GraphError, ProblemError

SRC, DST = [0, 0, 1, 2, 2, 3], [1, 2, 2, 0, 3, 0]
WEIGHTS = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0])
SMALLEST = 2.0**-1074


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def graph_of(weights, device, directed=True):
    return mg.Graph.from_edges(SRC, DST, weights, directed=directed, device=device)


@pytest.mark.parametrize("factor", [2.0**1021, 2.0**600, 2.0**-600, SMALLEST])
def test_weights_that_count_by_their_ratios(factor, device):
    """Powers of 2 don't change a digit."""
    plain, scaled = graph_of(WEIGHTS, device), graph_of(WEIGHTS * factor, device)
    for field in ("hub", "authority"):
        np.testing.assert_array_equal(*(CPU.asarray(getattr(mg.hits(g), field)) for g in (plain, scaled)))
    np.testing.assert_array_equal(*(CPU.asarray(mg.eigenvector_centrality(g).score) for g in (plain, scaled)))
    np.testing.assert_array_equal(*(CPU.asarray(mg.label_propagation(g).label) for g in (plain, scaled)))
    walks = [CPU.asarray(mg.random_walks(g, [0, 2] * 50, 6, weighted=True).vertices) for g in (plain, scaled)]
    np.testing.assert_array_equal(*walks)
    distances = [CPU.asarray(mg.sssp(g, 0).distance) for g in (plain, scaled)]
    np.testing.assert_array_equal(distances[0] * factor, distances[1])


def test_votes_of_weights_that_overflow_together(device):
    star = mg.Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 2], [1e308, 1e308, 1.5e308, 1e308], device=device)
    assert len(set(mg.label_propagation(star).label.tolist())) == 1


def test_pagerank_refuses_sums_that_float64_does_not_hold(device):
    plain = CPU.asarray(mg.pagerank(graph_of(WEIGHTS, device), tol=1e-12).rank)
    for factor in (2.0**900, 2.0**-900):
        scaled = mg.pagerank(graph_of(WEIGHTS * factor, device), tol=1e-12)
        np.testing.assert_allclose(CPU.asarray(scaled.rank), plain, rtol=1e-12)
    for factor in (2.0**1022, SMALLEST):
        with pytest.raises(GraphError, match=r"pagerank: the weights of vertex \d's out-edges are so large or small"):
            mg.pagerank(graph_of(WEIGHTS * factor, device))


@pytest.mark.parametrize("factor", [1e50, 1e-50])
def test_pagerank_in_single_precision_of_weights_that_it_does_not_hold(factor, device):
    plain, scaled = graph_of(WEIGHTS, device), graph_of(WEIGHTS * factor, device)
    coarse = {"tol": 0.05 / 4, "max_iter": 3}  # for which single precision would do
    expected = CPU.asarray(mg.pagerank(plain, **coarse).rank)
    np.testing.assert_allclose(CPU.asarray(mg.pagerank(scaled, **coarse).rank), expected, rtol=1e-6)
    with pytest.raises(ProblemError, match="with these weights precision='single' would lose ranks: use 'double'"):
        mg.pagerank(scaled, precision="single")
    followed = mg.dynamic.PageRank(mg.DynamicGraph.from_graph(scaled, in_edges=True), tol=0.05 / 4, max_iter=3)
    np.testing.assert_allclose(CPU.asarray(followed.rank), expected, rtol=1e-6)


def test_followed_ranks_refuse_a_batch_whose_weights_may_have_no_sum(device):
    graph = mg.DynamicGraph.from_graph(graph_of(WEIGHTS, device), in_edges=True)
    ranks, version = mg.dynamic.PageRank(graph), graph.version
    for weight in (1e300, 1e-300):
        with pytest.raises(GraphError, match=r"weights\[1\] is 1e[+-]300: dynamic.PageRank needs weights that are 0"):
            ranks.insert_edges([1, 3], [3, 1], [0.0, weight])
    assert graph.version == version


@pytest.mark.parametrize("weight", [2**62, -(2**62) - 12345, 7])
def test_a_forest_of_integers_has_an_exact_weight(weight, device):
    path = mg.Graph.from_edges(range(5), range(1, 6), np.full(5, weight, np.int64), device=device)
    assert mg.minimum_spanning_forest(path).total_weight == 5 * weight


def test_a_forest_of_floats_may_weigh_infinitely_much(device):
    for weights, total in (([1e308, 1.7e308], np.inf), ([1.0, np.inf], np.inf), ([np.inf, -np.inf], np.nan)):
        path = mg.Graph.from_edges([0, 1], [1, 2], weights, device=device)
        np.testing.assert_equal(mg.minimum_spanning_forest(path).total_weight, total)


def test_what_is_beyond_the_range_of_distances_is_out_of_reach(device):
    path = mg.Graph.from_edges([0, 1, 2], [1, 2, 3], [1.7e308] * 3, device=device)
    assert path.weight_summary() == (1.7e308, pytest.approx(1.7e308), 1.7e308)
    for graph in (path, mg.DynamicGraph.from_graph(path)):
        assert mg.sssp(graph, 0).distance.tolist() == [0.0, 1.7e308, np.inf, np.inf]
    assert mg.harmonic_centrality(path, weighted=True).score.tolist() == [
        pytest.approx(count / 1.7e308, rel=1e-12, abs=0) for count in (1, 2, 2, 1)
    ]
    tiny = mg.Graph.from_edges([0, 1], [1, 2], [SMALLEST] * 2, device=device)
    assert mg.harmonic_centrality(tiny, weighted=True).score.tolist() == [np.inf] * 3


def test_masked_arrays_are_refused_where_a_value_is_missing(device):
    ids = np.ma.array([0, 1, 5], mask=[False, False, True])
    weights = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    for arguments, name in (((ids, [1, 2, 0]), r"src\[2\]"), (([0, 1, 2], [1, 2, 0], weights), r"weights\[1\]")):
        with pytest.raises(GraphError, match=f"{name} is masked, so it has no value: leave such elements out"):
            mg.Graph.from_edges(*arguments, device=device)
    graph = mg.Graph.from_edges(np.ma.array([0, 1, 2]), [1, 2, 0], device=device)  # no value is missing
    assert graph.num_edges == 3


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("sources", lambda graph, given: mg.bfs(graph, given)),
        ("sources", lambda graph, given: mg.closeness_centrality(graph, given)),
        ("communities", lambda graph, given: mg.modularity(graph, given)),
        ("communities", lambda graph, given: mg.partition_quality(graph, given)),
        ("beta", lambda graph, given: mg.katz_centrality(graph, beta=given)),
        ("personalization", lambda graph, given: mg.pagerank(graph, personalization=given)),
        ("duration", lambda graph, given: mg.earliest_arrival(graph, 0, duration=given)),
        ("side", lambda graph, given: mg.maximum_bipartite_matching(graph, given % 2)),
    ],
)
def test_masked_arguments_are_refused(device, name, call):
    """What is behind a mask is no value, also if a call could take it."""
    graph = mg.Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, 2.0, 3.0], directed=True, device=device)
    count = 3 if name == "duration" else 4
    given = np.ma.array(np.arange(count), mask=np.arange(count) == 1)
    with pytest.raises(GraphError, match=rf"{name}\[1\] is masked, so it has no value"):
        call(graph, given)


def test_load_factors_that_no_memory_would_do_for(device):
    for value in (1e-300, 5e-324, 0.0):
        with pytest.raises(GraphError, match=r"load_factor must be a number of at least 1e-06, or math\.inf, got"):
            mg.DynamicGraph.from_edges([0] * 99, range(1, 100), load_factor=value, device=device)
        with pytest.raises(GraphError, match="load_factor must be a number of at least 1e-06"):
            mg.DynamicGraph(2, device=device).rehash(value)


def test_pagerank_adds_up_whole_numbers_beyond_int64(device):
    src, dst, weights = [0, 0, 0, 1, 2, 3], [1, 2, 3, 0, 0, 0], [2**62] * 3 + [1] * 3
    whole, real = (
        mg.Graph.from_edges(src, dst, np.array(weights, dtype), directed=True, device=device)
        for dtype in (np.int64, np.float64)
    )
    for of in (
        lambda graph: mg.pagerank(graph).rank,
        lambda graph: mg.pagerank(graph, method="residual").rank,
        lambda graph: mg.personalized_pagerank(graph, [1]).rank,
        lambda graph: mg.dynamic.PageRank(mg.DynamicGraph.from_graph(graph, in_edges=True)).rank,
    ):
        np.testing.assert_allclose(CPU.asarray(of(whole)), CPU.asarray(of(real)), rtol=1e-12)


def test_pagerank_adds_up_weights_of_float32_in_float64(device):
    count, weights = 3000, np.ones(6000, np.float32)
    weights[0] = 2.0**24  # beside which float32 loses each of the others
    hub, leaves = np.zeros(count, int), np.arange(1, count + 1)
    graph = mg.Graph.from_edges(np.r_[hub, leaves], np.r_[leaves, hub], weights, directed=True, device=device)
    result = mg.pagerank(graph, 0.99, tol=1e-12, max_iter=5000)
    assert float(result.rank.sum()) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("measure", ["jaccard", "cosine"])
def test_similarity_by_weights_of_float32_that_need_the_range_of_float64(measure, device):
    for weights in ([1e-7, 2e-7, 3e38], [1e-42, 2e-42, 2e-42]):
        found = [
            mg.similarity(
                mg.Graph.from_edges([0, 1, 3], [2, 2, 4], np.array(weights, np.float32).astype(dtype), device=device),
                [(0, 1)],
                weighted=True,
                measure=measure,
            ).score.tolist()
            for dtype in (np.float32, np.float64)
        ]
        assert found[0] == found[1]
        assert found[0][0] > 0


@pytest.mark.parametrize("factor", [2.0**-140, 2.0**-100, 2.0**100])
def test_modularity_of_weights_of_float32_near_the_ends_of_their_range(factor, device):
    # The factors are powers of 2, so float32 holds each scaled weight exactly.
    src, dst, group = [0, 1, 2, 0, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3], [0, 0, 0, 1, 1, 1]
    weights = np.array([1, 2, 1, 1, 2, 1, 1], np.float32)
    near_one, scaled = (
        mg.Graph.from_edges(src, dst, given, device=device) for given in (weights, weights * np.float32(factor))
    )
    assert mg.modularity(scaled, group) == mg.modularity(near_one, group) > 0.2
    assert mg.louvain(scaled).label.tolist() == mg.louvain(near_one).label.tolist()


TINY = np.float32(2.0**-140)  # subnormal in float32


def test_weights_of_float32_that_are_subnormal_are_added_up(device):
    src, dst, weights = [0, 1, 2, 0], [1, 2, 3, 3], np.array([1, 2, 4, 8], np.float32) * TINY
    ring = mg.Graph.from_edges(src, dst, weights, device=device)
    assert mg.minimum_spanning_forest(ring).total_weight == 7 * 2.0**-140
    assert mg.maximum_flow(ring, 0, 2).value == 5 * 2.0**-140
    directed = mg.Graph.from_edges(src, dst, weights, directed=True, device=device)
    longest = mg.dag_longest_path(directed, weighted=True)
    assert (longest.longest, longest.path.tolist()) == (8 * 2.0**-140, [0, 3])
    assert ring.contract([0, 0, 1, 1]).weights.tolist() == [2.0**-140, *[10 * 2.0**-140] * 2, 4 * 2.0**-140]


def test_rows_with_other_subnormal_weights_are_no_undirected_graph(device):
    offsets, indices = [0, 1, 2], [1, 0]
    with pytest.raises(GraphError, match="weight"):
        mg.Graph.from_csr(offsets, indices, np.array([1, 2], np.float32) * TINY, directed=False, device=device)
