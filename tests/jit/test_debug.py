"""Debug mode in primitives, which ask the environment for it."""

import numpy as np
import pytest

import minigr as mg
from minigr.device import CPU
from minigr.errors import FieldIndexError, FunctorError
from minigr.primitives import compact, lbs, scan, segreduce, transform
from tests.jit.helpers import compilers


@pytest.fixture(autouse=True)
def debug(monkeypatch):
    monkeypatch.setenv("MINIGR_DEBUG", "1")


@pytest.fixture
def x(device):
    return mg.device.resolve(device).xp.arange(100.0)


@compilers
def test_right_indexes(x, by):
    ends = x[:3].astype(np.int64) * 50
    assert CPU.asarray(transform(by(lambda i, x: x[i] + x[99 - i]), x=x)).tolist() == [99] * 100
    assert CPU.asarray(scan(by(lambda i, x: x[i] > 97), x=x, inclusive=True)).tolist() == [0] * 98 + [1, 2]
    assert CPU.asarray(compact(by(lambda i, x: x[i] > 97), x=x)).tolist() == [98, 99]
    assert CPU.asarray(compact(x > 97)).tolist() == [98, 99]
    assert CPU.asarray(segreduce(by(lambda idx, x: x[idx]), ends, x=x)).tolist() == [1225, 3725]
    assert CPU.asarray(lbs(ends, by(lambda rank, seg, x: x[rank] + x[seg]), x=x)).tolist()[-1] == 50


def further(x, i):
    return x[i + 1]


@compilers
def test_wrong_indexes(x, by):
    ends = x[:3].astype(np.int64) * 50
    line = further.__code__.co_firstlineno + 1
    last = r"x\[100\]: the index 100 is out of range for the array field 'x', which has 100 elements"
    with pytest.raises(FieldIndexError, match=rf"transform.* line {line} of .*, in further: {last}"):
        transform(by(lambda i, x: further(x, i)), x=x)
    with pytest.raises(FieldIndexError, match=rf"compact.* line \d+: {last}"):
        compact(by(lambda i, x: x[i + 1] > 0), x=x)
    with pytest.raises(FieldIndexError, match=rf"segreduce.* line \d+: {last}"):
        segreduce(by(lambda idx, x: x[idx + 1]), ends, x=x)
    with pytest.raises(FieldIndexError, match=r"scan.* line \d+: x\[-1\]"):
        scan(by(lambda i, x: x[i - 1]), x=x)
    with pytest.raises(FieldIndexError, match=r"lbs.* line \d+: x\[-50\]"):
        lbs(ends, by(lambda rank, seg, x: x[rank - (50 if rank == 0 else 0)]), x=x)


@compilers
def test_bools_and_reading_only(device, by):
    mask = mg.device.resolve(device).xp.zeros(4, bool)

    def mark(i, mask):
        mask[i] = i > 1 or mask[i]

    transform(by(mark), mask=mask)
    transform(by(mark), mask=mask)
    assert mask.tolist() == [False, False, True, True]
    fixed = np.zeros(4, bool)
    fixed.flags.writeable = False
    with pytest.raises(FunctorError, match="mark"):
        transform(by(mark), mask=fixed)
    assert transform(by(lambda i, mask: mask[i] or i == 0), mask=fixed).tolist() == [True, False, False, False]
