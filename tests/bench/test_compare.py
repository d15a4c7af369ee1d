"""Comparison: verdicts on samples that are known to differ or not, and how rows are matched."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, rankdata

from minigr.bench import compare, document
from minigr.bench.compare import FASTER, SAME, SLOWER, UNCLEAR, verdict
from minigr.device import CPU
from minigr.errors import FormatError


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([10, 11, 10, 12, 11], [20, 21, 22, 20, 21], SLOWER),
        ([20, 21, 22, 20, 21], [10, 11, 10, 12, 11], FASTER),
        ([10, 11, 10, 12, 11], [11, 10, 12, 11, 10], SAME),
        # apart in rank, but by less than the threshold
        ([100, 100.1, 100.2, 100.3, 100.4], [101, 101.1, 101.2, 101.3, 101.4], SAME),
        # medians far apart, but overlapping
        ([10, 30, 12, 28, 11, 29], [28, 12, 30, 29, 11, 27], SAME),
        ([10, 10, 10, 10], [20, 20, 20, 20], UNCLEAR),
        ([10], [20], UNCLEAR),
        ([8], [8], SAME),
    ],
)
def test_verdict(before, after, expected):
    assert verdict(before, after)[0] == expected


@pytest.mark.parametrize(("sizes", "levels"), [((5, 5), 100), ((4, 9), 1000), ((7, 7), 4)])
def test_the_rank_test_counts_all_ways(sizes, levels):
    rng = np.random.default_rng(sum(sizes) + levels)
    samples = rng.integers(0, levels, sum(sizes)).astype(float)
    ranks = rankdata(samples)
    sums = np.array([sum(chosen) for chosen in combinations(ranks, sizes[0])])
    mean = sizes[0] * (sum(sizes) + 1) / 2
    expected = (abs(sums - mean) >= abs(ranks[: sizes[0]].sum() - mean)).mean()
    assert compare.rank_test(samples[: sizes[0]], samples[sizes[0] :]) == pytest.approx(expected)


def test_the_rank_test_of_many_samples_is_close_to_the_exact_one(monkeypatch):
    rng = np.random.default_rng(9)
    before, after = rng.normal(0, 1, 30), rng.normal(0.5, 1, 30)
    exact = compare.rank_test(before, after)
    monkeypatch.setattr(compare, "_EXACT", 59)
    assert compare.rank_test(before, after) == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize("levels", [3, 10, 1000])
def test_the_rank_test_of_many_samples_is_the_one_with_the_normal_distribution(levels):
    rng = np.random.default_rng(levels)
    before, after = rng.integers(0, levels, 45).astype(float), rng.integers(0, levels, 38) * 1.1
    expected = mannwhitneyu(before, after, alternative="two-sided", method="asymptotic").pvalue
    assert compare.rank_test(before, after) == pytest.approx(expected)


def test_samples_that_are_all_equal_are_not_different():
    assert compare.rank_test([2.0] * 40, [2.0] * 40) == 1.0


def test_equal_things_are_hardly_ever_called_different():
    rng = np.random.default_rng(5)
    draws = rng.lognormal(sigma=0.2, size=(400, 2, 10))
    different = sum(verdict(list(a), list(b))[0] != SAME for a, b in draws)
    assert different <= 8  # the level is 1 %


def test_a_tenth_slower_is_found_where_the_noise_is_small():
    rng = np.random.default_rng(6)
    before = rng.normal(10, 0.2, (100, 10))
    after = rng.normal(11, 0.2, (100, 10))
    assert all(verdict(list(a), list(b))[0] == SLOWER for a, b in zip(before, after, strict=True))


def made(rows, **machine):
    return {"bench": "apps", "device": "cpu", "machine": machine, "rows": rows}


def test_rows_are_matched_by_key_in_any_order():
    key = {"graph": "g", "app": "bfs", "by": "minigr"}
    turned = dict(reversed(key.items()))
    before = made([document.row(key, [1.0] * 5), document.row({**key, "app": "sssp"}, [1.0])])
    after = made([document.row({**key, "by": "scipy"}, [1.0]), document.row(turned, [2.0, 2.1, 2.2, 2.3, 2.4])])
    found, only_before, only_after = compare.compare(before, after)
    (pair,) = found
    assert (pair.key, pair.verdict, pair.is_minigr) == (key, SLOWER, True)
    assert pair.ratio == pytest.approx(2.2)
    assert [key["app"] for key in only_before] == ["sssp"]
    assert [key["by"] for key in only_after] == ["scipy"]


@pytest.mark.parametrize(
    ("by", "own"), [("minigr", True), ("minigr, dynamic", True), ("scipy", False), ("minigraph", False)]
)
def test_rows_of_minigr_have_its_name(by, own):
    rows = made([document.row({"app": "bfs", "by": by}, [1.0])])
    ((pair,), *_) = compare.compare(rows, rows)
    assert pair.is_minigr is own


def test_nothing_in_common_is_an_error():
    with pytest.raises(FormatError, match="no row in common"):
        compare.compare(made([document.row({"a": 1}, [1.0])]), made([document.row({"a": 2}, [1.0])]))


def test_bytes_may_be_none():
    found, *_ = compare.compare(made([document.row({"a": 1}, [0.0])]), made([document.row({"a": 1}, [0.0])]))
    assert math.isnan(found[0].ratio)
    assert found[0].verdict == SAME


def test_machines_that_differ_are_named():
    before, after = made([], cores=2, packages={"numpy": "1"}), made([], cores=4, packages={"numpy": "1"}, gpu="X")
    assert compare.machine_differences(before, after) == ["cores: 2 before, 4 after", "gpu: none before, X after"]


def test_a_document_is_read_as_it_was_written(tmp_path):
    rows = [document.row({"app": "bfs"}, [3, 1, 2], iterations=np.int64(4))]
    content = document.document("apps", CPU, {"repeat": 3}, [], rows)
    document.write(tmp_path / "out.json", content)
    found = document.read(tmp_path / "out.json")
    assert found["rows"][0] == {**rows[0], "iterations": 4}
    assert (found["rows"][0]["median"], found["schema"], found["device"]) == (2.0, document.SCHEMA, "cpu")
    assert found["minigr"]["version"]


def _with_rows(rows):
    return '{"schema": 1, "device": "cpu", "machine": {}, "settings": {}, "rows": [' + rows + "]}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "no document"),
        ('{"machine": {}, "rows": []}', "no document"),
        ('{"schema": 99, "rows": []}', "schema 99"),
        (_with_rows('{"key": {}, "samples": [], "median": 1, "least": 1, "most": 1}'), "row 0"),
        (_with_rows('{"key": {}, "samples": [1, null], "median": 1, "least": 1, "most": 1}'), "row 0"),
        (_with_rows('{"samples": [1], "median": 1, "least": 1, "most": 1}'), "row 0"),
        (_with_rows('{"key": {}, "samples": [1], "least": 1, "most": 1}'), "row 0"),
        (_with_rows("1"), "row 0"),
        ('{"schema": 1, "bench": "apps", "rows": []}', "has no device, machine, settings: give a file"),
        ('{"schema": 1, "device": "cpu", "machine": null, "settings": {}, "rows": 5}', "has no machine, rows"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_document_is_refused(tmp_path, text, message):
    path = tmp_path / "in.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        document.read(path)
