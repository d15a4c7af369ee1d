"""transform: what a function returns for each index, and its effects."""

import numpy as np
import pytest

import minigr as mg
from minigr.errors import ArrayError, DeviceError, FunctorError

transform = mg.primitives.transform


def test_lengths(device, lengths, put, equal):
    for n in lengths:
        x = np.arange(n, dtype=np.int64)
        equal(transform(lambda i, x: 3 * x[i] + 1, x=put(x)), 3 * x + 1)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_dtypes(dtype, put, equal):
    x = np.arange(100).astype(dtype)
    equal(transform(lambda i, x: x[i], x=put(x)), x)
    equal(transform(lambda i, x: x[i] > 50, x=put(x), dtype=dtype), (x > 50).astype(dtype))


def test_booleans(put, equal):
    x = np.arange(100)
    equal(transform(lambda i, x: x[i] > 50, x=put(x)), x > 50)
    equal(transform(lambda i, x: x[i], x=put(x > 50)), x > 50)
    mask = put(x > 50)

    def turn(i, mask):
        mask[i] = not mask[i]

    transform(turn, mask=mask)
    equal(mask, x <= 50)


def test_numbers_are_no_part_of_the_program(device, equal):
    from minigr.primitives import cpu

    for k in (2, 3, 4):
        equal(transform(lambda i, k: k * i, k=k, count=k, device=device), k * np.arange(k))
    before = len(cpu._programs)
    transform(lambda i, k: k * i, k=7, count=20, device="cpu")
    transform(lambda i, k: k * i, k=8, count=30, device="cpu")
    assert len(cpu._programs) <= before + 2  # two lambdas, written in two places


def test_effects_and_helpers(put, equal):
    def bucket(value):
        return value % 7

    def count(i, x, counts):
        mg.atomic_add(counts, bucket(x[i]), 1)

    x = np.arange(50_000)
    counts = put(np.zeros(7, np.int32))
    assert transform(count, x=put(x), counts=counts, count=x.size) is None
    equal(counts, np.bincount(x % 7).astype(np.int32))


def test_out(put, equal):
    x = put(np.arange(10))
    out = put(np.zeros(12, np.int64))
    result = transform(lambda i, x: -x[i], x=x, out=out)
    equal(result, -np.arange(10))
    equal(out, np.append(-np.arange(10), [0, 0]))
    equal(transform(lambda i, x: x[i] + 1, x=x, out=x), np.arange(1, 11))  # in place


def test_two_streams_of_calls_share_nothing(put, equal):
    """A function with a closure is compiled for what the closure holds."""

    def scaled(k):
        return lambda i, x: k * x[i]

    x = put(np.arange(5))
    equal(transform(scaled(2), x=x), 2 * np.arange(5))
    equal(transform(scaled(3), x=x), 3 * np.arange(5))


X = np.arange(4)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (FunctorError, "neither supplied", lambda: transform(lambda i, y: y[i], x=X)),
        (FunctorError, "did you mean 'values'", lambda: transform(lambda i, value: value[i], values=X)),
        (FunctorError, "both supplied", lambda: transform(lambda i: i, i=X)),
        (FunctorError, "plain Python function", lambda: transform(max, x=X)),
        (FunctorError, "plain name", lambda: transform(lambda i, x=X: x[i], x=X)),
        (FunctorError, "must return a number", lambda: transform(lambda i, x: None, x=X, dtype=np.int32)),
        (FunctorError, "can't be compiled", lambda: transform(lambda i, x: x.nothing(i), x=X)),
        (ArrayError, "give count", lambda: transform(lambda i: i, device="cpu")),
        (ArrayError, "give count", lambda: transform(lambda i, x, y: i, x=X, y=np.arange(5))),
        (ArrayError, "at least 0", lambda: transform(lambda i: i, count=-1, device="cpu")),
        (ArrayError, "whole number", lambda: transform(lambda i: i, count=2.5, device="cpu")),
        (ArrayError, "has room for 3", lambda: transform(lambda i, x: x[i], x=X, out=np.zeros(3, np.int64))),
        (ArrayError, "out has dtype", lambda: transform(lambda i, x: i, x=X, out=np.zeros(4), dtype=np.int32)),
        (FunctorError, "drops fractions", lambda: transform(lambda i, x: x[i] * 0.5, x=X, out=np.zeros(4, np.int64))),
        (ArrayError, "x is a masked array: fill", lambda: transform(lambda i, x: x[i], x=np.ma.masked_equal(X, 2))),
        (ArrayError, "dtype uint8", lambda: transform(lambda i, x: x[i], x=X.astype(np.uint8))),
        (ArrayError, "one dimension", lambda: transform(lambda i, x: x[i], x=np.zeros((2, 2)))),
        (ArrayError, "contiguous", lambda: transform(lambda i, x: x[i], x=np.arange(8)[::2])),
        (ArrayError, "array", lambda: transform(lambda i, x: x[i], x=[1, 2, 3])),
        (ArrayError, "64 bits", lambda: transform(lambda i, k: k, k=2**63, count=1, device="cpu")),
        (ArrayError, "dtype=", lambda: transform(lambda i: i, count=1, dtype="int8", device="cpu")),
        (DeviceError, "unknown device", lambda: transform(lambda i: i, count=1, device="tpu")),
        (
            TypeError,
            "no option 'coutn'.*'count'. It has count, out,",
            lambda: transform(lambda i, x: x[i], x=X, coutn=1),
        ),
    ],
)
def test_refused(error, words, call):
    with pytest.raises(error, match=words):
        call()


def test_read_only_arrays_can_be_read_but_not_written_to():
    x = np.arange(4)
    x.flags.writeable = False

    def write(i, x):
        x[i] = 0

    assert transform(lambda i, x: x[i] + 1, x=x).tolist() == [1, 2, 3, 4]
    with pytest.raises(FunctorError, match="can't be compiled"):
        transform(write, x=x)
    with pytest.raises(ArrayError, match="read-only"):
        transform(lambda i, x: x[i], x=np.arange(4), out=x)


_STEP = 1  # what a function reads of this module


def test_calls_of_one_function_that_are_not_alike(put, equal, monkeypatch):
    """A call is like the one before only where all that a program depends on is the same."""

    def scaled(i, x, k):
        return k * x[i] + _STEP

    x = np.arange(10)
    for _ in range(2):
        for k in (2, 2.5, np.int32(3)):
            for values in (x, x[:4], x.astype(np.float64)):
                equal(transform(scaled, x=put(values), k=k), k * values + 1)
        equal(transform(scaled, x=put(x.astype(np.int32)), k=2), 2 * x + 1)
        equal(transform(scaled, x=put(x), k=2, count=3), 2 * x[:3] + 1)
        equal(transform(scaled, k=2, x=put(x)), 2 * x + 1)
        equal(transform(scaled, x=put(x), k=2, dtype=np.float32), (2 * x + 1).astype(np.float32))
        out = put(np.zeros(12, np.int64))
        equal(transform(scaled, x=put(x), k=2, out=out), 2 * x + 1)
        equal(out, np.append(2 * x + 1, [0, 0]))
    monkeypatch.setitem(globals(), "_STEP", 7)
    equal(transform(scaled, x=put(x), k=2), 2 * x + 7)
    monkeypatch.setattr(scaled, "__code__", (lambda i, x, k: k - x[i]).__code__)
    equal(transform(scaled, x=put(x), k=2), 2 - x)
    for bad in (put(x)[::2], put(x).reshape(2, 5), x.tolist()):
        with pytest.raises(ArrayError):
            transform(scaled, x=bad, k=2)
    for bad in (2**63, "2"):
        with pytest.raises(ArrayError, match="k="):
            transform(scaled, x=put(x), k=bad)


def test_an_array_that_became_read_only_is_not_written_to():
    def clear(i, x):
        x[i] = 0

    x = np.arange(4)
    transform(clear, x=x)
    x[:] = 5
    x.flags.writeable = False
    with pytest.raises(FunctorError, match="can't be compiled"):
        transform(clear, x=x)
    assert x.tolist() == [5, 5, 5, 5]


@pytest.mark.gpu
def test_arrays_on_two_devices_are_refused():
    import cupy

    with pytest.raises(DeviceError, match=r"y is on cpu, but x is on cuda:0"):
        transform(lambda i, x, y: x[i] + y[i], x=cupy.arange(3), y=np.arange(3))
    with pytest.raises(DeviceError, match="asked for"):
        transform(lambda i, x: x[i], x=cupy.arange(3), device="cpu")
