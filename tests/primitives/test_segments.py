"""lbs and segreduce: every item visited once, in its segment, however long or short segments are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.errors import ArrayError, FunctorError
from tests.primitives.test_scan import NUMPY, START, compose, last_nonzero

lbs, segreduce = mg.primitives.lbs, mg.primitives.segreduce


def owners(offsets):
    return np.repeat(np.arange(offsets.size - 1), np.diff(offsets))


def reduced(function, start, x, offsets):
    """Each segment by a loop."""
    result = np.full(offsets.size - 1, start, x.dtype)
    for s, (begin, end) in enumerate(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)):
        for value in x[begin:end].tolist():
            result[s] = function(result[s].item(), value)
    return result


def test_battery_lbs(segments, put, equal):
    for offsets in segments.values():
        expected = owners(offsets)
        equal(lbs(put(offsets)), expected)
        ranks = np.arange(offsets[-1]) - offsets[expected]
        equal(
            lbs(put(offsets), lambda idx, seg, rank: rank * 3 + seg + idx),
            ranks * 3 + expected + np.arange(offsets[-1]),
        )


def test_battery_each_item_once(segments, put, equal):
    def visit(idx, visits):
        mg.atomic_add(visits, idx, 1)

    for offsets in segments.values():
        visits = put(np.zeros(offsets[-1], np.int32))
        assert lbs(put(offsets.astype(np.int32)), visit, visits=visits) is None
        equal(visits, np.ones(offsets[-1], np.int32))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_battery_segreduce(dtype, segments, put, equal, rng):
    for offsets in segments.values():
        x = rng.integers(-9, 10, offsets[-1]).astype(dtype)
        expected = np.zeros(offsets.size - 1, dtype)
        np.add.at(expected, owners(offsets), x)
        equal(segreduce(put(x), put(offsets)), expected)  # exact: whole numbers below 2**24


@pytest.mark.parametrize("op", ["min", "max", "or"])
def test_battery_operations(op, segments, put, equal, rng):
    for offsets in segments.values():
        x = rng.integers(0, 1000, offsets[-1])
        expected = np.full(offsets.size - 1, START[op], np.int64)
        NUMPY[op].at(expected, owners(offsets), x)
        equal(segreduce(put(x), put(offsets), op=op, initial=START[op]), expected)


@pytest.mark.parametrize(("op", "fold"), [("min", np.fmin), ("max", np.fmax)])
def test_battery_nan_is_passed_over(op, fold, segments, put, equal, rng):
    for offsets in segments.values():
        x = np.where(rng.random(offsets[-1]) < 0.8, np.nan, rng.normal(size=offsets[-1]))
        expected = np.full(offsets.size - 1, START[op], np.float64)
        fold.at(expected, owners(offsets), x)
        equal(segreduce(put(x), put(offsets), op=op, initial=START[op]), expected)


@pytest.mark.parametrize(("op", "start"), [(compose, 128), (last_nonzero, -1)])
def test_battery_own_operation_that_does_not_commute(op, start, segments, put, equal, rng):
    for offsets in segments.values():
        x = rng.integers(0, 97, offsets[-1]) * 128 + rng.integers(0, 97, offsets[-1])
        x[rng.random(x.size) < 0.5] = 128 if op is compose else 0
        equal(segreduce(put(x), put(offsets), op=op, initial=start), reduced(op, start, x, offsets))


def test_lengths(lengths, put, equal, rng):
    for n in lengths:
        degrees = rng.integers(0, 30, n // 15 + 1)
        offsets = np.concatenate([[0], np.cumsum(degrees)])
        x = rng.integers(-100, 100, offsets[-1])
        expected = np.zeros(degrees.size, np.int64)
        np.add.at(expected, owners(offsets), x)
        equal(lbs(put(offsets)), owners(offsets))
        equal(segreduce(put(x), put(offsets)), expected)


def test_a_function_of_all_that_is_supplied(put, equal, rng):
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 9, 5000))])
    x = rng.integers(0, 9, offsets[-1])
    seg = owners(offsets)
    expected = np.zeros(5000, np.int64)
    np.add.at(expected, seg, x * (np.arange(offsets[-1]) - offsets[seg]) + seg)
    equal(segreduce(lambda idx, seg, rank, x: x[idx] * rank + seg, put(offsets), x=put(x)), expected)


def test_sums_of_floats_are_the_same_in_every_run(put, equal, rng):
    offsets = np.array([0, 70_000, 70_000, 150_000])
    x = put(rng.random(150_000))
    first = segreduce(x, put(offsets))
    for _ in range(10):
        assert bool((segreduce(x, put(offsets)) == first).all())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 6), max_size=40), st.integers(0, 2**31))
def test_small(degrees, seed):
    offsets = np.concatenate([[0], np.cumsum(np.array(degrees, np.int64))]).astype(np.int64)
    x = np.random.default_rng(seed).integers(0, 50, offsets[-1])
    assert lbs(offsets).tolist() == owners(offsets).tolist()
    assert segreduce(x, offsets, op=last_nonzero, initial=7).tolist() == reduced(last_nonzero, 7, x, offsets).tolist()


@pytest.mark.parametrize("threads", ["1", "2", "3", "7"])
def test_any_number_of_threads(threads, segments, monkeypatch, rng):
    """The parts of threads meet in the middle of segments, and some get nothing."""
    from minigr.primitives import cpu

    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    monkeypatch.setattr(cpu, "SOLO_WORK", 0)
    small = {"few": np.array([0, 0, 2, 2, 3]), "two items": np.array([0, 2]), "one giant": np.array([0, 100, 100])}
    for offsets in (*segments.values(), *small.values()):
        x = rng.integers(0, 50, offsets[-1]) * (rng.random(offsets[-1]) < 0.3)
        assert (lbs(offsets) == owners(offsets)).all()
        found = segreduce(x, offsets, op=last_nonzero, initial=-7)
        assert (found == reduced(last_nonzero, -7, x, offsets)).all()


@pytest.mark.parametrize("call", [lbs, lambda offsets: segreduce(np.arange(5), offsets)])
@pytest.mark.parametrize(
    ("words", "offsets"),
    [
        ("must not fall", np.array([0, 4, 3, 5])),
        ("must go from 0", np.array([1, 5])),
        ("must go from 0", np.array([0, -5])),
        ("is empty", np.zeros(0, np.int64)),
        ("dtype float64", np.array([0.0, 5.0])),
        ("must be a NumPy or CuPy array", [0, 5]),
    ],
)
def test_offsets_refused(words, offsets, call):
    with pytest.raises(ArrayError, match=words):
        call(offsets)


def test_refused():
    with pytest.raises(ArrayError, match="offsets end at 4, but there are 5 values"):
        segreduce(np.arange(5), np.array([0, 4]))
    with pytest.raises(ArrayError, match="has room for 1"):
        segreduce(np.arange(5), np.array([0, 2, 5]), out=np.zeros(1, np.int64))
    with pytest.raises(ArrayError, match="has room for 3"):
        lbs(np.array([0, 5]), out=np.zeros(3, np.int64))
    with pytest.raises(FunctorError, match="neither supplied"):
        lbs(np.array([0, 5]), lambda i: i)
    with pytest.raises(FunctorError, match="drops fractions"):
        lbs(np.array([0, 5]), lambda idx: idx * 0.5, out=np.zeros(5, np.int64))
    with pytest.raises(ArrayError, match="out has dtype int64, which can't hold the values, of float64"):
        segreduce(np.ones(5), np.array([0, 5]), out=np.zeros(5, np.int64))
    with pytest.raises(ArrayError, match="values must be a NumPy or CuPy array, got list"):
        segreduce([1, 2], np.array([0, 2]))


def test_a_field_may_have_the_name_of_a_positional_argument(put, equal):
    offsets = put(np.array([0, 2, 5]))
    equal(lbs(offsets, lambda seg, offsets: offsets[seg + 1], offsets=offsets), np.array([2, 2, 5, 5, 5]))
