"""The kernels of Graph500: what is counted, and that a wrong result is found."""

import numpy as np
import pytest

import minigr as mg
from minigr.bench import graph500
from minigr.bench.graph500 import check_search, edge_list, measure_graph500, rates_of, search_keys, statistics_of
from minigr.device import CPU, resolve
from minigr.errors import MeasurementError

EDGES = edge_list(7, 4, 1, CPU)


@pytest.mark.parametrize("parts", [1, 2])
def test_rows(device, parts, monkeypatch):
    monkeypatch.setattr(graph500, "_AT_ONCE", 100)
    built, bfs, sssp = measure_graph500(7, 4, [resolve(device)] * parts, 5, 1)
    assert (built["edges"], built["vertices"], built["parts"]) == (512, 128, parts)
    for found in (bfs, sssp):
        assert len(found["samples"]) == len(set(found["keys"])) == 5
        assert max(found["edges"]) <= 512
        assert found["teps"] == [1e3 * m / ms for m, ms in zip(found["edges"], found["samples"], strict=True)]
        assert found["of_teps"]["min"] <= found["of_teps"]["mean"] <= found["of_teps"]["max"]
    assert bfs["edges"] == sssp["edges"]
    assert bfs["keys"] == search_keys(EDGES, 5, 1)


def test_the_parents_of_a_search_are_in_its_time(monkeypatch):
    timed = []
    monkeypatch.setattr(graph500, "_timed", lambda call, devices: (1.0, timed.append(call()) or timed[-1]))
    list(measure_graph500(7, 4, [CPU], 3, 1))
    assert len(timed) == 7  # the graph, and two searches from three keys
    assert not any(callable(result._parents) for result in timed[4:])


def test_edges_are_the_same_on_all_devices(device):
    found = edge_list(7, 4, 1, resolve(device))
    for name in ("src", "dst", "weights"):
        assert (CPU.asarray(getattr(found, name)) == getattr(EDGES, name)).all()
    assert 0 <= EDGES.weights.min() < 0.1 < 0.9 < EDGES.weights.max() < 1


def test_keys_have_edges_to_others():
    alone = graph500.EdgeList(9, np.int32([0, 1, 5]), np.int32([0, 2, 4]), np.zeros(3, np.float32), CPU)
    assert sorted(search_keys(alone, 64, 3)) == [1, 2, 4, 5]


def test_edges_without_a_key_are_refused():
    loops = graph500.EdgeList(2, np.int32([0, 1]), np.int32([0, 1]), np.zeros(2, np.float32), CPU)
    with pytest.raises(MeasurementError, match="give a larger SCALE"):
        search_keys(loops, 64, 3)


def test_summaries():
    assert statistics_of([2.0, 1.0, 4.0, 3.0, 5.0]) == {
        "min": 1, "first_quartile": 2, "median": 3, "third_quartile": 4, "max": 5, "mean": 3, "stddev": 2.5**0.5,
    }  # fmt: skip
    assert rates_of([2.0])["stddev"] == 0


def unreach(parent, value, root):
    far = value.argmax() if value.dtype.kind == "i" else np.where(np.isfinite(value), value, -1).argmax()
    parent[far], value[far] = -1, -1 if value.dtype.kind == "i" else np.inf


def stray(parent, value, root):
    parent[value < 0 if value.dtype.kind == "i" else np.isinf(value)] = root


def orphan(parent, value, root):
    parent[(parent >= 0).argmax()] = -1


def loop(parent, value, root):
    one, other = np.flatnonzero(parent >= 0)[:2]
    parent[one], parent[other] = other, one


def lift(parent, value, root):
    value[parent >= 0] += 1


def sink(parent, value, root):
    value[root] = 1


def foreign(parent, value, root):
    first = value.dtype.type(1) if value.dtype.kind == "i" else value[parent == root].min()
    child = np.flatnonzero((value > first) & (parent >= 0) & np.isfinite(value))[-1]
    parent[child] = root


FAULTS = [
    (unreach, "from what was reached to what was not"),
    (stray, "a vertex that was not reached has a parent"),
    (orphan, "a vertex that was reached has no parent"),
    (loop, "do not lead to the root"),
    (lift, "an edge is a shorter way|no edge joins"),
    (sink, "the root .* is not at 0"),
    (foreign, "no edge joins a vertex and its parent"),
]


@pytest.mark.parametrize(("fault", "message"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
@pytest.mark.parametrize("weighted", [False, True], ids=["bfs", "sssp"])
def test_faults_are_found(fault, message, weighted):
    graph = mg.Graph.from_edges(EDGES.src, EDGES.dst, EDGES.weights, num_vertices=128, device="cpu")
    root = int(graph.degree().argmax())
    result = mg.sssp(graph, root) if weighted else mg.bfs(graph, root)
    value = result.distance if weighted else result.depth
    assert (value[result.parent < 0] != 0).sum() > 3  # vertices that were not reached
    assert check_search(EDGES, root, result.parent, value, weighted=weighted) > 400
    parent, value = result.parent.copy(), value.copy()
    fault(parent, value, root)
    with pytest.raises(MeasurementError, match=message):
        check_search(EDGES, root, parent, value, weighted=weighted)
