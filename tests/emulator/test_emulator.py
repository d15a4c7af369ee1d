"""Tests that the emulator does what CUDA documents, and reports what a kernel does wrong."""

import numpy as np
import pytest

from minigr.jit.link_cuda import CudaCode
from tests.emulator.requirements import missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

TEXT = r"""
extern "C" __global__ void shuffles(int *out, int width, int by) {
  const int lane = threadIdx.x, mine = 100 + lane;
  out[lane] = __shfl_up_sync(~0u, mine, by, width);
  out[32 + lane] = __shfl_down_sync(~0u, mine, by, width);
  out[64 + lane] = __shfl_xor_sync(~0u, mine, by, width);
  out[96 + lane] = __shfl_sync(~0u, mine, by, width);
}
extern "C" __global__ void votes(unsigned *out, unsigned bits) {
  const int lane = threadIdx.x;
  const bool mine = bits >> lane & 1;
  out[lane] = __ballot_sync(~0u, mine);
  out[32 + lane] = __any_sync(~0u, mine) + 2 * __all_sync(~0u, mine);
  out[64 + lane] = __reduce_add_sync(~0u, lane * mine);
  out[96 + lane] = __match_any_sync(~0u, mine);
}
// Halves of a warp that go separate ways, each with lanes of its own.
extern "C" __global__ void halves(int *out) {
  const int lane = threadIdx.x;
  int sum = lane;
  if (lane < 16)
    for (int i = 8; i; i >>= 1) sum += __shfl_xor_sync(0xffffu, sum, i);
  else
    for (int i = 1; i < 16; i <<= 1) sum = max(sum, __shfl_xor_sync(0xffff0000u, sum, i));
  out[lane] = sum;
}
// Lanes that ask who runs with them, in loops of different lengths.
extern "C" __global__ void active(unsigned *out) {
  const int lane = threadIdx.x;
  for (int i = 0; i <= lane % 4; i++) out[32 * i + lane] = __activemask();
}
// The sum of each block's numbers by way of shared memory whose size the launch decides.
extern "C" __global__ void sums(const int *in, long long *out) {
  extern __shared__ long long held[];
  held[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int half = blockDim.x / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) held[threadIdx.x] += held[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = held[0];
}
// Blocks wait for each other.
extern "C" __global__ void meet(unsigned *arrived, unsigned *seen) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*(volatile unsigned *)arrived < gridDim.x) {}
    seen[blockIdx.x] = *(volatile unsigned *)arrived;
  }
}
extern "C" __global__ void numbers(const double *x, const long long *n, double *y, long long *m) {
  const int i = threadIdx.x;
  y[i] = fma(sqrt(fabs(x[i])), 3.0, fmin(x[i], 1.0)) / (2.0 + floor(x[i]));
  m[i] = (n[i] / 7) ^ (n[i] % 7) ^ __mul64hi(n[i], 0x123456789abcdefll);
  m[i] ^= __clzll(n[i]) ^ __ffsll(n[i]) ^ (long long)x[i];
}
// Numbers of 192 bits: a * b + c and a - c, by carries from word to word.
extern "C" __global__ void carries(const unsigned long long *in, unsigned long long *out) {
  const unsigned long long a = in[0], b = in[1], *c = in + 2;
  asm("mad.lo.cc.u64 %0, %3, %4, %5; madc.hi.cc.u64 %1, %3, %4, %6; addc.u64 %2, %7, 0;"
      : "=l"(out[0]), "=l"(out[1]), "=l"(out[2]) : "l"(a), "l"(b), "l"(c[0]), "l"(c[1]), "l"(c[2]));
  asm("sub.cc.u64 %0, %3, %4; subc.cc.u64 %1, 0, %5; subc.u64 %2, 0, %6;"
      : "=l"(out[3]), "=l"(out[4]), "=l"(out[5]) : "l"(a), "l"(c[0]), "l"(c[1]), "l"(c[2]));
}
// Whether a number is odd, by the constant for true.
extern "C" __global__ void odd(int *out) {
  asm("{ .reg .pred even, odd; setp.eq.s32 even, %1, 0; xor.pred odd, even, -1; selp.s32 %0, 1, 0, odd; }"
      : "=r"(out[threadIdx.x]) : "r"(threadIdx.x % 2));
}
extern "C" __global__ void writes_past(int *out, int n) { out[threadIdx.x] = n; }
extern "C" __global__ void waits_for_nobody(int *out) {
  if (threadIdx.x < 40) __syncthreads();
  else out[threadIdx.x] = __shfl_sync(~0u, 1, 0);
}
extern "C" __global__ void never_ends(int *out) {
  while (*(volatile int *)out == 0) {}
}
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    from tests.emulator.build import library, linked
    from tests.emulator.launch import Module

    path = tmp_path_factory.mktemp("emulated") / "kernels.so"
    path.write_bytes(library(linked(CudaCode(TEXT, {}, {}, {}, 90))))
    return Module(str(path))


@pytest.fixture
def run(module):
    """A function that launches a kernel, and allows it to access the arrays among its arguments."""
    from tests.emulator import memory

    def launch(name, blocks, threads, *arguments, shared=0):
        held = [put(a) if isinstance(a, np.ndarray) else a for a in arguments]
        given = [np.uintp(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in held]
        module.get_function(name)((blocks,), (threads,), given, shared_mem=shared)
        for a, after in zip(arguments, held, strict=True):
            if isinstance(a, np.ndarray):
                a[...] = after

    def put(array):
        made = memory.buffer(array.nbytes).view(array.dtype)
        made[...] = array
        return made

    return launch


@pytest.mark.parametrize("width", [32, 16, 8, 1])
@pytest.mark.parametrize("by", [0, 1, 5, 8, 31])
def test_shuffles(run, width, by):
    out, lane = np.zeros(128, np.int32), np.arange(32)
    run("shuffles", 1, 32, out, np.int32(width), np.int32(by))
    first = lane // width * width
    wanted = (
        np.where(lane - by >= first, lane - by, lane),
        np.where(lane + by < first + width, lane + by, lane),
        np.where((lane ^ by) < first + width, lane ^ by, lane),
        first + by % width,
    )
    np.testing.assert_array_equal(out.reshape(4, 32), np.array(wanted) + 100)


@pytest.mark.parametrize("bits", [0, 0xFFFFFFFF, 0x80010F01])
def test_votes(run, bits):
    out = np.zeros(128, np.uint32)
    run("votes", 1, 32, out, np.uint32(bits))
    mine = np.array([bits >> i & 1 for i in range(32)], bool)
    assert set(out[:32]) == {bits}
    assert set(out[32:64]) == {(bits != 0) + 2 * (bits == 0xFFFFFFFF)}
    assert set(out[64:96]) == {np.flatnonzero(mine).sum()}
    np.testing.assert_array_equal(out[96:], np.where(mine, bits, bits ^ 0xFFFFFFFF))


def test_constants_that_are_true(run):
    out = np.full(32, 9, np.int32)
    run("odd", 1, 32, out)
    assert out.tolist() == [0, 1] * 16


def test_halves_of_a_warp(run):
    out = np.zeros(32, np.int32)
    run("halves", 1, 32, out)
    assert out.tolist() == [120] * 16 + [31] * 16


def test_lanes_that_run_together(run):
    out, lane = np.zeros(128, np.uint32), np.arange(32)
    run("active", 1, 32, out)
    for turn, found in enumerate(out.reshape(4, 32)):
        calls = lane % 4 >= turn
        together = sum(1 << i for i in lane[calls].tolist())
        assert (found >> lane & 1 == calls)[calls].all()  # the mask has the lane itself
        assert not (found & ~np.uint32(together)).any()
        assert not found[~calls].any()
    assert out[:32].tolist() == [2**32 - 1] * 32


def test_more_blocks_than_there_is_room_for(run):
    numbers, out = np.arange(128 * 100, dtype=np.int32), np.zeros(100, np.int64)
    run("sums", 100, 128, numbers, out, shared=128 * 8)
    np.testing.assert_array_equal(out, numbers.reshape(100, 128).sum(1))


def test_blocks_that_wait_for_each_other(run):
    arrived, seen = np.zeros(1, np.uint32), np.zeros(4, np.uint32)
    run("meet", 4, 64, arrived, seen)
    assert seen.tolist() == [4] * 4


def test_numbers(run):
    x = np.array([0.5, -2.25, 1e300, -0.0, 7e9, 123.0, -1e-310, 4.0])
    n = np.array([5, -5, 2**62, -(2**63), 1, 0, 1 << 40, -1], np.int64)
    y, m = np.zeros(8), np.zeros(8, np.int64)
    run("numbers", 1, 8, x, n, y, m)
    with np.errstate(all="ignore"):
        wanted = (np.sqrt(np.abs(x)) * 3 + np.minimum(x, 1)) / (2 + np.floor(x))
    np.testing.assert_allclose(y, wanted, rtol=1e-15)
    for a, b, found in zip(n.tolist(), x.tolist(), m.tolist(), strict=True):
        quotient = abs(a) // 7 * (1 if a >= 0 else -1)
        high = a * 0x123456789ABCDEF >> 64
        leading = 64 - (a % 2**64).bit_length()
        lowest = (a & -a).bit_length() if a else 0
        whole = max(min(int(b), 2**63 - 1), -(2**63))
        assert found == quotient ^ (a - 7 * quotient) ^ high ^ leading ^ lowest ^ whole


@pytest.mark.parametrize("a", [0, 5, 2**63 + 9, 2**64 - 1])
@pytest.mark.parametrize("c", [0, 6, 2**64 - 1, 2**128 - 1, 2**130 + 3])
def test_carries(run, a, c):
    b, words = 2**64 - 3, [c >> shift & 2**64 - 1 for shift in (0, 64, 128)]
    out = np.zeros(6, np.uint64)
    run("carries", 1, 1, np.array([a, b, *words], np.uint64), out)
    for value, found in ((a * b + c, out[:3]), (a - c, out[3:])):
        assert found.tolist() == [value >> shift & 2**64 - 1 for shift in (0, 64, 128)]


@pytest.mark.parametrize(
    ("kernel", "threads", "arguments", "message"),
    [
        ("writes_past", 64, (np.int32(1),), "a store of 4 bytes at .* 0 bytes behind the end of 128 allocated ones"),
        ("waits_for_nobody", 64, (), "(?s)no thread can go on.*waiting for lanes ffffffff"),
        ("never_ends", 64, (), "(?s)ran longer than it may.*running"),
    ],
)
def test_what_goes_wrong(run, monkeypatch, kernel, threads, arguments, message):
    from dataclasses import replace

    from tests.emulator import launch

    monkeypatch.setattr(launch, "SETTINGS", replace(launch.SETTINGS, seconds=0.2))
    with pytest.raises(launch.EmulationError, match=message):
        run(kernel, 1, threads, np.zeros(32, np.int32), *arguments)


def test_arguments_of_another_size(run):
    from tests.emulator.launch import EmulationError

    with pytest.raises(EmulationError, match="argument 1 has 4 bytes"):
        run("writes_past", 1, 32, np.zeros(32, np.int32), np.int64(1))
