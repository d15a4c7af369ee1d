"""compact: what a predicate holds for, in order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.errors import ArrayError, CapacityError, FunctorError

compact = mg.primitives.compact


def test_lengths(lengths, put, equal, rng):
    for n in lengths:
        x = rng.random(n)
        for share in (0.0, 0.3, 1.0):
            equal(compact(lambda i, x, share: x[i] < share, x=put(x), share=share), np.flatnonzero(x < share))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_values(dtype, put, equal, rng):
    x = rng.integers(-50, 50, 30_000).astype(dtype)
    equal(compact(put(x > 3), values=put(x)), x[x > 3])


def test_values_that_decide(put, equal, rng):
    x = rng.integers(-50, 50, 30_000)
    equal(compact(lambda i, values: values[i] > 3, values=put(x)), x[x > 3])
    equal(compact(put(x)), np.flatnonzero(x))


def test_indices_of_32_bits(put, equal):
    mask = np.arange(5000) % 3 == 0
    equal(compact(put(mask), dtype=np.int32), np.flatnonzero(mask).astype(np.int32))


def test_out(put, equal):
    out = put(np.full(5, -1))
    equal(compact(put(np.arange(100) % 40 == 0), out=out), np.array([0, 40, 80]))
    equal(out, np.array([0, 40, 80, -1, -1]))
    with pytest.raises(CapacityError, match="holds for 10 items, but out has room for 5: make out longer"):
        compact(put(np.arange(100) % 10 == 0), out=out)
    equal(out, np.array([0, 10, 20, 30, 40]))


def test_out_is_not_what_is_read(put):
    x = put(np.arange(100))
    for name, call in (
        ("mask", lambda: compact(x, out=x)),
        ("values", lambda: compact(x > 50, values=x[1:], count=99, out=x[:-1])),
        ("x", lambda: compact(lambda i, x: x[i] > 50, x=x, out=x)),
    ):
        with pytest.raises(ArrayError, match=f"out shares memory with {name}: give another array"):
            call()
    assert x.tolist() == list(range(100))
    assert compact(lambda i, x: x[i] > 96, x=x[50:], out=x[:50]).tolist() == [47, 48, 49]


def test_many_times(put, equal, rng):
    mask = rng.random(100_000) < 0.5
    for _ in range(20):
        equal(compact(put(mask)), np.flatnonzero(mask))


@pytest.mark.parametrize("threads", ["1", "3", "7"])
def test_any_number_of_threads(threads, monkeypatch, rng):
    from minigr.primitives import cpu

    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    monkeypatch.setattr(cpu, "SOLO_WORK", 0)
    for n in (0, 1, 2, 6, 5000):
        mask = rng.random(n) < 0.4
        assert (compact(mask) == np.flatnonzero(mask)).all()
        assert (mg.primitives.scan(mask, with_total=True) == np.concatenate([[0], np.cumsum(mask)])).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.booleans(), max_size=80))
def test_small(mask):
    assert compact(np.array(mask, bool)).tolist() == [i for i, keep in enumerate(mask) if keep]


@pytest.mark.gpu
def test_past_32_bits():
    """Indices only, so that it takes little memory."""
    import cupy

    n = 2**31 + 1000
    out = cupy.empty(4096, np.int64)
    found = compact(lambda i, step: i % step == step - 1, step=2**20 + 7, count=n, out=out, device="cuda")
    expected = np.arange(2**20 + 6, n, 2**20 + 7)
    np.testing.assert_array_equal(found.get(), expected)
    np.testing.assert_array_equal(compact(lambda i, n: i >= n - 3, n=n, count=n, out=out).get(), [n - 3, n - 2, n - 1])


@pytest.mark.gpu
def test_scan_and_segments_past_32_bits():
    """17 GiB for the scan; segments are so few that the items stand for themselves."""
    import cupy

    n = 2**31 + 1000
    if cupy.cuda.Device().mem_info[0] < 3 * 8 * n:
        pytest.skip("not enough memory")
    sums = mg.primitives.scan(lambda i: 1, count=n, with_total=True, device="cuda")
    assert sums.size == n + 1
    assert int(sums[-1]) == n
    assert bool((sums[-5:] == cupy.arange(n - 4, n + 1)).all())
    assert bool((sums[1:] > sums[:-1]).all())
    del sums
    offsets = cupy.asarray(np.array([0, 10, 10, 2**31 - 5, 2**31 + 5, n, n]))
    counts = mg.primitives.segreduce(lambda idx: idx >= 0, offsets)
    np.testing.assert_array_equal(counts.get(), np.diff(offsets.get()))
    least = mg.primitives.segreduce(lambda idx: idx, offsets, op="min", initial=n)
    np.testing.assert_array_equal(least.get(), [0, n, 10, 2**31 - 5, 2**31 + 5, n])
    firsts = cupy.full(6, -1, np.int64)

    def note_first(idx, seg, rank, firsts):
        if rank == 0:
            firsts[seg] = idx

    mg.primitives.lbs(offsets, note_first, firsts=firsts)
    np.testing.assert_array_equal(firsts.get(), [0, -1, 10, 2**31 - 5, 2**31 + 5, -1])


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (FunctorError, "must return a bool", lambda m: compact(lambda i: i, count=3, device="cpu")),
        (ArrayError, "must be a NumPy or CuPy array", lambda m: compact(m, values=[1, 2, 3])),
        (ArrayError, "mask must be a NumPy or CuPy array, got list", lambda m: compact(m.tolist())),
        (ArrayError, "mask is a masked array", lambda m: compact(np.ma.array(m))),
        (ArrayError, "mask has 3", lambda m: compact(m, count=4)),
        (ArrayError, "give count", lambda m: compact(m, values=np.arange(4))),
        (ArrayError, "with a function only", lambda m: compact(m, x=np.arange(3))),
        (ArrayError, "has the dtype of values", lambda m: compact(m, values=np.arange(3), dtype=np.int32)),
        (ArrayError, "int64 or int32", lambda m: compact(m, dtype=np.float64)),
        (ArrayError, "don't fit", lambda m: compact(lambda i: i < 0, count=2**40, dtype=np.int32, device="cpu")),
    ],
)
def test_refused(error, words, call):
    with pytest.raises(error, match=words):
        call(np.array([True, False, True]))
