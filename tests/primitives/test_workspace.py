"""What launches on a GPU leave for the next one is right for calls of other sizes, in other threads and streams."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

from minigr.primitives import compact, scan, segreduce

pytestmark = pytest.mark.gpu


def test_sizes_and_dtypes_by_turns():
    import cupy

    rng = np.random.default_rng(1)
    for size in (3, 200_000, 5000, 1_000_000, 0, 70_000):
        for dtype in ("int32", "float64"):
            x = rng.integers(0, 9, size).astype(dtype)
            on_gpu = cupy.asarray(x)
            np.testing.assert_array_equal(scan(on_gpu, inclusive=True).get(), np.cumsum(x, dtype=dtype))
            np.testing.assert_array_equal(compact(on_gpu).get(), np.flatnonzero(x))
            ends = np.unique(np.append(rng.integers(0, size + 1, 50), [0, size]))
            sums = [x[i:j].sum() for i, j in pairwise(ends)]
            np.testing.assert_array_equal(segreduce(on_gpu, cupy.asarray(ends)).get(), sums)


def test_from_threads_at_once():
    """Each reads the number of its own items, although all launch on the default stream."""
    import cupy

    masks = [cupy.arange(3000 + i) % (i + 2) == 0 for i in range(8)]
    wanted = [mask.nonzero()[0].get() for mask in masks]

    def compacted(i):
        with cupy.cuda.Device(0):
            return [compact(masks[i]).get() for _ in range(40)]

    with ThreadPoolExecutor(8) as pool:
        for i, results in enumerate(pool.map(compacted, range(8))):
            for result in results:
                np.testing.assert_array_equal(result, wanted[i])


def test_on_streams_at_once():
    import cupy

    values = [cupy.arange(500_000 + 1000 * i) % 7 for i in range(6)]
    cupy.cuda.Device().synchronize()
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in values]
    sums = []
    for _ in range(5):
        for x, stream in zip(values, streams, strict=True):
            with stream:
                sums.append(scan(x, inclusive=True))
    cupy.cuda.Device().synchronize()
    for k, result in enumerate(sums):
        np.testing.assert_array_equal(result.get(), np.cumsum(values[k % 6].get()))
