"""Rows of primitives, steps of searches, and memory."""

import sys
from dataclasses import replace

import pytest

import minigr as mg
from minigr.bench import memory, operators, primitives
from minigr.device import resolve
from minigr.errors import MeasurementError


def test_every_primitive_is_measured_beside_library_and_copy(device):
    where = resolve(device)
    rows = list(primitives.measure_primitives(list(primitives.CASES), [10], where, 2))
    library = where.xp.__name__
    keys = [(row["key"]["primitive"], row["key"]["by"]) for row in rows]
    assert keys == [(name, by) for name in primitives.CASES for by in ("minigr", library, "copy")]
    for row in rows:
        seconds = (row["median"] if row["device_ms"] is None else row["device_ms"]) / 1e3
        assert row["gb_per_s"] == pytest.approx(row["bytes"] / seconds / 1e9)
        assert row["items_per_s"] == pytest.approx(1024 / seconds)
        assert (row["device_ms"] is None) == (device == "cpu")
    moved = {row["key"]["primitive"]: row["bytes"] for row in rows if row["key"]["by"] == "minigr"}
    assert moved["transform"] == moved["scan"] == 8192
    assert moved["lbs"] == 8 * 1024 + 8 * 64
    assert 4096 + 4 * 400 < moved["compact"] < 4096 + 4 * 624  # about half is kept


@pytest.mark.parametrize("items", [16, 1 << 12, 1 << 17])
def test_segments_have_at_least_one_item_and_cover_all(items):
    lengths = primitives._lengths(items)
    assert lengths.sum() == items
    assert lengths.min() >= 1
    assert lengths.size == items // primitives.MEAN_SEGMENT


def test_a_wrong_result_stops_the_bench(monkeypatch, device):
    honest = primitives.CASES["transform"]

    def wrong(items, where):
        case = honest(items, where)
        return replace(case, peer=lambda: case.peer() + 1)

    monkeypatch.setitem(primitives.CASES, "transform", wrong)
    with pytest.raises(MeasurementError, match="transform and multiply disagree"):
        list(primitives.measure_primitives(["transform"], [4], resolve(device), 1))


def test_a_size_that_does_not_fit_is_named(monkeypatch, device):
    def too_large(items, where):
        raise MemoryError

    monkeypatch.setitem(primitives.CASES, "scan", too_large)
    with pytest.raises(MeasurementError, match=r"scan: 2\^33 items don't fit"):
        list(primitives.measure_primitives(["scan"], [33], resolve(device), 1))


def test_steps_of_a_search_add_up(arcs):
    rows = operators.measure_steps("arcs", arcs, 0, 3)
    searches = {row["key"]["app"] for row in rows}
    assert searches == {"bfs", "sssp"}
    bfs = [row for row in rows if row["key"]["app"] == "bfs"]
    assert [row["key"]["step"] for row in bfs] == list(range(1, len(bfs) + 1))
    assert [row["frontier"] for row in bfs] == [1, 2, 1, 1]  # 0; 1 and 2; 3; 4
    for row in rows:
        assert row["share"] == row["edges"] / 7
        assert len(row["samples"]) == 3
        assert row["mteps"] == pytest.approx(row["edges"] / row["median"] / 1e3)


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="only Linux lets a process clear the high-water mark of its memory, which is what is measured",
)
def test_peak_memory_is_that_of_the_fields(tmp_path, device):
    count = 2_000_000
    mg.write(mg.generate.path(count, device="cpu"), tmp_path / "path.npz")
    reading = {"path": str(tmp_path / "path.npz")}
    (row,) = memory.measure_memory("path", reading, device, count - 1, ["pagerank-step"], 1)
    # PageRank holds four fields of float64 or float32 and a result, and no more than twice that in between.
    assert 12 * count < row["median"] < 80 * count
    assert row["graph_bytes"] == 8 * (count + 1) + 4 * 2 * (count - 1)
    assert row["over_graph"] == pytest.approx(1 + row["median"] / row["graph_bytes"])


def test_a_process_that_fails_says_why(tmp_path):
    with pytest.raises(MeasurementError, match=r"missing\.npz"):
        list(memory.measure_memory("none", {"path": str(tmp_path / "missing.npz")}, "cpu", 0, ["bfs"], 1))
