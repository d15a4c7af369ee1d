"""Meerkat's ways to join components after an insertion, beside ours."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import minigr as mg
from minigr.bench import component_schemes as bench
from minigr.bench.component_schemes import AGAIN, BATCH, SCHEMES, component_schemes
from minigr.device import CPU
from minigr.errors import MeasurementError

N = 300


def drawn(seed, batches, size):
    return [tuple(ends) for ends in np.random.default_rng(seed).integers(0, N, (batches, 2, size), np.int32)]


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_all_schemes_find_the_same_components(device, directed):
    edges, graph = [np.zeros((2, 1), np.int32)], mg.DynamicGraph(N, directed=directed, device=device)
    alone = [graph._device.asarray(np.arange(N, dtype=np.int32)) for _ in SCHEMES]
    schemes = {
        name: scheme(graph, max_iterations=1, label=label)
        for (name, scheme), label in zip(SCHEMES.items(), alone, strict=True)
    }
    for size in (1, 7, 40, 40, 40, 200):
        graph.mark()
        batch = drawn(size + len(edges), 1, size)[0]
        edges.append(np.stack(batch))
        graph.insert_edges(*batch)
        src, dst = np.concatenate(edges, axis=1)
        count, groups = connected_components(coo_array((np.ones(len(src)), (src, dst)), (N, N)), directed=False)
        least = np.full(count, N)
        np.minimum.at(least, groups, np.arange(N))
        for name, scheme in schemes.items():
            scheme.follow(*(graph._device.asarray(ends) for ends in batch))
            np.testing.assert_array_equal(CPU.asarray(scheme.problem.label), least[groups], err_msg=name)


def test_each_scheme_has_a_row(device):
    graph = mg.generate.rmat(8, 4, seed=1, device="cpu")
    rows = component_schemes(graph, [tuple(ends % 256 for ends in batch) for batch in drawn(1, 2, 20)], 2, device)
    assert [row["key"]["scheme"] for row in rows] == [*SCHEMES, AGAIN, BATCH]
    for row in rows:
        assert 1 <= len(row["samples"]) <= 4
        assert (row["unit"], row["edges"], row["speedup"] > 0) == ("ms", 20, True)
        assert ("mark_ms" in row) == row["key"]["scheme"].startswith("updated")


def test_a_scheme_that_is_wrong_is_found(device, monkeypatch):
    class Idle(bench.AllSlabs):
        def follow(self, src, dst):
            pass

    monkeypatch.setitem(bench.SCHEMES, "idle", Idle)
    graph = mg.Graph.from_edges([0], [1], num_vertices=N, directed=False, device="cpu")
    with pytest.raises(MeasurementError, match="'idle' differs from 'edges of the batch'"):
        component_schemes(graph, drawn(2, 1, 20), 1, device)
