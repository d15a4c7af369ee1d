"""A program that was compiled for one graph serves others of the same layout and dtypes."""

import logging

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU


class Reached(mg.Problem):
    depth = mg.vertex_field(np.int32, fill=-1)
    near = mg.vertex_field(np.float64)


class OnceThrough(mg.Functor):
    """A search that also counts neighbors; no other test has it, so nobody has compiled it before."""

    def cond_advance(dst, iteration, depth):
        return mg.atomic_cas(depth, dst, -1, iteration) == -1

    def map(dst, depth):
        return 0.125


class ThroughEnactor(mg.Enactor, problem=Reached, functor=OnceThrough):
    def step(self, frontier):
        self.neighbor_reduce(frontier, reduce="add", into="near")
        return self.advance(frontier)


def graphs(device):
    """Connected graphs by what their rows are like."""
    path = np.arange(50)
    yield "few edges a vertex", mg.Graph.from_edges(path, path + 1, directed=False, device=device)
    yield "many edges a vertex", mg.generate.complete(40, device=device)
    yield "self-loops", mg.Graph.from_edges([0, 0, 1, 2], [0, 1, 2, 2], directed=False, device=device)
    if device == "cpu":  # a GPU has another program for graphs with hubs: it needs more registers
        yield "a hub", mg.generate.star(40_000, device=device)


@pytest.mark.parametrize("layout", ["csr", "slabs"])
def test_one_program_serves_all_graphs(device, layout, caplog, monkeypatch, tmp_path):
    monkeypatch.setenv("MINIGR_CACHE_DIR", str(tmp_path))
    caplog.set_level(logging.INFO, "minigr")
    compiled = {}
    for name, graph in graphs(device):
        if layout == "slabs":
            graph = mg.DynamicGraph.from_graph(graph, allow_self_loops=True)
        found = ThroughEnactor(graph)
        found.run(mg.Frontier.of(0))
        degrees = CPU.asarray(graph.out_degree())
        assert (CPU.asarray(found.problem.depth) >= 0).all()
        assert CPU.asarray(found.problem.near).tolist() == (degrees * 0.125).tolist()
        compiled[name] = sum("OnceThrough" in record.getMessage() for record in caplog.records)
    assert min(compiled.values()) >= 1
    assert len(set(compiled.values())) == 1, compiled
