"""Rows that several threads build from edges in parts: they are those of a stable sort, for any parts."""

import numpy as np
import pytest

from minigr.graphs.rows_cpu import LONG_ROW, RowsOfParts

SHAPES = {  # vertices, edges, and skew: rows for each way of sorting, and longer rows
    "nothing": (0, 0, 1),
    "no edges": (5, 0, 1),
    "loops": (1, 40, 1),
    "even": (3000, 30_000, 1),
    "skewed": (70_000, 60_000, 6),
    "hubs": (70_000, 200_000, 40),
}


def sorted_rows(n, src, dst, weights, mirror):
    """The same rows by NumPy."""
    place = np.arange(len(src))
    if mirror:
        once = src != dst
        src, dst = np.concatenate([src, dst[once]]), np.concatenate([dst, src[once]])
        place = np.concatenate([place, place[once]])
    order = np.lexsort((place, dst, src))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(src, minlength=n)[:n])])
    return offsets, dst[order], None if weights is None else weights[place[order]]


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_they_are_those_of_a_stable_sort(name, threads, weighted, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", str(threads))
    n, m, skew = SHAPES[name]
    draw = np.random.default_rng(5)
    src, dst = ((n * draw.random(m) ** skew).astype(np.int32) for _ in range(2))
    weights = draw.random(m) if weighted else None
    for mirror in (False, True):
        for parts in (1, 5):
            rows = RowsOfParts(mirror)
            pieces = np.array_split(np.arange(m), parts)
            for piece in pieces:
                rows.count(src[piece], dst[piece], max(src[piece].max(initial=-1), dst[piece].max(initial=-1)))
            arcs = rows.begin(n)
            rows.allocate(None if weights is None else weights.dtype)
            for piece in pieces:
                rows.put(src[piece], dst[piece], None if weights is None else weights[piece])
            found, want = rows.finish(), sorted_rows(n, src, dst, weights, mirror)
            assert arcs == len(want[1])
            for got, expected in zip(found, want, strict=True):
                assert (got is None) == (expected is None)
                assert expected is None or np.array_equal(got, expected)
            if name == "hubs":
                assert np.diff(want[0]).max() > LONG_ROW
