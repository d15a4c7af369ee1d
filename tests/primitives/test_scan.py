"""scan: prefix reductions against NumPy's, and against a loop for operations of one's own."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigr as mg
from minigr.errors import ArrayError, FunctorError, ProblemError

scan = mg.primitives.scan
NUMPY = {"add": np.add, "min": np.minimum, "max": np.maximum, "or": np.bitwise_or}
START = {"add": 0, "min": 1000, "max": -1000, "or": 0}


def compose(a, b):
    """Two maps x -> m x + c, modulo 97, packed as m * 128 + c: b after a. Associative, and doesn't commute."""
    m, c = a // 128, a % 128
    n, d = b // 128, b % 128
    return (m * n % 97) * 128 + (n * c + d) % 97


def last_nonzero(a, b):
    return b if b != 0 else a


def exclusive(ufunc, start, x):
    return ufunc.accumulate(np.concatenate([np.array([start], x.dtype), x]), dtype=x.dtype)


def test_lengths(lengths, put, equal, rng):
    for n in lengths:
        x = rng.integers(-100, 100, n)
        sums = exclusive(np.add, 0, x)
        equal(scan(put(x)), sums[:-1])
        equal(scan(put(x), inclusive=True), sums[1:])
        equal(scan(put(x), with_total=True), sums)


@pytest.mark.parametrize(  # each operation, on whole numbers and floats where it has them, and each dtype
    ("op", "dtype"),
    [
        ("add", np.int32), ("add", np.int64), ("add", np.float32), ("add", np.float64), ("min", np.int64),
        ("min", np.float32), ("max", np.int32), ("max", np.float64), ("or", np.int32),
    ],
)  # fmt: skip
def test_operations_and_dtypes(op, dtype, put, equal, rng):
    for n in (0, 1, 33, 3000, 40_000):
        x = rng.integers(0 if op == "or" else -100, 100, n).astype(dtype)
        expected = exclusive(NUMPY[op], START[op], x)
        equal(scan(put(x), op=op, initial=START[op], with_total=True), expected)  # exact: whole numbers below 2**24
        equal(scan(put(x), op=op, initial=START[op], inclusive=True), expected[1:])


@pytest.mark.parametrize(("op", "dtype", "fold"), [("min", np.float32, np.fmin), ("max", np.float64, np.fmax)])
def test_nan_is_passed_over(op, dtype, fold, put, equal, rng):
    for n in (1, 33, 3000, 40_000):
        x = np.where(rng.random(n) < 0.8, np.nan, rng.integers(-100, 100, n)).astype(dtype)
        equal(scan(put(x), op=op, initial=START[op], inclusive=True), exclusive(fold, START[op], x)[1:])


@pytest.mark.parametrize(("op", "start"), [(compose, 128), (last_nonzero, -1)])
def test_own_operation_that_does_not_commute(op, start, put, equal, rng):
    for n in (0, 1, 31, 32, 33, 2048, 2049, 20_000):
        x = rng.integers(0, 97, n) * 128 + rng.integers(0, 97, n)
        x[rng.random(n) < 0.5] = 128 if op is compose else 0
        expected = np.array(list(itertools.accumulate(x.tolist(), op, initial=start)), np.int64)
        equal(scan(put(x), op=op, initial=start, with_total=True), expected)
        equal(scan(put(x), op=op, initial=start, inclusive=True), expected[1:])


def test_initial_counts_once(lengths, put, equal):
    for n in lengths[::3]:
        x = np.ones(n, np.int64)
        equal(scan(put(x), initial=1000), 1000 + np.arange(n))


def test_values_of_a_function(put, equal):
    x = np.arange(5000)
    equal(scan(lambda i, x: x[i] * x[i], x=put(x), inclusive=True), np.cumsum(x * x))
    equal(scan(lambda i, x: x[i] % 3 == 0, x=put(x), inclusive=True), np.cumsum(x % 3 == 0))


def test_sums_in_another_dtype(put, equal):
    x = np.full(5000, 2**30, np.int32)
    equal(scan(put(x), dtype=np.int64, inclusive=True), np.cumsum(x, dtype=np.int64))
    equal(scan(put(x), out=put(np.zeros(5001, np.int64)), with_total=True)[-1:], np.array([5000 * 2**30]))


def test_in_place(put, equal):
    x = put(np.ones(30_000, np.int64))
    equal(scan(x, out=x), np.arange(30_000))


def test_many_times(put, equal, rng):
    x = rng.integers(-5, 5, 100_000)
    for _ in range(20):
        equal(scan(put(x), inclusive=True), np.cumsum(x))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-(2**40), 2**40), max_size=70), st.integers(-5, 5))
def test_small(values, start):
    x = np.array(values, np.int64)
    assert scan(x, initial=start, with_total=True).tolist() == list(itertools.accumulate(values, initial=start))


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ArrayError, "inclusive", lambda x: scan(x, inclusive=True, with_total=True)),
        (ArrayError, "needs initial", lambda x: scan(x, op=lambda a, b: a)),
        (ArrayError, "no value of dtype", lambda x: scan(x, initial=2.5)),
        (ArrayError, "no value of dtype", lambda x: scan(x.astype(np.int32), initial=2**40)),
        (ArrayError, "no value of dtype", lambda x: scan(x.astype(np.float64), initial=np.array([1.0, 2.0]))),
        (ArrayError, "there are 4 values", lambda x: scan(x, count=5)),
        (ArrayError, "with a function only", lambda x: scan(x, y=x)),
        (ArrayError, "has room for 4", lambda x: scan(x, out=x.copy(), with_total=True)),
        (ArrayError, "dtype bool", lambda x: scan(x, out=np.zeros(4, bool))),
        (ProblemError, "unknown reduction", lambda x: scan(x, op="mean")),
        (ProblemError, "bits of integers", lambda x: scan(x.astype(float), op="or")),
        (FunctorError, "two parameters", lambda x: scan(x, op=lambda a: a, initial=0)),
        (FunctorError, "must return a number", lambda x: scan(lambda i: None, count=3)),
        (FunctorError, "drops fractions", lambda x: scan(x, op=lambda a, b: a * 0.5 + b, initial=0)),
        (FunctorError, "drops fractions", lambda x: scan(lambda i: i * 0.5, count=4, out=x)),
        (ArrayError, "out has dtype int64, which can't hold .* float64", lambda x: scan(x + 0.5, out=x)),
        (ArrayError, "out has dtype int32, which can't hold .* int64", lambda x: scan(x, out=x.astype(np.int32))),
        (ArrayError, "is no dtype", lambda x: scan(x, dtype=(np.int32, np.float64))),
        (ArrayError, "values must be a NumPy or CuPy array, got list: convert it", lambda x: scan(x.tolist())),
        (ArrayError, "values must be .* got list: convert it", lambda x: scan(x.tolist(), count=4)),
        (ArrayError, r"values is a masked array: .*\.filled\(value\)", lambda x: scan(np.ma.masked_equal(x, 2))),
        (ArrayError, "out is a masked array", lambda x: scan(x, out=np.ma.array(x))),
    ],
)
def test_refused(error, words, call):
    with pytest.raises(error, match=words):
        call(np.arange(4))


def test_an_out_of_another_dtype(put, equal):
    """It is what values are reduced in, if it can hold them or `dtype` asks for it."""
    x, fractions = put(np.array([2**31 - 1, 5], np.int32)), put(np.array([1.5, 2.5]))

    def halves(i):
        return i * 0.5

    for _ in range(2):
        equal(scan(x, out=put(np.zeros(2, np.int64)), inclusive=True), np.array([2**31 - 1, 2**31 + 4]))
        equal(scan(fractions, out=put(np.zeros(2, np.float32)), inclusive=True), np.array([1.5, 4], np.float32))
        converted = scan(fractions, out=put(np.zeros(2, np.int64)), dtype=np.int64, inclusive=True)
        equal(converted, np.array([1, 3]))
        out = put(np.full(4, 7))
        equal(scan(halves, count=4, out=out, dtype=np.int64, inclusive=True), np.array([0, 0, 1, 2]))
        with pytest.raises(FunctorError, match="drops fractions"):
            scan(halves, count=4, out=out)
        equal(out, np.array([0, 0, 1, 2]))
