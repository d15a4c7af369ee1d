"""The exhibits of Mini-Gunrock and SwarmGraph: what they call, on what."""

import networkx as nx
import pytest

import minigr as mg
from minigr.bench import batch, streams
from minigr.bench.apps import DYNAMIC
from minigr.bench.document import MINIGR
from minigr.bench.papers import mini_gunrock, swarmgraph
from minigr.bench.papers.exhibit import Case, Given, measure_paper
from minigr.bench.single_operators import Ways
from minigr.device import CPU, resolve


@pytest.fixture
def star():
    """A case of one graph without weights."""
    return Case(CPU, 1, None, [Given("star", "star.npz", lambda: mg.generate.star(5, device="cpu"))])


def test_mini_gunrock_has_whole_algorithms(star):
    rows = []
    left_out = measure_paper(mini_gunrock.PAPER, ["table-2"], star, rows)
    assert [row["key"]["app"] for row in rows] == [app for app in mini_gunrock.APPS if app != "sssp"]
    assert star.facts["star"]["source"] == 0
    assert left_out == {}


def test_mini_gunrock_has_searches_with_and_without_idempotence(star, monkeypatch):
    monkeypatch.setattr(mini_gunrock, "_balances", lambda case: ("auto",))
    rows = []
    measure_paper(mini_gunrock.PAPER, ["figure-6"], star, rows)
    parts = ("search", "direction", "duplicates", "by")
    assert [tuple(row["key"].get(part) for part in parts) for row in rows] == [
        (*way, by)
        for by in (MINIGR, DYNAMIC)
        for way in (
            ("bfs", "push", None),
            ("bfs", "auto", None),
            ("bfs, idempotent", None, "remove"),
            ("bfs, idempotent", None, "cull"),
        )
    ]
    assert star.facts["star"]["left_out"] == {}


def test_mini_gunrock_has_each_operator_in_each_way(star, monkeypatch):
    asked: list[Ways] = []
    monkeypatch.setattr(
        mini_gunrock,
        "measure_single_operators",
        lambda name, *given, dynamic, limit: asked.append(given[-1]) or [{"key": {"graph": name}}] * dynamic,
    )
    rows = []
    measure_paper(mini_gunrock.PAPER, ["figure-7"], star, rows)
    assert len(rows) == 2
    from minigr.bench.single_operators import calls

    keys = [list(call.key.items()) for ways in asked for call in calls(mg.generate.star(5, device="cpu"), ways)]
    assert len(keys) == len({tuple(key) for key in keys})
    assert {dict(key)["operator"].split()[0] for key in keys} == {
        "advance",
        "neighbor_reduce",
        "filter",
        "filter,",
        "compute",
        "compute,",
        "intersect",
        "near_far",
    }


def test_each_balance_is_measured_on_a_gpu():
    from minigr.operators.options import BALANCES

    assert set(mini_gunrock._CPU_BALANCES) < set(BALANCES)

    class Gpu:
        is_cuda = True

    assert mini_gunrock._balances(Case(Gpu(), 1, 4)) == BALANCES


def test_swarmgraph_by_size_and_one_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(swarmgraph, "_CALLS", ["hops"])
    path = tmp_path / "few.npz"
    mg.batch.write(mg.GraphBatch.from_graphs([nx.path_graph(5), nx.empty_graph(2)], device="cpu"), path)
    case = Case(CPU, 1, None, [Given("few", str(path), lambda: pytest.fail("a set is not read as a graph"))])
    rows = []
    measure_paper(swarmgraph.PAPER, ["table-2", "table-3", "figure-6", "figure-7"], case, rows)
    parts = ("exhibit", "vertices", "by")
    assert [tuple(row["key"].get(part) for part in parts) for row in rows] == [
        ("table-2", "2 to 3", MINIGR),
        ("table-2", "4 to 7", MINIGR),
        ("table-3", None, MINIGR),
        *(("figure-6", size, by) for size in ("2 to 3", "4 to 7") for by in (MINIGR, batch.ONE)),
        ("figure-7", None, streams.STREAM),
        ("figure-7", None, streams.FILES),
    ]
    assert case.facts["few"]["graphs"] == 2


def test_swarmgraph_makes_a_set_of_about_as_many_vertices(device, monkeypatch):
    monkeypatch.setattr(batch, "measure_batch", lambda *given, **_: [{"key": {"set": given[0]}}])
    case = Case(resolve(device), 1, 15)
    rows = []
    measure_paper(swarmgraph.PAPER, ["table-3"], case, rows)
    assert rows == [{"key": {"exhibit": "table-3", "set": "synthetic-83"}}]
    assert 2**14 < case.facts["synthetic-83"]["vertices"] < 2**16


def test_swarmgraph_has_one_worker_and_two(monkeypatch):
    asked = []
    monkeypatch.setattr(streams, "measure_streams", lambda *_, workers, **__: asked.append(workers) or [{"key": {}}])
    measure_paper(swarmgraph.PAPER, ["figure-8"], Case(CPU, 1, 4), [])
    assert asked == [(1, 2)]
