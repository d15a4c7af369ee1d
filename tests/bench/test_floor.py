"""Floors: counted by hand on small graphs, and held against ceilings that make the sums easy."""

import json
import math
from dataclasses import asdict, replace

import pytest

import minigr as mg
from minigr.bench.floor import (
    H200,
    Ceilings,
    Floor,
    betweenness_floor,
    bfs_floor,
    ceilings_of,
    components_floor,
    core_number_floor,
    harmonic_floor,
    hits_floor,
    label_propagation_floor,
    pagerank_floor,
    sample_floor,
    sssp_floor,
    triangles_floor,
)
from minigr.device import CPU
from minigr.errors import DeviceError, FormatError

ROUND = Ceilings(
    copy=1e3, gather=100.0, gather_memory=50.0, atomic=10.0, atomic_memory=5.0, cached_bytes=100.0, barrier=0.5
)


def test_bfs_on_a_path(device):
    graph = mg.generate.path(5, device=device)
    floor = bfs_floor(graph, mg.bfs(graph, 0, trace=True))
    looked_at = 8 if floor.pulled == 0 else floor.gathers
    # fields 8 * 5, offsets 8 * 5, neighbors, depth and parent 8 * 5, frontier 8 * 5; the last step finds nothing
    assert (floor.bytes, floor.gathers) == (160 + 4 * looked_at, looked_at)
    assert (floor.atomics, floor.barriers, floor.table) == (5, 5, 20)


def test_sssp_counts_its_weights_and_parents(device):
    graph = mg.Graph.from_edges([0, 1], [1, 2], [1.0, 1.0], directed=True, device=device)
    floor = sssp_floor(graph, mg.sssp(graph, 0, delta=1e9, trace=True))
    # float64 weights and distances; fields 12 * 3, offsets 8 * 3, two edges of 12, frontier 8 * 3, parents 24 + 24 * 3
    assert (floor.bytes, floor.gathers, floor.atomics) == (36 + 24 + 24 + 24 + 24 + 72, 5, 3)


def test_pagerank_counts_each_iteration(device):
    graph = mg.generate.path(11, device=device)
    result = mg.pagerank(graph, tol=1e-300, max_iter=3)
    floor = pagerank_floor(graph, result)
    assert result.iterations == 3
    assert (floor.bytes, floor.gathers, floor.barriers) == (3 * (4 * 20 + (8 + 8 + 16) * 11), 60, 3)
    single = pagerank_floor(graph, result, share=4)
    assert (floor.bytes - single.bytes, floor.table, single.table) == (3 * 8 * 11, 88, 44)


def test_hits_goes_over_the_edges_twice(device):
    graph = mg.generate.path(11, device=device)
    floor = hits_floor(graph, mg.hits(graph, max_iter=3))
    assert (floor.bytes, floor.gathers, floor.barriers) == (3 * (8 * 20 + 72 * 11), 3 * 40, 9)
    assert (floor.atomics, floor.table) == (0, 88)


def test_components_count_what_they_looked_at(device):
    graph = mg.Graph.from_edges([0, 2], [1, 3], directed=True, num_vertices=5, device=device)
    floor = components_floor(graph, mg.connected_components(graph, trace=True))
    # 24 a vertex once and 12 in the only step, two edges; as many links as there are vertices but roots
    assert (floor.bytes, floor.gathers, floor.atomics, floor.barriers) == (5 * (24 + 12) + 8, 2 + 5, 2, 3)
    dense = mg.generate.complete(7, device=device)
    assert components_floor(dense, mg.connected_components(dense, trace=True)).barriers == 6


def test_betweenness_counts_both_ways(device):
    graph = mg.generate.path(6, device=device)
    floor = betweenness_floor(graph, mg.betweenness_centrality(graph, [0], trace=True))
    looked_at = floor.gathers - 2 * 6
    assert looked_at >= 3 * 10 or device == "cpu"  # in the search, for the paths to a vertex, and on the way back
    assert (floor.bytes, floor.atomics, floor.barriers) == (28 * 6 + 4 * looked_at + 76 * 6, 6, 12)


def test_core_numbers_count_what_degrees_lose(device):
    graph = mg.generate.star(5, device=device)
    floor = core_number_floor(graph, mg.core_number(graph, trace=True))
    # 36 a vertex, each arc; the middle loses three of its four neighbors; the pile opened, the leaves, the middle
    assert (floor.bytes, floor.gathers, floor.atomics, floor.barriers) == (5 * 36 + 4 * 8, 8, 3, 3)


def test_harmonic_counts_one_search(device):
    graph = mg.generate.path(6, device=device)
    floor = harmonic_floor(graph, mg.harmonic_centrality(graph, [0], trace=True))
    assert floor.bytes == 4 * 6 + 20 * 6 + 4 * floor.gathers
    assert (floor.atomics, floor.barriers, floor.table) == (6, 6, 24)


def test_label_propagation_counts_what_it_looked_at(device):
    graph = mg.generate.path(2, device=device)
    result = mg.label_propagation(graph, trace=True)
    floor = label_propagation_floor(graph, result)
    # each wants the other's label; it is counted, and held against the other's, and one takes it; the one that waited
    # counts again
    assert (result.iterations, floor.barriers, floor.gathers) == (2, 10, 3 * 2 + 1)
    assert (floor.bytes, floor.atomics, floor.table) == (88 + 28, 0, 8)


def test_triangles_count_what_they_looked_at(device):
    graph = mg.generate.complete(3, device=device)
    floor = triangles_floor(graph, mg.triangle_count(graph, trace=True))
    assert (floor.gathers, floor.atomics, floor.barriers, floor.table) == (3, 0, 1, 24)
    assert 8 * 3 + 4 <= floor.bytes <= 8 * 3 + 4 * 6  # at least the common neighbor, at most each row for each edge


def test_samples_count_what_they_drew(device):
    graph = mg.generate.star(4, device=device)
    floor = sample_floor(graph, mg.sample_neighbors(graph, [1], [1, 2]))  # the hub, and two of its neighbors
    assert (floor.gathers, floor.pulled, floor.barriers) == (3 + 2 + 3, 3 + 2, 2)
    found = floor.atomics
    assert found in (2, 3)  # one of them may be where the sample began
    assert floor.bytes == 4 * 4 + 24 * 3 + 8 * (1 + found)
    assert (floor.table, floor.pull_table) == (16, 24)


def test_the_slowest_of_three_counts_and_barriers_come_on_top():
    floor = Floor(bytes=1000, gathers=200, atomics=5, barriers=4, table=100)
    terms = floor.against(ROUND)
    assert [terms[f"{name}_ms"] for name in ("bytes", "gathers", "atomics", "barriers")] == [1e3, 2e3, 500, 2e3]
    assert terms["ms"] == 4e3
    assert floor.against(ROUND, 2)["ms"] == 2e3


def test_gathers_of_a_pull_go_by_the_bitmap():
    floor = Floor(bytes=0, gathers=300, atomics=0, barriers=0, table=1e12, pulled=100, pull_table=10)
    assert floor.against(ROUND)["gathers_ms"] == pytest.approx(200 / 50 * 1e3 + 100 / 100 * 1e3)


def test_rates_fall_from_the_cache_to_memory():
    assert ROUND.gathers_per_s(0) == ROUND.gathers_per_s(100) == 100
    assert ROUND.gathers_per_s(200) == pytest.approx(1 / (0.5 / 100 + 0.5 / 50))
    assert ROUND.atomics_per_s(1e12) == pytest.approx(5)
    assert H200.gathers_per_s(64e6) == pytest.approx(72e9, rel=0.03)  # as measured


def test_ceilings_from_a_file(tmp_path):
    path = tmp_path / "ceilings.json"
    path.write_text(json.dumps(asdict(ROUND)))
    assert ceilings_of(CPU, path) == ROUND


@pytest.mark.parametrize(
    "text", ["{", "{}", "[1]", *(json.dumps(asdict(replace(ROUND, copy=rate))) for rate in (0, math.nan, math.inf))]
)
def test_a_file_that_holds_no_ceilings(tmp_path, text):
    path = tmp_path / "ceilings.json"
    path.write_text(text)
    with pytest.raises(FormatError, match="gather_memory"):
        ceilings_of(CPU, path)


def test_an_unknown_device_needs_a_file():
    with pytest.raises(DeviceError, match="--ceilings"):
        ceilings_of(CPU, None)
