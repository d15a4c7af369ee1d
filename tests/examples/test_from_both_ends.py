"""The example of a search from both ends: its paths are as short as NetworkX's, on graphs of all shapes."""

import importlib
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest

import minigr as mg
from tests.battery import BATTERY

EXAMPLES = Path(__file__).parents[2] / "examples"
SHAPES = [(name, make) for name, make in BATTERY if name.endswith("directed") or name == "lattice"]


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield importlib.import_module("from_both_ends")


@pytest.mark.parametrize("layout", ["csr", "slabs"])
def test_paths_are_as_short_as_those_of_networkx(example, device, layout):
    ways = set()
    for name, make in SHAPES:
        graph = make(device)
        other = graph.to_networkx()
        if layout == "slabs":
            graph = mg.DynamicGraph.from_graph(graph, in_edges=True, allow_self_loops=True)
        n = graph.num_vertices
        for source, target in {(0, n - 1), (n - 1, 0), (0, n // 2), (n // 3, n // 3), (n // 2, n // 3)} if n else ():
            path, _ = example.shortest_path(graph, source, target)
            if not nx.has_path(other, source, target):
                assert path is None, (name, source, target)
                ways.add("none")
                continue
            assert (path[0], path[-1]) == (source, target)
            assert all(other.has_edge(*ends) for ends in pairwise(path)), (name, path)
            expected = nx.bidirectional_shortest_path(other, source, target)
            assert len(path) == len(expected), (name, source, target)
            ways.add(min(len(path), 3))
    assert ways == {"none", 1, 2, 3}
