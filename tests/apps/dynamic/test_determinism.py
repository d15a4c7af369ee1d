"""Answers that follow are the same in every run: neither a clock nor what else the process does makes a difference."""

import time

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU

N = 3000


def batches_of(rng, src, dst):
    """Batches of which some reach far and some do not, some are large, and many are alike."""
    for step in range(14):
        size = (3, 40, 300)[step % 3]
        if step % 2:
            yield "insert_edges", *rng.integers(0, N if step % 4 == 1 else 12, (2, size))
        else:
            some = rng.integers(0, len(src), size)
            yield "delete_edges", src[some], dst[some]


def follow(name, values, device, meanwhile=lambda step: None, **options):
    """What an answer was after each batch, with how it came to be."""
    graph = mg.DynamicGraph.from_graph(mg.generate.lattice(50, N // 50, device=device))
    src, dst, _ = (None if a is None else CPU.asarray(a) for a in graph.to_graph().to_edges())
    answer, found = getattr(mg.dynamic, name)(graph, **options), []
    for step, (change, *pairs) in enumerate(batches_of(np.random.default_rng(5), src, dst)):
        meanwhile(step)
        getattr(answer, change)(*pairs)
        update = answer.last_update
        found.append((update.kind, update.reason, *(CPU.asarray(getattr(answer, value)) for value in values)))
    return found


def check_same(found, expected):
    """Equal decisions and equal answers; ranks up to the order in which a GPU's threads add."""
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    for row, wanted in zip(found, expected, strict=True):
        for value, other in zip(row[2:], wanted[2:], strict=True):
            np.testing.assert_allclose(value, other, rtol=1e-9 if value.dtype.kind == "f" else 0)


def test_colors_depend_on_no_clock_and_on_nothing_else_that_is_compiled(device, monkeypatch):
    expected = follow("Coloring", ["color"], device)
    assert {kind for kind, *_ in expected} == {"repair", "recomputation"}
    check_same(follow("Coloring", ["color"], device), expected)
    rng, clock = np.random.default_rng(6), [0.0]

    def lie():
        clock[0] += float(rng.choice([0.0, 1e-9, 1e3]))
        return clock[0]

    def compile_another(step):
        if step % 5 == 0:
            mg.primitives.transform(eval(f"lambda i, a: a[i] + {step}"), a=np.zeros(3), dtype=np.float64)

    monkeypatch.setattr(time, "perf_counter", lie)
    check_same(follow("Coloring", ["color"], device, compile_another), expected)


@pytest.mark.parametrize(
    ("name", "values", "options"),
    [
        ("ConnectedComponents", ["label", "num_components"], {}),
        ("CoreNumber", ["core"], {}),
        ("BFS", ["depth"], {"source": 0}),
        ("PageRank", ["rank"], {"tol": 1e-8}),
    ],
)
def test_answers_depend_on_no_clock(name, values, options, device, monkeypatch):
    expected = follow(name, values, device, **options)
    monkeypatch.setattr(time, "perf_counter", iter(np.random.default_rng(7).exponential(1e3, 10**6)).__next__)
    check_same(follow(name, values, device, **options), expected)


def test_batches_like_those_that_reached_far_are_not_tried_each_time(device):
    graph = mg.DynamicGraph.from_graph(mg.generate.path(400, device=device))
    search, why = mg.dynamic.BFS(graph, 0), []
    for _ in range(40):
        search.delete_edges([100, 100], [101, 101])
        why.append(search.last_update.reason)
        search.insert_edges([100, 100], [101, 101])
    tried = [batch for batch, reason in enumerate(why) if reason == "the batch reaches far"]
    assert tried == [0, 2, 7, 24]  # with 1, 4, 16 and then 64 in between
    assert set(why) == {"the batch reaches far", "batches like this one reached far"}
    search.delete_edges([395], [396])
    assert search.last_update.kind == "repair"  # smaller than those
    search.delete_edges([394, 394], [395, 395])
    assert search.last_update.kind == "recomputation"
