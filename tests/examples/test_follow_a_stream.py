"""The example that watches a stream, step by step beside NetworkX on the edges of the window."""

import importlib
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield importlib.import_module("follow_a_stream")


def counted_afresh(src, dst, time, end, width, source):
    kept = (end - width <= time) & (time < end) & (src != dst)
    graph = nx.Graph(list(zip(src[kept], dst[kept], strict=True)))
    graph.add_node(source)
    depths = nx.single_source_shortest_path_length(graph, source)
    parts = [part for part in nx.connected_components(graph) if len(part) > 1]
    triangles = sum(nx.triangles(graph).values()) // 3
    return graph.number_of_edges(), triangles, len(parts), len(depths), max(depths.values())


def test_every_step(example, device):
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 25, (2, 400))
    time = np.sort(rng.integers(0, 500, 400))
    ends, counts, updates = example.watch(src, dst, time, 4, steps=20, window=5, device=device)
    width = (int(time[-1]) + 1 - int(time[0])) * 5 // 20
    np.testing.assert_array_equal(counts, [counted_afresh(src, dst, time, end, width, 4) for end in ends])
    assert counts[:, 1].max() > 0
    assert sum(updates.values()) == 3 * len(ends)
