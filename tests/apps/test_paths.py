"""Paths made of parents: along edges, as long as the search says, over graphs in rows, in slabs and in parts."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU, resolve
from minigr.errors import GraphError
from tests.apps.test_bfs import sources
from tests.layouts import slabs_of
from tests.verifiers import check_path


def check(rows, source, result, lengths, weighted=False):
    lengths = CPU.asarray(lengths)
    for vertex in range(rows.num_vertices):
        if 0 <= lengths[vertex] < np.inf:
            path = result.path_to(vertex)
            start = source if np.ndim(source) == 0 else int(path[0])
            assert start in np.atleast_1d(source)
            check_path(rows, path, start, vertex, lengths[vertex], weighted)
        else:
            with pytest.raises(GraphError, match=f"no path to vertex {vertex}, whose (depth is -1|distance is inf)"):
                result.path_to(vertex)


@pytest.fixture
def rows(device):
    return mg.generate.rmat(6, 2, seed=3, directed=True, weights=(0, 9), device=device)


def test_over_rows_and_slabs(rows):
    for graph in (rows, slabs_of(rows)):
        for source in (*sources(rows), sources(rows)):
            hops, weights = mg.bfs(graph, source), mg.sssp(graph, source)
            check(rows, source, hops, hops.depth)
            check(rows, source, weights, weights.distance, weighted=True)
    assert isinstance(hops.path_to(source[0]), resolve(rows.device).xp.ndarray)


def test_in_parts():
    rows = mg.generate.lattice(9, 7, 0.7, seed=1, weights=(1, 9), device="cpu")
    parts = mg.PartitionedGraph.from_graph(rows, devices=["cpu"] * 3)
    for source in (5, [5, 40]):
        hops, weights = mg.bfs(parts, source), mg.sssp(parts, source)
        check(rows, source, hops, hops.depth.gather())
        check(rows, source, weights, weights.distance.gather(), weighted=True)


def test_around_cycles_of_no_weight(device):
    src, dst = [0, 1, 2, 3, 3, 4, 5], [1, 2, 3, 1, 4, 5, 4]
    graph = mg.Graph.from_edges(src, dst, np.float64([2, 0, 0, 0, 1, 0, 0]), device=device)
    result = mg.sssp(graph, 0)
    check(graph, 0, result, result.distance, weighted=True)


@pytest.mark.parametrize(
    ("vertex", "complaint"),
    [
        (4, "vertex 4 is not a vertex: the graph has vertices 0 to 3"),
        (-1, "vertex -1 is not a vertex"),
        (1.0, "must be a vertex id"),
        ("1", "must be a vertex id"),
        (None, "must be a vertex id"),
        ([1, 2], "must be a vertex id"),
    ],
)
def test_bad_vertices(device, vertex, complaint):
    with pytest.raises(GraphError, match=f"path_to: .*{complaint}"):
        mg.bfs(mg.generate.path(4, device=device), 0).path_to(vertex)
