"""The verifiers accept right answers and refuse corrupted ones."""

from dataclasses import replace

import numpy as np
import pytest

from minigr import Graph
from minigr.apps.common.levels import CommunitiesResult
from minigr.apps.neighbor_sampling import NeighborSampleResult
from tests.verifiers import (
    check_betweenness,
    check_bfs,
    check_biconnected,
    check_bipartite,
    check_bipartite_matching,
    check_centrality,
    check_coloring,
    check_communities,
    check_components,
    check_core_number,
    check_cycle,
    check_earliest_arrival,
    check_edge_betweenness,
    check_eigenvector,
    check_flow,
    check_hits,
    check_independent_set,
    check_katz,
    check_label_propagation,
    check_matching,
    check_maximal_matching,
    check_most_similar,
    check_multi_source_bfs,
    check_negative_samples,
    check_neighbor_sample,
    check_pagerank,
    check_path,
    check_personalized_pagerank,
    check_random_walks,
    check_similarity,
    check_spanning_forest,
    check_sssp,
    check_strong_components,
    check_triangles,
    check_truss,
    shortest_paths_from,
)

# 0 -> 1 -> 2 -> 3, a detour 0 -> 4 -> 3, an unreachable pair {5, 6}, and 7 alone
SRC, DST = [0, 1, 2, 0, 4, 5, 6], [1, 2, 3, 4, 3, 6, 5]
DEPTH = np.array([0, 1, 2, 2, 1, -1, -1, -1], np.int32)
PARENT = np.array([-1, 0, 1, 4, 0, -1, -1, -1], np.int32)
# weights: the detour 0 -> 4 -> 3 costs 1 + 9, the chain 1 + 2 + 0; 1 <-> 8 and 8 <-> 9 at no cost
WEIGHTED = ([*SRC, 1, 8, 8, 9], [*DST, 8, 1, 9, 8], [1.0, 2.0, 0.0, 1.0, 9.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
DISTANCE = np.array([0, 1, 3, 3, 1, np.inf, np.inf, np.inf, 1, 1])
TREE = np.array([-1, 0, 1, 2, 0, -1, -1, -1, 1, 8], np.int32)


def changed(array, places):
    copy = array.copy()
    for place, value in places.items():
        copy[place] = value
    return copy


def test_bfs_right():
    check_bfs(Graph.from_edges(SRC, DST, num_vertices=8, directed=True, device="cpu"), 0, DEPTH, PARENT)


@pytest.mark.parametrize(
    ("depth", "parent", "complaint"),
    [
        ({3: 3}, {3: 2}, "more than one level"),
        ({2: 1}, {}, "no arc from the parent"),
        ({3: 1}, {}, "no arc from the parent"),
        ({}, {3: 2}, "no arc from the parent"),  # adjacent, but at the same depth
        ({}, {3: 1}, "no arc from the parent"),  # at the right depth, but not adjacent
        ({}, {3: -1}, "no vertex"),
        ({}, {3: 8}, "no vertex"),
        ({}, {3: 5}, "out of reach"),
        ({}, {0: 1}, "source has a parent"),
        ({0: -1}, {}, "source is not at depth 0"),
        ({7: 0}, {}, "another vertex at depth 0"),
        ({5: 1, 6: 2}, {6: 5}, "no vertex"),
        ({5: 2, 6: 3}, {5: 6, 6: 5}, "no arc from the parent"),  # an unreachable cycle
        ({7: 3}, {7: 3}, "no arc from the parent"),
        ({3: -1}, {3: -1}, "to one that is not"),
        ({}, {5: 6}, "out of reach has a parent"),
        ({5: -2}, {}, "below -1"),
    ],
)
def test_bfs_corrupted(depth, parent, complaint):
    graph = Graph.from_edges(SRC, DST, num_vertices=8, directed=True, device="cpu")
    with pytest.raises(AssertionError, match=complaint):
        check_bfs(graph, 0, changed(DEPTH, depth), changed(PARENT, parent))


def test_bfs_from_several():
    graph = Graph.from_edges(SRC, DST, num_vertices=8, directed=True, device="cpu")
    depth, parent = changed(DEPTH, {2: 0, 3: 1}), changed(PARENT, {2: -1, 3: 2})
    check_bfs(graph, [0, 2], depth, parent)
    for source, wrong, complaint in [
        ([0, 2, 7], {}, "source is not at depth 0"),
        ([0], {}, "another vertex at depth 0"),
        ([0, 2], {2: 1}, "source has a parent"),
        ([0, 2], {3: 4}, "no arc from the parent"),
    ]:
        with pytest.raises(AssertionError, match=complaint):
            check_bfs(graph, source, depth, changed(parent, wrong))


def test_multi_source_bfs():
    graph = Graph.from_edges(SRC, DST, num_vertices=8, directed=True, device="cpu")
    right = np.array([DEPTH, [-1] * 5 + [0, 1, -1], DEPTH], np.int32)
    check_multi_source_bfs(graph, [0, 5, 0], right)
    check_multi_source_bfs(graph, [], np.empty((0, 8), np.int32))
    for place, value, complaint in [
        ((0, 3), 3, "more than one level"),
        ((0, 2), 1, "no arc leads there"),
        ((1, 6), -1, "to one that is not"),
        ((1, 7), 1, "no arc leads there"),
        ((1, 7), 0, "another vertex at depth 0"),
        ((1, 5), 1, "source is not at depth 0"),
        ((2, 7), -2, "below -1"),
    ]:
        with pytest.raises(AssertionError, match=complaint):
            check_multi_source_bfs(graph, [0, 5, 0], changed(right, {place: value}))
    with pytest.raises(AssertionError, match="shape"):
        check_multi_source_bfs(graph, [0, 5], right)
    with pytest.raises(AssertionError, match="int64"):
        check_multi_source_bfs(graph, [0, 5, 0], right.astype(np.int64))


def test_path():
    graph = Graph.from_edges(
        [*SRC, 0], [*DST, 1], [1.0, 2.0, 0.0, 1.0, 9.0, 1.0, 1.0, 5.0], directed=True, device="cpu"
    )
    right = np.array([0, 1, 2, 3], np.int32)
    check_path(graph, right, 0, 3, 3)
    check_path(graph, right, 0, 3, 3.0, weighted=True)
    check_path(graph, right[:1], 0, 0, 0)
    check_path(graph, right, 0, 3, 3.0 + 1e-9, weighted=True, rtol=1e-8)
    for path, length, complaint in [
        (right[1:], 2, "from one to the other"),
        (right[:-1], 2, "from one to the other"),
        (right[:0], 0, "from one to the other"),
        (right[[0, 2, 3]], 2, "not along an arc"),
        (np.array([0, 4, 3], np.int32), 3, "2 long, not 3"),
        (np.array([0, 1, 0, 1, 2, 3], np.int32), 5, "twice"),
        (right.astype(np.int64), 3, "int64"),
        (right, 2, "3 long, not 2"),
    ]:
        with pytest.raises(AssertionError, match=complaint):
            check_path(graph, path, 0, 3, length)
    with pytest.raises(AssertionError, match=r"10\.0 long"):
        check_path(graph, np.array([0, 4, 3], np.int32), 0, 3, 3.0, weighted=True)


def test_earliest_arrival():
    times = [5, 6, 8, 1, 9, 0, 0]  # of the chain 0, 1, 2, 3, of the detour through 4, and of the unreachable pair
    graph = Graph.from_edges(SRC, DST, times, num_vertices=8, directed=True, device="cpu")
    never = np.inf
    arrival = np.array([1, 6, 7, 9, 2, never, never, never])
    parent = np.array([-1, 0, 1, 2, 0, -1, -1, -1], np.int32)
    check_earliest_arrival(graph, 0, 1, 1, arrival, parent)
    check_earliest_arrival(graph, 0, 1, np.ones(7), arrival, parent)
    for places, parents, complaint in [
        ({0: 2}, {}, "not left at the start"),
        ({2: 8}, {}, "arrives earlier"),
        ({3: never}, {3: -1}, "arrives earlier"),
        ({2: 6.5}, {}, "no arc from the parent"),
        ({}, {3: 4}, "no arc from the parent"),  # 4 arrives later
        ({5: 1, 6: 1}, {5: 6, 6: 5}, "no arc from the parent"),
        ({}, {2: -1}, "a parent is no vertex"),
        ({}, {5: 6}, "out of reach has a parent"),
    ]:
        with pytest.raises(AssertionError, match=complaint):
            check_earliest_arrival(graph, 0, 1, 1, changed(arrival, places), changed(parent, parents))
    late = Graph.from_edges([0, 1], [1, 2], [5, 3], directed=True, device="cpu")
    with pytest.raises(AssertionError, match="no arc from the parent"):  # an edge leaves before its source is reached
        check_earliest_arrival(late, 0, 0, 1, np.array([0.0, 6, 4]), np.array([-1, 0, 1], np.int32))
    with pytest.raises(AssertionError, match="arrival is int64"):
        check_earliest_arrival(graph, 0, 1, 1, np.nan_to_num(arrival, posinf=99).astype(np.int64), parent)


def test_random_walks():
    graph = Graph.from_edges(SRC, DST, [1, 1, 1, 1, 0, 1, 1], num_vertices=8, directed=True, device="cpu")
    right = np.array([[0, 1, 2, 3], [0, 4, 3, -1], [5, 6, 5, 6], [7, -1, -1, -1]], np.int32)
    starts = [0, 0, 5, 7]
    check_random_walks(graph, starts, 3, right)
    weighted = changed(right, {(1, 2): -1})
    check_random_walks(graph, starts, 3, weighted, weighted=True)  # 4 -> 3 has no weight
    for walks, by_weight, complaint in [
        (right, True, "not along an arc"),
        (weighted, False, "could go on"),
        (changed(right, {(0, 1): 3}), False, "not along an arc"),
        (changed(right, {(0, 0): 1}), False, "begins elsewhere"),
        (changed(right, {(3, 2): 7}), False, "after its end"),
        (changed(right, {(0, 3): 8}), False, "at no vertex"),
        (changed(right, {(2, 3): -1}), False, "could go on"),
        (right.astype(np.int64), False, "int64"),
        (right[:, :3], False, "shape"),
    ]:
        with pytest.raises(AssertionError, match=complaint):
            check_random_walks(graph, starts, 3, walks, weighted=by_weight)


def test_negative_samples():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 2], num_vertices=4, directed=True, device="cpu")
    src, dst = np.array([0, 1, 3, 3]), np.array([2, 0, 2, 2])
    check_negative_samples(graph, src, dst)
    for sources, destinations, complaint in [
        (changed(src, {1: 2}), changed(dst, {1: 2}), "itself"),
        (src, changed(dst, {0: 1}), "a pair is an edge"),
        (src, changed(dst, {0: 4}), "no vertex"),
        (changed(src, {0: -1}), dst, "no vertex"),
        (src[:3], dst, "more sources"),
        (src.astype(np.int32), dst, "pairs are int32"),
    ]:
        with pytest.raises(AssertionError, match=complaint):
            check_negative_samples(graph, sources, destinations)


def test_neighbor_sample():
    graph = Graph.from_edges([1, 2, 2, 3, 4], [0, 0, 1, 1, 2], [1, 1, 1, 1, 0], directed=True, device="cpu")
    arrays = {"node": [0, 1, 2, 3, 4], "row": [1, 2, 2, 3, 4], "col": [0, 0, 1, 1, 2], "edge": [0, 1, 2, 3, 4]}
    arrays = {name: np.array(values, np.int64) for name, values in arrays.items()}
    right = NeighborSampleResult(**arrays, num_sampled_nodes=(1, 2, 2), num_sampled_edges=(2, 3))
    check_neighbor_sample(graph, [0], [2, -1], right)
    twice = replace(right, row=changed(right.row, {1: 1}), edge=changed(right.edge, {1: 0}))
    for faulty, options, complaint in [
        (right, {"weighted": True}, "weight 0"),
        (right, {"inward": False}, "other ends"),
        (right, {"fanouts": [1, -1]}, "others draw"),
        (right, {"fanouts": [2, 1]}, "others draw"),
        (right, {"fanouts": [3, -1], "replace": True}, "others draw"),
        (right, {"seeds": [1]}, "seeds do not come first"),
        (twice, {}, "drawn twice"),
        (twice, {"replace": True}, "out of turn"),
        (replace(right, edge=changed(right.edge, {4: 5})), {}, "no such id"),
        (replace(right, edge=changed(right.edge, {4: 3})), {}, "other ends"),
        (replace(right, row=right.row.astype(np.int32)), {}, "row is int32"),
        (replace(right, node=changed(right.node, {4: 3})), {}, "two numbers"),
        (replace(right, num_sampled_nodes=(1, 2)), {}, "not those of the layers"),
        (replace(right, num_sampled_nodes=(1, 2, 1)), {}, "do not add up"),
        (replace(right, num_sampled_nodes=(1, 3, 1)), {}, "out of turn"),
        (replace(right, num_sampled_edges=(3, 2)), {}, "others draw"),
    ]:
        given = {"seeds": [0], "fanouts": [2, -1], **options}
        with pytest.raises(AssertionError, match=complaint):
            check_neighbor_sample(graph, given.pop("seeds"), given.pop("fanouts"), faulty, **given)


def weighted_graph():
    return Graph.from_edges(*WEIGHTED, num_vertices=10, directed=True, device="cpu")


def test_sssp_right():
    check_sssp(weighted_graph(), 0, DISTANCE, TREE)
    check_sssp(weighted_graph(), 0, DISTANCE * (1 + 1e-9), TREE, rtol=1e-8)


@pytest.mark.parametrize(
    ("distance", "parent", "complaint"),
    [
        ({3: 10}, {3: 4}, "an arc relaxes"),
        ({2: 2.5}, {}, "an arc relaxes"),
        ({2: 2.5, 3: 2.5}, {}, "no arc from the parent"),
        ({}, {3: 4}, "no arc from the parent"),
        ({}, {3: 1}, "no arc from the parent"),
        ({}, {8: 9}, "does not lead to the source"),  # 8 <- 9 <- 8 at no cost: every arc is tight
        ({}, {1: 8}, "does not lead to the source"),  # 1 <- 8 <- 1
        ({}, {0: 1}, "source has a parent"),
        ({5: 1, 6: 2}, {5: 6, 6: 5}, "no arc from the parent"),
        ({5: 3}, {5: 2}, "to one that is not"),
        ({7: 3}, {7: 2}, "no arc from the parent"),
        ({7: 3}, {}, "no vertex"),
        ({3: np.inf}, {3: -1}, "to one that is not"),
        ({3: np.nan}, {}, "NaN"),
        ({3: -1}, {}, "negative"),
        ({0: 1}, {}, "source is not at distance 0"),
    ],
)
def test_sssp_corrupted(distance, parent, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_sssp(weighted_graph(), 0, changed(DISTANCE, distance), changed(TREE, parent))


def test_sssp_takes_the_lightest_of_parallel_edges():
    graph = Graph.from_edges([0, 0], [1, 1], [5.0, 2.0], directed=True, device="cpu")
    parent = np.array([-1, 0], np.int32)
    check_sssp(graph, 0, np.array([0.0, 2.0]), parent)
    with pytest.raises(AssertionError, match="relaxes"):
        check_sssp(graph, 0, np.array([0.0, 5.0]), parent)


def test_pagerank():
    graph = Graph.from_edges([0, 1], [1, 0], directed=True, num_vertices=2, device="cpu")
    check_pagerank(graph, np.array([0.5, 0.5]))
    for wrong in ([0.6, 0.4], [0.5, 0.4], [1.5, -0.5], [np.nan, 0.5]):
        with pytest.raises(AssertionError):
            check_pagerank(graph, np.array(wrong))
    with pytest.raises(AssertionError):
        check_pagerank(graph, np.array([0.5, 0.5]), personalization=[1.0, 0.0])


LABEL = np.array([0, 0, 0, 0, 0, 5, 5, 7], np.int32)


@pytest.mark.parametrize("directed", [False, True])
def test_components_right(directed):
    graph = Graph.from_edges(SRC, DST, num_vertices=8, directed=directed, device="cpu")
    check_components(graph, LABEL, 3)
    # a chain whose least vertex is found last
    chain = Graph.from_edges([5, 4, 3, 2, 0], [4, 3, 2, 1, 1], directed=directed, device="cpu")
    check_components(chain, np.zeros(6, np.int32), 1)
    check_components(Graph.from_edges([], [], directed=directed, device="cpu"), np.zeros(0, np.int32), 0)


@pytest.mark.parametrize(
    ("label", "count", "complaint"),
    [
        ({5: 6, 6: 6}, 3, "up to the one that has it"),  # not the least
        ({7: -1}, 3, "up to the one that has it"),
        ({7: 8}, 3, "up to the one that has it"),
        ({6: 6}, 4, "an arc joins two labels"),
        ({3: 3}, 4, "an arc joins two labels"),
        ({3: 1}, 3, "vertex has another label"),  # not flat
        ({5: 0, 6: 0}, 2, "no path joins"),
        ({7: 0}, 2, "no path joins"),
        ({7: 5}, 2, "no path joins"),
        ({}, 2, "2 components, but 3 labels"),
    ],
)
def test_components_corrupted(label, count, complaint):
    graph = Graph.from_edges(SRC, DST, num_vertices=8, directed=True, device="cpu")
    with pytest.raises(AssertionError, match=complaint):
        check_components(graph, changed(LABEL, label), count)


def edges_and_parallels():
    """A square 0 1 2 3 with a diagonal 0 2, a parallel edge 0 1 that is heavier, an edge from 4 to 5, and 6 alone."""
    ends = [0, 0, 1, 2, 0, 0, 4], [1, 1, 2, 3, 3, 2, 5]
    return Graph.from_edges(*ends, [5.0, 1.0, 2.0, 2.0, 4.0, 3.0, -1.0], num_vertices=7, device="cpu")


FOREST, TREES = ([0, 1, 2, 4], [1, 2, 3, 5]), np.array([0, 0, 0, 0, 4, 4, 6], np.int32)


def test_spanning_forest_right():
    check_spanning_forest(edges_and_parallels(), *map(np.array, FOREST), 4.0, TREES, 3)


@pytest.mark.parametrize(
    ("pairs", "total", "label", "count", "complaint"),
    [
        ([(0, 1), (1, 2), (0, 3), (4, 5)], 4.0, {}, 3, "is the least"),  # a forest, but not the lightest
        ([(0, 1), (1, 2), (2, 3), (4, 5)], 8.0, {}, 3, "said to be 8.0"),
        ([(0, 1), (1, 2), (0, 2), (4, 5)], 4.0, {}, 3, "close a cycle"),
        ([(0, 1), (0, 1), (2, 3), (4, 5)], 4.0, {}, 3, "close a cycle"),
        ([(0, 1), (1, 2), (2, 3)], 5.0, {}, 3, "3 edges, but a forest has 4"),
        ([(0, 1), (1, 2), (2, 3), (5, 6)], 4.0, {}, 3, "no such edge"),
        ([(1, 0), (1, 2), (2, 3), (4, 5)], 4.0, {}, 3, "lesser end"),
        ([(0, 1), (1, 2), (2, 3), (4, 5)], 4.0, {5: 5}, 3, "least vertex of its tree"),
        ([(0, 1), (1, 2), (2, 3), (4, 5)], 4.0, {}, 2, "2 trees, but there are 3"),
    ],
)
def test_spanning_forest_corrupted(pairs, total, label, count, complaint):
    ends = (np.array([pair[end] for pair in pairs]) for end in (0, 1))
    with pytest.raises(AssertionError, match=complaint):
        check_spanning_forest(edges_and_parallels(), *ends, total, changed(TREES, label), count)


# 1 -> 2 -> 3 -> 1 with a way in from 0 and a way out to 4 <-> 5, a loop at 6, and 7 alone
TURNS, STRONG = ([1, 2, 3, 0, 3, 4, 5, 6], [2, 3, 1, 2, 4, 5, 4, 6]), np.array([0, 1, 1, 1, 4, 4, 6, 7], np.int32)


def test_strong_components_right():
    check_strong_components(Graph.from_edges(*TURNS, num_vertices=8, directed=True, device="cpu"), STRONG, 5)
    whole = Graph.from_edges(*TURNS, num_vertices=8, device="cpu")
    check_strong_components(whole, np.array([0, 0, 0, 0, 0, 0, 6, 7], np.int32), 3)
    check_strong_components(Graph.from_edges([], [], directed=True, device="cpu"), np.zeros(0, np.int32), 0)


@pytest.mark.parametrize(
    ("label", "count", "complaint"),
    [
        ({1: 2, 2: 2, 3: 2}, 5, "least"),
        ({0: 1}, 4, "least"),
        ({1: 0, 2: 0, 3: 0}, 4, "least"),  # joined with a vertex that only leads to the component
        ({4: 1, 5: 1}, 4, "least"),
        ({5: 5}, 6, "least"),  # split
        ({7: -1}, 5, "least"),
        ({6: 7}, 5, "least"),
        ({}, 4, "4 components, but there are 5"),
    ],
)
def test_strong_components_corrupted(label, count, complaint):
    graph = Graph.from_edges(*TURNS, num_vertices=8, directed=True, device="cpu")
    with pytest.raises(AssertionError, match=complaint):
        check_strong_components(graph, changed(STRONG, label), count)


@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_wrong_dtypes_are_refused(dtype):
    with pytest.raises(AssertionError, match="depth is"):
        check_bfs(weighted_graph(), 0, np.zeros(10, dtype), TREE)
    with pytest.raises(AssertionError, match="label is"):
        check_components(weighted_graph(), np.zeros(10, dtype), 1)
    with pytest.raises(AssertionError, match="label is"):
        check_strong_components(weighted_graph(), np.zeros(10, dtype), 1)


# A triangle 0 1 2, a bridge from 2 to 3, parallel edges to 4, a self-loop there and a bridge to 5; and 6 alone
BLOCKS = [0, 1, 2, 2, 3, 3, 4, 4], [1, 2, 0, 3, 4, 4, 5, 4]
BLOCK = np.array([0, 0, 0, 0, 0, 0, 6, 6, 8, 8, 8, 8, -1, 13, 13])
POINTS = np.array([False, False, True, True, True, False, False])
BRIDGES = np.array([2, 4]), np.array([3, 5])


def blocks():
    return Graph.from_edges(*BLOCKS, num_vertices=7, device="cpu")


def test_biconnected_right():
    check_biconnected(blocks(), BLOCK, 4, BRIDGES, POINTS, 3)
    check_biconnected(blocks(), np.where(BLOCK < 0, BLOCK, BLOCK + 5), 4, BRIDGES, POINTS, 3)
    none = np.zeros(0, np.int64)
    check_biconnected(Graph.from_edges([], [], device="cpu"), none, 0, (none, none), np.zeros(0, bool), 0)


@pytest.mark.parametrize(
    ("label", "count", "bridges", "points", "size", "complaint"),
    [
        ({0: 1}, 4, BRIDGES, {}, 3, "other components"),  # two labels for the arcs of one edge
        ({0: 6, 2: 6}, 4, BRIDGES, {}, 3, "other components"),
        ({6: 0, 7: 0}, 4, BRIDGES, {}, 3, "other components"),
        ({12: 4}, 4, BRIDGES, {}, 3, "a label of a self-loop"),
        ({6: -1}, 4, BRIDGES, {}, 3, "none of another edge"),
        ({}, 3, BRIDGES, {}, 3, "3 components, but there are 4"),
        ({}, 4, (np.array([2]), np.array([3])), {}, 3, "bridges"),
        ({}, 4, (np.array([2, 3, 4]), np.array([3, 4, 5])), {}, 3, "bridges"),
        ({}, 4, (np.array([2, 5]), np.array([3, 4])), {}, 3, "bridges"),
        ({}, 4, BRIDGES, {3: False}, 2, "articulation points, but they are"),
        ({}, 4, BRIDGES, {0: True}, 4, "articulation points, but they are"),
        ({}, 4, BRIDGES, {}, 4, "4 articulation points, but there are 3"),
    ],
)
def test_biconnected_corrupted(label, count, bridges, points, size, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_biconnected(blocks(), changed(BLOCK, label), count, bridges, changed(POINTS, points), size)
    with pytest.raises(AssertionError, match="label is int32"):
        check_biconnected(blocks(), BLOCK.astype(np.int32), 4, BRIDGES, POINTS, 3)


@pytest.mark.parametrize("directed", [False, True])
def test_bipartite(directed):
    graph, sides = Graph.from_edges([0, 1, 2, 4], [1, 2, 3, 3], directed=directed, device="cpu"), np.arange(5) % 2
    right = sides.astype(np.int32)
    check_bipartite(graph, right, True, None)
    for places, bipartite, edge, complaint in (
        ({0: 1}, True, None, "an edge within a side"),
        ({4: 2}, True, None, "not 0 or 1"),
        ({}, True, (0, 1), "an odd edge"),
        ({}, False, (0, 1), "in no odd cycle"),
        ({}, False, (0, 4), "is no edge"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_bipartite(graph, changed(right, places), bipartite, edge)
    with pytest.raises(AssertionError, match="side is int64"):
        check_bipartite(graph, sides, True, None)
    tailed, some = triangle_with_tail(directed), np.zeros(5, np.int32)
    for edge in ((0, 1), (2, 1), (1, 1)):
        check_bipartite(tailed, some, False, edge)
    for bipartite, edge in ((True, None), (False, (0, 3))):
        with pytest.raises(AssertionError):
            check_bipartite(tailed, some, bipartite, edge)


@pytest.mark.parametrize("directed", [False, True])
def test_matching(directed):
    graph = triangle_with_tail(directed)
    right = np.array([1, 0, 3, 2, -1], np.int32)
    check_maximal_matching(graph, right, 2)
    check_maximal_matching(graph, np.array([-1, 2, 1, -1, -1], np.int32), 1)
    with pytest.raises(AssertionError, match="an edge between unmatched vertices"):
        check_maximal_matching(graph, np.array([-1, -1, 3, 2, -1], np.int32), 1)
    for places, size, complaint in (
        ({0: 2}, 2, "a mate that has another one"),
        ({0: 0, 1: 1}, 2, "a mate that is no neighbor"),
        ({0: 4, 1: -1, 4: 0}, 2, "a mate that is no neighbor"),
        ({4: 5}, 2, "no vertex for a mate"),
        ({4: -2}, 2, "no vertex for a mate"),
        ({}, 4, "4 edges, but 4 matched"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_matching(graph, changed(right, places), size)
    with pytest.raises(AssertionError, match="mate is int64"):
        check_matching(graph, right.astype(np.int64), 2)


@pytest.mark.parametrize("directed", [False, True])
def test_bipartite_matching(directed):
    """0, 1 and 2 are on one side, 3 and 4 on the other."""
    graph = Graph.from_edges([0, 0, 1, 2], [3, 4, 3, 3], directed=directed, device="cpu")
    mate, cover = np.array([4, 3, -1, 1, 0], np.int32), np.array([False, False, False, True, True])
    check_bipartite_matching(graph, mate, 2, cover)
    check_bipartite_matching(graph, mate, 2, np.array([True, False, False, True, False]))
    with pytest.raises(AssertionError, match="an edge that is not covered"):
        check_bipartite_matching(graph, mate, 2, np.array([True, True, False, False, False]))
    with pytest.raises(AssertionError, match="2 vertices cover the edges, not 1"):
        check_bipartite_matching(graph, np.array([3, -1, -1, 0, -1], np.int32), 1, cover)
    with pytest.raises(AssertionError, match="3 vertices cover"):
        check_bipartite_matching(graph, mate, 2, changed(cover, {0: True}))
    with pytest.raises(AssertionError, match="a mate that is no neighbor"):
        check_bipartite_matching(graph, np.array([4, 2, 1, -1, 0], np.int32), 2, cover)
    with pytest.raises(AssertionError, match="cover is int8"):
        check_bipartite_matching(graph, mate, 2, cover.astype(np.int8))


@pytest.mark.parametrize("directed", [False, True])
def test_flow(directed):
    """A flow from 0 through 1 and 2 to 3."""
    edges = [0, 0, 1, 2], [1, 2, 3, 3], [3, 2, 1, 4]
    graph = Graph.from_edges(*edges, directed=directed, device="cpu")
    src, dst, _ = graph.to_edges(both_ways=True)
    right = np.array([{(0, 1): 1, (0, 2): 2, (1, 3): 1, (2, 3): 2}.get(arc, 0) for arc in zip(src, dst, strict=True)])
    side = np.array([True, True, False, False])
    check_flow(graph, 0, 3, 3, right, side)
    arcs = {arc: place for place, arc in enumerate(zip(src.tolist(), dst.tolist(), strict=True))}
    for places, complaint in (
        ({arcs[0, 1]: 4}, "more flows than fits"),
        ({arcs[0, 1]: -1}, "more flows than fits"),
        ({arcs[0, 1]: 2}, "not conserved"),
        ({arcs[0, 2]: 1, arcs[2, 3]: 1}, "not conserved"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_flow(graph, 0, 3, 3, changed(right, places), side)
    if not directed:
        with pytest.raises(AssertionError, match="both directions"):
            check_flow(graph, 0, 3, 3, changed(right, {arcs[0, 1]: 2, arcs[1, 0]: 1}), side)
    less = changed(right, {arcs[0, 2]: 1, arcs[2, 3]: 1})
    with pytest.raises(AssertionError, match=r"the cut lets 3\.0 through, and not 2"):
        check_flow(graph, 0, 3, 2, less, side)
    with pytest.raises(AssertionError, match="wrong sides"):
        check_flow(graph, 0, 3, 3, right, ~side)
    with pytest.raises(AssertionError, match=r"the cut lets 5\.0 through"):
        check_flow(graph, 0, 3, 3, right, np.array([True, True, True, False]))
    check_flow(graph, 0, 3, 3.0, right + 0.0, side, exact=False)


def test_cycle():
    graph = Graph.from_edges([0, 1, 2, 2, 3], [1, 2, 0, 3, 3], directed=True, device="cpu")
    check_cycle(graph, (0, 1, 2))
    check_cycle(graph, (3,))
    for cycle, complaint in (
        ((), "without vertices"),
        ((0, 1), "no edge from 1 to 0"),
        ((0, 2, 1), "no edge from 0 to 2"),
        ((0, 1, 2, 0, 1, 2), "twice"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_cycle(graph, cycle)


def triangle_with_tail(directed):
    """0, 1, 2 are joined with each other; 3 has an arc from 2; 1 has a self-loop; 4 is alone."""
    return Graph.from_edges([0, 1, 2, 2, 1], [1, 2, 0, 3, 1], num_vertices=5, directed=directed, device="cpu")


@pytest.mark.parametrize("directed", [False, True])
def test_coloring(directed):
    graph, right = triangle_with_tail(directed), np.array([0, 1, 2, 0, 0], np.int32)
    check_coloring(graph, right, 3)
    for places, colors, complaint in (
        ({1: 0}, 3, "neighbors have one color"),
        ({3: 2}, 3, "neighbors have one color"),
        ({4: -1}, 3, "no color"),
        ({4: 4}, 5, "are not 0 to 4"),
        ({4: 3}, 3, "are not 0 to 2"),
        ({}, 4, "are not 0 to 3"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_coloring(graph, changed(right, places), colors)
    for wrong in (right.astype(np.int64), right[:4]):
        with pytest.raises(AssertionError, match="color "):
            check_coloring(graph, wrong, 3)


@pytest.mark.parametrize("directed", [False, True])
def test_independent_set(directed):
    graph, right = triangle_with_tail(directed), np.array([False, True, False, True, True])
    check_independent_set(graph, right, 3)
    check_independent_set(graph, np.array([False, False, True, False, True]), 2)
    for places, size, complaint in (
        ({0: True}, 4, "neighbors are members"),
        ({2: True, 1: False}, 3, "neighbors are members"),
        ({1: False}, 2, "could be a member too at .0, 1"),
        ({3: False}, 2, "could be a member too at .3"),
        ({4: False}, 2, "could be a member too at .4"),
        ({}, 2, "3 members, not 2"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_independent_set(graph, changed(right, places), size)
    with pytest.raises(AssertionError, match="member is int8"):
        check_independent_set(graph, right.astype(np.int8), 3)


def kite(directed):
    """From 0 to 3 through 1, through 2, or through 4 and 5; by weight the path through 2 is shortest. 6 is alone."""
    weights = [2, 1, 2, 2, 1, 1, 2]
    return Graph.from_edges(
        [0, 0, 1, 2, 0, 4, 5], [1, 2, 3, 3, 4, 5, 3], weights, num_vertices=7, directed=directed, device="cpu"
    )


def test_shortest_paths_from():
    order, distance, paths, before = shortest_paths_from(kite(True), 0)
    assert (sorted(order[1:4]), sorted(order[4:])) == ([1, 2, 4], [3, 5])
    assert (distance[3], distance[5], paths[3], paths[5], before[3]) == (2, 2, 2, 1, [1, 2])
    order, distance, paths, before = shortest_paths_from(kite(True), 0, weighted=True)
    assert (order[0], order[-1], distance[3], paths[3], before[3]) == (0, 3, 3, 1, [2])
    twice = Graph.from_edges([0, 0, 1, 1, 1], [1, 1, 2, 1, 2], [1, 2, 1, 1, 1], directed=True, device="cpu")
    assert shortest_paths_from(twice, 0)[2] == {0: 1, 1: 2, 2: 4}
    assert shortest_paths_from(twice, 0, weighted=True)[2] == {0: 1, 1: 1, 2: 2}


@pytest.mark.parametrize(
    ("directed", "by_hops", "with_ends", "by_weight"),
    [
        (False, [2.5, 0.5, 0.5, 2.5, 1, 1, 0], [7.5, 5.5, 5.5, 7.5, 6, 6, 0], [4.5, 0, 1, 0.5, 2.5, 1, 0]),
        (True, [0, 0.5, 0.5, 0, 1, 1, 0], [5, 2.5, 2.5, 5, 4, 4, 0], [0, 0, 1, 0, 1, 1, 0]),
    ],
)
def test_betweenness(directed, by_hops, with_ends, by_weight):
    graph, right = kite(directed), np.array(by_hops, np.float64)
    check_betweenness(graph, right)
    check_betweenness(graph, np.array(with_ends, np.float64), endpoints=True)
    check_betweenness(graph, np.array(by_weight, np.float64), weighted=True)
    check_betweenness(graph, np.array([0, 0.5, 0.5, 0, 1, 0, 0]) / (1 if directed else 2), [0])
    for places in ({6: 1e-6}, {1: 0.5001}, {3: 1}, {2: np.nan}):
        with pytest.raises(AssertionError, match="not sums of parts"):
            check_betweenness(graph, changed(right, places))
    with pytest.raises(AssertionError, match="score is float32"):
        check_betweenness(graph, right.astype(np.float32))


@pytest.mark.parametrize("directed", [False, True])
def test_core_number(directed):
    graph, right = triangle_with_tail(directed), np.array([2, 2, 2, 1, 0], np.int32)
    check_core_number(graph, right, 2)
    for vertex in range(5):
        for by in (-1, 1):
            with pytest.raises(AssertionError, match=f"not the core number at .{vertex}"):
                check_core_number(graph, changed(right, {vertex: right[vertex] + by}), 2)
    with pytest.raises(AssertionError, match="3 is not the greatest"):
        check_core_number(graph, right, 3)
    for wrong in (right.astype(np.int64), right[:4]):
        with pytest.raises(AssertionError, match="core "):
            check_core_number(graph, wrong, 2)


@pytest.mark.parametrize(
    ("kind", "weighted", "right"),
    [
        ("closeness", False, 5**2 / (1 + 1 + 1 + 2 + 2) / 6),  # distances to 3 from 1, 2, 5 (1 each) and 0, 4 (2 each)
        ("harmonic", False, 3 + 2 / 2),
        ("closeness", True, 5**2 / (2 + 2 + 2 + 3 + 3) / 6),
        ("harmonic", True, 3 / 2 + 2 / 3),
    ],
)
def test_centrality(kind, weighted, right):
    nothing = np.full(7, np.nan)
    graph = kite(True)
    check_centrality(graph, changed(nothing, {3: right, 6: 0}), [3, 6], kind, weighted=weighted)
    for places in ({3: right + 1e-6, 6: 0}, {3: right}, {3: right, 6: 0, 2: 0}, {6: 0}):
        with pytest.raises(AssertionError, match=f"{kind} is not that of the distances"):
            check_centrality(graph, changed(nothing, places), [3, 6], kind, weighted=weighted)


@pytest.mark.parametrize("directed", [False, True])
def test_label_propagation(directed):
    graph, right = triangle_with_tail(directed), np.array([1, 1, 1, 1, 4], np.int32)
    check_label_propagation(graph, right, 2)
    check_label_propagation(graph, np.array([0, 0, 0, 0, 3], np.int32), 2)  # the value of a label does not matter
    for places, number, complaint in (
        ({3: 3}, 3, "weighs more at .3"),
        ({1: 4}, 2, "weighs more at .1"),
        ({4: 5}, 2, "no vertex at .4"),
        ({4: -1}, 2, "no vertex at .4"),
        ({}, 3, "not 3 communities"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_label_propagation(graph, changed(right, places), number)
    with pytest.raises(AssertionError, match="label is int64"):
        check_label_propagation(graph, right.astype(np.int64), 2)
    ends = [0, 1, 1], [1, 2, 2]
    weighted = Graph.from_edges(*ends, [3.0, 1.0, 1.0], directed=directed, device="cpu")
    check_label_propagation(weighted, np.array([0, 0, 0], np.int32), 1)
    with pytest.raises(AssertionError, match=r"weighs more at \[0, 1\]"):
        check_label_propagation(weighted, np.array([0, 2, 2], np.int32), 2)


@pytest.mark.parametrize("directed", [False, True])
def test_communities(directed):
    """Two triangles and an edge between them; 0.3571 is 6/7 less 2 * (1/2)**2."""
    graph = Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], directed=directed, device="cpu")
    fine, right, one = (np.array(label, np.int32) for label in ([0, 0, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1], [0] * 6))
    crossed = np.array([0, 0, 1, 1, 2, 2], np.int32)

    def check(levels, number=2, modularity=6 / 7 - 0.5, **options):
        check_communities(graph, CommunitiesResult(levels[-1], number, modularity, tuple(levels), 9, True), **options)

    check([right], connected=True)
    check([fine, right], connected=True)
    check([right], modularity=6 / 7 - 0.25, resolution=0.5)
    check([crossed, right])
    for levels, options, complaint in (
        ([right], {"number": 3}, "not 3 communities"),
        ([right], {"modularity": 0.36}, "modularity is 0.357.*, not 0.36"),
        ([right, one], {"number": 1, "modularity": 0.0}, "less modularity than the one before"),
        ([fine, crossed, right], {}, "not made of the communities of the one before at .3"),
        ([right * 2], {}, "not numbered from 0"),
        ([right - 1], {}, "not numbered from 0"),
        ([right.astype(np.int64)], {}, "label is int64"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check(levels, **options)
    apart = Graph.from_edges([0, 1, 2, 2], [1, 2, 3, 3], directed=directed, device="cpu")
    for label, is_right in (([0, 0, 1, 1], True), ([0, 1, 0, 0], False), ([0, 1, 2, 0], False)):
        label = np.array(label, np.int32)
        result = CommunitiesResult(label, int(label.max()) + 1, np.nan, (label,), 9, True)
        complaint = "modularity is" if is_right else "a community is not connected"
        with pytest.raises(AssertionError, match=complaint):
            check_communities(apart, result, connected=True)


@pytest.mark.parametrize("directed", [False, True])
def test_edge_betweenness(directed):
    graph = Graph.from_edges([0, 0, 0, 1, 2], [1, 1, 2, 3, 3], directed=directed, device="cpu")
    src, dst = graph.to_edges()[:2]
    right = np.array([5 / 6, 5 / 6, 4 / 3, 5 / 3, 4 / 3]) if directed else np.array([7 / 6, 7 / 6, 2, 2, 5 / 3])
    check_edge_betweenness(graph, src, dst, right)
    for wrong, complaint in (
        (right + np.array([1e-3, -1e-3, 0, 0, 0]), "parallel edges"),
        (changed(right, {2: 1.5}), r"\(0, 2\) has"),
        (right.astype(np.float32), "float64"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_edge_betweenness(graph, src, dst, wrong)
    with pytest.raises(AssertionError, match="in their order"):
        check_edge_betweenness(graph, dst, src, right)
    with pytest.raises(AssertionError, match="has"):
        check_edge_betweenness(graph, src, dst, right, sources=[0])


def test_personalized_pagerank():
    graph = Graph.from_edges([0, 1], [1, 2], device="cpu")
    one = np.array([[0.15 + 0.85**2 / 2 * 0.15 / (1 - 0.85**2), 0.15 * 0.85 / (1 - 0.85**2), 0.0]])
    one[0, 2] = one[0, 1] * 0.85 / 2
    sources, none, some = [0], np.zeros(1), np.array([1e-6])
    check_personalized_pagerank(graph, sources, one, none)
    check_personalized_pagerank(graph, sources, one - [[0, 1e-6, 0]], some)
    for rank, missing, complaint in (
        (one - np.array([[-1e-6, 1e-6, 0]]), none, "too large"),
        (one - [[0, 1e-6, 0]], none, "not what ranks lack"),
        (one - [[1e-6, 1e-6, 1e-6]] * np.array(2), 6 * some, "more is missing"),
        (one - [[1.5e-6, 0, 0]], 1.5 * some, "a rank lacks more"),
        (one.astype(np.float32), none, "float64"),
        (one[:, :2], none, "shape"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_personalized_pagerank(graph, sources, rank, missing)
    with pytest.raises(AssertionError, match="too large"):
        check_personalized_pagerank(graph, sources, one, none, damping=0.5)


def test_eigenvector():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    golden = (5**0.5 + 1) / 2
    score = np.array([1, golden, golden, 1]) / np.sqrt(2 + 2 * golden**2)
    check_eigenvector(graph, score, tol=1e-9)
    for wrong, complaint in (
        (np.full(4, 0.5), "of change"),
        (score * 2, "squares of scores sum"),
        (score * [1, 1, 1, -1], "a score is negative"),
        (score.astype(np.float32), "score is float32"),
        (np.array([1, golden, -golden, -1]), "a score is negative"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_eigenvector(graph, wrong)


def test_katz():
    graph = Graph.from_edges([0, 1, 1], [1, 2, 2], [1.0, 2.0, 3.0], directed=True, device="cpu")
    right = np.array([1.0, 1.5, 4.75])
    check_katz(graph, right, 0.5)
    check_katz(graph, right * [1, 2, 2], 0.5, [1.0, 2.5, 2.0])
    for wrong, complaint in ((changed(right, {1: 1.6}), "of change"), (right.astype(np.float32), "score is float32")):
        with pytest.raises(AssertionError, match=complaint):
            check_katz(graph, wrong, 0.5)
    with pytest.raises(AssertionError, match="of change"):
        check_katz(graph, changed(right, {2: np.nan}), 0.5)
    with pytest.raises(AssertionError, match="of change"):
        check_katz(graph, right, 0.4)


def test_hits():
    graph = Graph.from_edges([0, 0, 1], [2, 3, 3], num_vertices=5, directed=True, device="cpu")
    golden = (5**0.5 - 1) / 2
    hub, authority = np.array([golden, 1 - golden, 0, 0, 0]), np.array([0, 0, 1 - golden, golden, 0])
    check_hits(graph, hub, authority)
    for places, complaint in (
        ({0: golden + 1e-3, 1: 1 - golden - 1e-3}, "of change"),
        ({4: 1e-3}, "hubs sum"),
        ({0: golden - 1e-3, 4: 1e-3}, "of change"),
        ({0: golden + 1e-3, 4: -1e-3}, "hub is negative"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_hits(graph, changed(hub, places), authority)
    with pytest.raises(AssertionError, match="authorities sum"):
        check_hits(graph, hub, 2 * authority)
    with pytest.raises(AssertionError, match="hub is float32"):
        check_hits(graph, hub.astype(np.float32), authority)
    nothing = Graph.from_edges([], [], num_vertices=2, device="cpu")
    check_hits(nothing, np.zeros(2), np.zeros(2))
    with pytest.raises(AssertionError, match="hubs sum"):
        check_hits(nothing, np.full(2, 0.5), np.zeros(2))


@pytest.mark.parametrize("directed", [False, True])
def test_triangles(directed):
    graph, right = triangle_with_tail(directed), np.array([1, 1, 1, 0, 0], np.int64)
    check_triangles(graph, 1, right)
    for places, total, complaint in (
        ({3: 1}, 1, "another number of triangles at .3"),
        ({0: 2}, 1, "another number of triangles at .0"),
        ({1: 0}, 1, "another number of triangles at .1"),
        ({}, 2, "2 triangles, but 3 corners"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_triangles(graph, total, changed(right, places))
    with pytest.raises(AssertionError, match="per_vertex is int32"):
        check_triangles(graph, 1, right.astype(np.int32))


@pytest.mark.parametrize("directed", [False, True])
def test_truss(directed):
    graph = triangle_with_tail(directed)
    check_truss(graph, 2, [0, 0, 1, 2], [1, 2, 2, 3], [1, 1, 1, 0])
    check_truss(graph, 3, [0, 0, 1], [1, 2, 2], [1, 1, 1])
    check_truss(graph, 4, [], [], [])
    for k, src, dst, support, complaint in (
        (3, [0, 0, 1, 2], [1, 2, 2, 3], [1, 1, 1, 0], "4 edges, not the 3"),  # one edge too many
        (3, [0, 0], [1, 2], [0, 0], "2 edges, not the 3"),  # one missing
        (3, [0, 1, 0], [2, 2, 1], [1, 1, 1], "in their order"),
        (3, [1, 0, 1], [0, 2, 2], [1, 1, 1], "in their order"),
        (3, [0, 0, 1], [1, 2, 2], [1, 2, 1], "another number of triangles at ...0, 2"),
        (4, [0, 0, 1], [1, 2, 2], [1, 1, 1], "3 edges, not the 0"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_truss(graph, k, src, dst, support)


def test_similarity():
    graph = triangle_with_tail(False)
    right = {
        "jaccard": [1 / 3, 1 / 2],
        "overlap": [1 / 2, 1],
        "sorensen": [1 / 2, 2 / 3],
        "cosine": [1 / 2, 1 / np.sqrt(2)],
        "adamic_adar": [1 / np.log(3), 1 / np.log(3)],
        "resource_allocation": [1 / 3, 1 / 3],
        "common_neighbors": [1, 1],
        "preferential_attachment": [4, 2],
    }
    for measure, score in right.items():
        check_similarity(graph, measure, [0, 3], [1, 1], np.array(score))
        with pytest.raises(AssertionError, match=rf"another {measure} at ...3, 1"):
            check_similarity(graph, measure, [0, 3], [1, 1], np.array(score) * [1, 1 + 1e-9])
    weighted = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], [1.0, 2.0, 4.0, 8.0], device="cpu")
    for measure, score in {
        "jaccard": 2 / 6,
        "overlap": 2 / 3,
        "sorensen": 4 / 8,
        "cosine": 8 / np.sqrt(17 * 5),
    }.items():
        check_similarity(weighted, measure, [0], [1], np.array([score]), weighted=True)
        with pytest.raises(AssertionError, match=f"another {measure}"):
            check_similarity(weighted, measure, [0], [1], np.array([score + 1e-9]), weighted=True)


def test_most_similar():
    graph = triangle_with_tail(False)  # pairs, best first: 0-3 and 1-3 (1/2), 0-1 (1/3), 0-2 and 1-2 (1/4)
    half, third, quarter = 1 / 2, 1 / 3, 1 / 4
    check_most_similar(graph, "jaccard", 3, [0, 1, 0], [3, 3, 1], np.array([half, half, third]))
    ends, score = ([0, 1, 0, 0, 1], [3, 3, 1, 2, 2]), np.array([half, half, third, quarter, quarter])
    check_most_similar(graph, "jaccard", 9, *ends, score)
    check_most_similar(graph, "jaccard", 2, [3, 3], [0, 1], np.array([half, half]), vertices=[3])
    each = [0, 1, 2, 3], [3, 3, 0, 0], np.array([half, half, quarter, half])
    check_most_similar(graph, "jaccard", 1, *each, per_vertex=True)
    for k, src, dst, score, complaint in (
        (2, [0, 0], [3, 1], [half, third], "not the best scores"),
        (2, [1, 0], [3, 3], [half, half], "other pairs"),  # equal scores in the wrong order
        (1, [1], [3], [half], "other pairs"),
        (2, [0], [3], [half], "1 pairs, some of them repeated, not 2"),
        (2, [0, 0], [3, 3], [half, half], "repeated"),
        (2, [0, 1], [3, 3], [half, third], "another jaccard"),
    ):
        with pytest.raises(AssertionError, match=complaint):
            check_most_similar(graph, "jaccard", k, src, dst, np.array(score))
