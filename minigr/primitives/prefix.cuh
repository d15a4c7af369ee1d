// Prefix reductions over the lanes of a warp and the threads of a block.
#pragma once
#include "primitives/fold.cuh"

namespace minigr {

// Over this lane and those below it; no identity is needed.
template <class T, class Op = Add>
__device__ __forceinline__ T warp_prefix(T x, Op op = Op()) {
#pragma unroll
  for (int o = 1; o < WARP; o <<= 1) {
    T y = __shfl_up_sync(ALL, x, o);
    if (lane_id() >= o) x = op(y, x);
  }
  return x;
}

// All threads of a block of at most MAX_WARPS_ warps: the sum over the threads before this one; `all` becomes the sum over
// the block.
template <int MAX_WARPS_, class T>
__device__ T block_sum_before(T x, T &all) {
  __shared__ T sums[MAX_WARPS_];
  const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
  T before = warp_prefix(x) - x;
  if (lane_id() == WARP - 1) sums[warp] = before + x;
  __syncthreads();
  all = 0;
  for (int w = 0; w < warps; w++) {
    if (w == warp) before += all;
    all += sums[w];
  }
  __syncthreads();
  return before;
}

}  // namespace minigr
