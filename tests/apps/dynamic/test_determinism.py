"""Answers that follow are the same in every run: neither a clock nor what else the process does makes a difference."""

import time

import numpy as np
import pytest

import minigr as mg
from minigr.apps.dynamic.common import decision
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


ANSWERS = {
    "BFS": (["depth"], {"source": 0}),
    "SSSP": (["distance"], {"source": 0}),
    "ConnectedComponents": (["label", "num_components"], {}),
    "TriangleCount": (["total", "per_vertex"], {}),
    "CoreNumber": (["core"], {}),
    "Coloring": (["color"], {}),
    "PageRank": (["rank"], {"tol": 1e-8}),
}


@pytest.fixture(autouse=True)
def not_small(monkeypatch):
    """These graphs are large enough for repairs of every answer."""
    monkeypatch.setattr(decision, "_ARCS_PER_START", {"cpu": 16, "cuda": 16})


def follow(name, device, meanwhile=lambda step: None):
    """What an answer was after each batch, with how it came to be."""
    values, options = ANSWERS[name]
    graph, rng = mg.generate.lattice(50, N // 50, device=device), np.random.default_rng(5)
    src, dst, _ = (None if a is None else CPU.asarray(a) for a in graph.to_edges())
    weighted = name == "SSSP"
    weights = 1.0 + (src + dst) % 7 if weighted else None
    graph = mg.DynamicGraph.from_edges(src, dst, weights, num_vertices=N, directed=False, device=device)
    answer, found = getattr(mg.dynamic, name)(graph, **options), []
    for step, (change, *pairs) in enumerate(batches_of(rng, src, dst)):
        meanwhile(step)
        if weighted and change == "insert_edges":
            pairs.append(1.0 + rng.integers(0, 7, len(pairs[0])))
        getattr(answer, change)(*pairs)
        update = answer.last_update
        found.append((update.kind, update.reason, *(CPU.asarray(getattr(answer, value)) for value in values)))
    return found


def check_same(found, expected, in_order=True):
    """Equal decisions, and equal answers to the last bit; ranks only if the same threads add `in_order`."""
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    for row, wanted in zip(found, expected, strict=True):
        for value, other in zip(row[2:], wanted[2:], strict=True):
            np.testing.assert_allclose(value, other, rtol=1e-9 if value.dtype.kind == "f" and not in_order else 0)


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_depend_neither_on_a_clock_nor_on_what_else_is_compiled(name, device, monkeypatch):
    expected = follow(name, device)
    assert "repair" in {kind for kind, *_ in expected}
    rng, clock = np.random.default_rng(6), [0.0]

    def lie():
        clock[0] += float(rng.choice([0.0, 1e-9, 1e3]))
        return clock[0]

    def compile_another(step):
        if name == "Coloring" and step % 5 == 0:
            mg.primitives.transform(eval(f"lambda i, a: a[i] + {step}"), a=np.zeros(3), dtype=np.float64)

    monkeypatch.setattr(time, "perf_counter", lie)
    check_same(follow(name, device, compile_another), expected, in_order=device == "cpu")


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_depend_on_no_number_of_threads(name, device, monkeypatch):
    found = []
    for threads in "12":
        monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
        found.append(follow(name, device))
    check_same(*found, in_order=False)
