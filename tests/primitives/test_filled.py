"""Arrays with an initial value, stored by one thread or by several."""

import numpy as np
import pytest

from minigr.device import CPU, resolve
from minigr.primitives import filled

VALUES = [
    (np.int32, -1),
    (np.int64, 5),
    (np.float32, np.inf),
    (np.float64, -0.0),
    (np.float64, 0),
    (np.uint8, 7),
    (bool, True),
]


@pytest.mark.parametrize(("dtype", "value"), VALUES)
@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("shape", [(0,), (5,), (1003,), (67, 3)])
def test_all_elements_have_the_value(device, dtype, value, threads, shape, monkeypatch):
    monkeypatch.setenv("MINIGR_NUM_THREADS", threads)
    monkeypatch.setattr(filled, "LEAST", 8)
    array = filled.full(resolve(device), shape, value, np.dtype(dtype))
    assert array.dtype == dtype
    expected = np.full(shape, value, dtype)
    assert CPU.asarray(array).tobytes() == expected.tobytes()
    filled.fill(resolve(device), array, 1)
    assert CPU.asarray(array).tobytes() == np.full(shape, 1, dtype).tobytes()


@pytest.mark.gpu
def test_arrays_that_are_made_together():
    device = resolve("cuda")
    shapes = [(3 + i, 2) if i % 2 else (7,) for i in range(len(VALUES))]
    wanted = [(shape, np.dtype(dtype).type(value), dtype) for shape, (dtype, value) in zip(shapes, VALUES, strict=True)]
    together = filled.Together(device, wanted)
    for _ in range(2):  # what is made is nobody else's
        arrays = together.made()
        assert [array.dtype for array in arrays] == [dtype for _, _, dtype in wanted]
        for array, (shape, value, dtype) in zip(arrays, wanted, strict=True):
            assert CPU.asarray(array).tobytes() == np.full(shape, value, dtype).tobytes()
            array.fill(1)
