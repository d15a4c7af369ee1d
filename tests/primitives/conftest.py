"""What the tests of primitives share: lengths that grow, and arrays on the device of a test."""

import numpy as np
import pytest

EDGES = (0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097)


def lengths(most):
    """Lengths around those of a warp, a block and a tile, then growing by 1.4."""
    found, n = list(EDGES), 5000.0
    while n < most:
        found.append(int(n))
        n *= 1.4
    return [*found, most]


@pytest.fixture(name="lengths")
def lengths_fixture(device):
    """Lengths to go through on the device of the test."""
    return lengths(200_000 if device == "cpu" else 5_000_000)


@pytest.fixture
def put(device):
    """A function that brings a NumPy array, or a list of int64, to the device of the test."""

    def put_array(values, dtype=None):
        array = np.asarray(values, dtype)
        if device == "cpu":
            return array
        import cupy

        return cupy.asarray(array)

    return put_array


@pytest.fixture
def equal(device):
    """A function that asserts that a result is on the device of the test, and what it holds."""

    def assert_equal(found, expected, rtol=0.0):
        assert hasattr(found, "__cuda_array_interface__") == (device != "cpu")
        host = found if device == "cpu" else found.get()
        assert host.dtype == expected.dtype
        assert host.shape == expected.shape
        np.testing.assert_allclose(host, expected, rtol=rtol)

    return assert_equal


@pytest.fixture
def rng():
    """Random numbers, the same in every run."""
    return np.random.default_rng(20)


@pytest.fixture
def segments(rng):
    """Named offsets that are awkward to split evenly."""

    def offsets(lengths):
        return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))]).astype(np.int64)

    return {
        "no segments": np.zeros(1, np.int64),
        "one empty": offsets([0]),
        "one item": offsets([1]),
        "all empty": offsets(np.zeros(70_000)),
        "empty at the start": offsets([0] * 5000 + [3, 4]),
        "empty in the middle": offsets([5] + [0] * 9000 + [1] + [0] * 9000 + [4000]),
        "empty at the end": offsets([2, 1] + [0] * 30_000),
        "one giant": offsets([150_000]),
        "giant among tiny": offsets([1] * 3000 + [100_000] + [1] * 3000),
        "two giants side by side": offsets([60_000, 70_000]),
        "many tiny": offsets(rng.integers(0, 4, 80_000)),
        "as long as tiles": offsets([2048] * 20 + [2047] * 20 + [2049] * 20),
        "power law": offsets((rng.pareto(1.1, 5000) * 2).astype(np.int64) % 40_000),
    }
