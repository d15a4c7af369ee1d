"""Calls by several numbers of threads."""

import pytest

import minigr as mg
from minigr.bench import scaling, timed
from minigr.bench.floor import pagerank_floor
from minigr.bench.measure import take_turns


@pytest.fixture
def graph():
    return mg.generate.uniform(500, 4000, device="cpu")


def test_each_call_runs_with_each_number_of_threads(graph, monkeypatch):
    seen, rows_of = [], scaling.timed_rows

    def timed_rows(calls, *arguments, **options):
        for call in calls:
            call.before()
            seen.append((call.key["call"], mg.get_num_threads()))
        return rows_of(calls, *arguments, **options)

    monkeypatch.setattr(scaling, "timed_rows", timed_rows)
    before = mg.get_num_threads()
    rows = list(scaling.measure_scaling("drawn", graph, 0, ["bfs", "sssp"], ["compute"], [2, 1, 3], 1))
    calls = ["copy", "compute", "compute, sum", "bfs"]  # and no SSSP, for which there are no weights
    assert seen == [(call, threads) for call in calls for threads in (2, 1, 3)]
    assert [(row["key"]["call"], row["key"]["threads"]) for row in rows] == seen
    assert mg.get_num_threads() == before


def test_speedups_and_rates_follow_from_the_medians(graph):
    rows = list(scaling.measure_scaling("drawn", graph, 0, ["bfs", "coloring"], ["compute"], [2, 1], 3))
    by_key = {(row["key"]["call"], row["key"]["threads"]): row for row in rows}
    for (call, threads), row in by_key.items():
        assert row["speedup"] == by_key[call, 2]["median"] / row["median"]
        assert ("of_copy" in row) is ("gb_per_s" in row) is (call in ("copy", "bfs"))  # the others have no floor
        if "of_copy" in row:
            assert row["of_copy"] == pytest.approx(row["gb_per_s"] / by_key["copy", threads]["gb_per_s"])
    assert by_key["copy", 1]["gb_per_s"] == pytest.approx(2 * (1 << 26) / by_key["copy", 1]["median"] / 1e6)


def test_a_step_of_pagerank_is_one_of_twenty(graph, monkeypatch):
    timings = []
    monkeypatch.setattr(
        timed, "take_turns", lambda *given, **how: timings.append(take_turns(*given, **how)) or timings[-1]
    )
    *_, step = scaling.measure_scaling("drawn", graph, 0, ["pagerank-step"], [], [1], 3)
    ((whole,),) = [timing.values() for timing in timings[1:]]
    assert step["samples"] == [each / 20 for each in whole.samples]
    moved = mg.pagerank(graph, tol=1e-300, max_iter=20, trace=True)
    assert step["gb_per_s"] == pytest.approx(pagerank_floor(graph, moved).bytes / whole.median / 1e6)


@pytest.mark.parametrize(("most", "expected"), [(1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (16, [1, 2, 4, 8, 16])])
def test_the_usual_numbers_of_threads(monkeypatch, most, expected):
    monkeypatch.setattr(scaling, "get_num_threads", lambda: most)
    assert scaling.usual_threads() == expected
