"""Operators alone and whole searches, in each way that they can be called."""

import pytest

import minigr as mg
from minigr.bench import searches, single_operators
from minigr.bench.apps import DYNAMIC
from minigr.bench.document import MINIGR
from minigr.bench.single_operator_cases import CASES, INPUTS, OPERATORS, OperatorFields
from minigr.device import CPU
from minigr.errors import CapacityError, MeasurementError

EVERY = single_operators.Ways(OPERATORS, INPUTS, ("push", "pull", "auto"), ("auto",), ("remove", "cull", "keep"))


@pytest.fixture
def complete(device):
    return mg.generate.complete(8, device=device)


def test_by_default_rows_are_named_by_their_operators(complete):
    rows = single_operators.measure_single_operators("complete", complete, 1)
    usual = [
        "advance push",
        "advance push, output",
        "advance pull",
        "neighbor_reduce out",
        "neighbor_reduce in",
        "filter",
        "compute",
        "compute, sum",
    ]
    assert [row["key"] for row in rows] == [
        {"graph": "complete", "operator": operator, "by": MINIGR} for operator in usual
    ]
    for row in rows:
        assert row["count"] == {"edges": 56, "vertices": 8}[row["counted"]]
        assert row["per_s"] == pytest.approx(row["count"] / row["median"] * 1e3)


def test_what_the_operators_do_over_all_vertices(complete):
    found = {call.key["operator"]: call for call in single_operators.calls(complete, single_operators.Ways())}
    problem = found["compute"].run.args[0]

    def after(name, field):
        found[name].run()
        return CPU.asarray(getattr(problem, field))

    assert (after("advance push", "mark") == 1).all()
    assert (after("neighbor_reduce out", "result") == 7).all()
    assert (after("compute", "result") == 3).all()
    assert after("compute, sum", "total") == [8]


def test_a_pull_looks_at_every_edge():
    problem = OperatorFields(mg.generate.complete(8, device="cpu"))
    CASES["advance pull"].call(problem, mg.Frontier.all_vertices())
    assert (problem.result == 7).all()  # one for each neighbor


@pytest.mark.parametrize("dynamic", [False, True])
def test_every_input_of_every_operator(complete, dynamic):
    graph = single_operators.layouts(complete, True)[DYNAMIC] if dynamic else complete
    calls = list(single_operators.calls(graph, EVERY))
    labels = [tuple(call.key.values()) for call in calls]
    assert len(set(labels)) == len(labels)
    for call in calls:
        given = call.key["input"]
        over_edges = given in ("edges", "repeats") or call.key["operator"].startswith(("adv", "neigh", "inter"))
        assert call.count == (56 if over_edges else 8), call.key

    def of(operator, **key):
        (call,) = [each for each in calls if each.key == {"operator": operator, **key}]
        return call.run()

    for given in INPUTS:
        once = of("advance push, output", input=given, duplicates="remove")
        assert sorted(CPU.asarray(once.ids).tolist()) == list(range(8))
        assert len(of("advance push, output", input=given, duplicates="keep")) == 56
    repeats = {each: len(of("filter, repeats", input="repeats", duplicates=each)) for each in EVERY.duplicates}
    assert (repeats["remove"], repeats["keep"]) == (8, 56)
    assert 8 <= repeats["cull"] <= 56
    assert len(of("filter", input="edges")) == 56
    assert sorted(CPU.asarray(of("advance auto", input="list").ids).tolist()) == list(range(8))
    near, far = of("near_far", input="list")
    assert (CPU.asarray(near.ids).tolist(), CPU.asarray(far.ids).tolist()) == ([0, 1, 2, 3], [4, 5, 6, 7])
    for given in ("all", "edges"):
        call = next(each for each in calls if each.key == {"operator": "intersect", "input": given})
        call.run()
        assert CPU.asarray(call.run.args[0].common) == [56 * 6]


def test_keys_tell_only_what_has_several_values(complete):
    ways = single_operators.Ways(("advance", "filter"), ("list",), ("push",), ("auto", "merge"), ("keep",))
    rows = single_operators.measure_single_operators("complete", complete, 2, ways=ways, dynamic=True)
    keys = [{"operator": "advance push", "balance": "auto"}, {"operator": "advance push", "balance": "merge"}]
    keys += [{"operator": "advance push, output", "balance": balance} for balance in ("auto", "merge")]
    keys += [{"operator": "filter"}, {"operator": "filter, repeats"}]
    by_layout = [{"graph": "complete", **key, "by": by} for by in (MINIGR, DYNAMIC) for key in keys]
    assert [row["key"] for row in rows] == by_layout
    assert all(len(row["samples"]) == 2 for row in rows)


@pytest.mark.parametrize(("dynamic", "duplicates"), [(False, ("remove", "keep")), (True, ("cull",))])
def test_searches_in_each_way_agree(arcs, dynamic, duplicates):
    ways = single_operators.Ways(directions=("auto",), duplicates=duplicates)
    rows, left_out = searches.measure_searches("arcs", arcs, 0, 1, ways, dynamic=dynamic)
    own = [f"{search}, {each}" for each in duplicates for search in ("bfs, idempotent", "sssp, one frontier")]
    labels = ["bfs, auto", "sssp", *own]
    parts = ("search", "direction", "duplicates")
    found = [", ".join(row["key"][part] for part in parts if part in row["key"]) for row in rows]
    layouts = (MINIGR, DYNAMIC) if dynamic else (MINIGR,)
    assert found == labels * len(layouts)
    assert [row["key"]["by"] for row in rows] == [by for by in layouts for _ in labels]
    assert left_out == {}


def test_a_search_whose_frontier_overflows_is_left_out(arcs, monkeypatch):
    def overflow(*_given):
        raise CapacityError("too many")

    monkeypatch.setattr(searches, "_own", overflow)
    ways = single_operators.Ways(directions=("auto",), duplicates=("keep",))
    rows, left_out = searches.measure_searches("arcs", arcs, 0, 1, ways)
    assert [row["key"]["search"] for row in rows] == ["bfs", "sssp"]
    labels = [f"{search}, auto, keep on arcs" for search in ("bfs, idempotent", "sssp, one frontier")]
    assert left_out == dict.fromkeys(labels, "too many")


def test_a_search_that_differs_stops_the_bench(arcs, monkeypatch):
    right = searches._distance
    monkeypatch.setattr(searches, "_distance", lambda *given, balance: right(*given) + (balance == "merge"))
    with pytest.raises(MeasurementError, match="sssp, merge on arcs: the answer differs"):
        searches.measure_searches("arcs", arcs, 0, 1, single_operators.Ways(directions=(), balances=("auto", "merge")))
