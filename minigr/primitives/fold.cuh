// Reductions: within a warp, a block, and over the blocks' partial results, always in the same order.
#pragma once
#include "jit/warp.cuh"

namespace minigr {

struct Add {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};
struct Min {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; }
};
struct Max {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return b > a ? b : a; }
};
struct Or {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return a | b; }
};

// Over the first `count` lanes of each group of LANES, in their order; the result is that of a group's first lane.
template <int LANES = WARP, class T, class Op>
__device__ __forceinline__ T warp_reduce(T x, Op op, int count = LANES) {
#pragma unroll
  for (int o = 1; o < LANES; o <<= 1) {
    // A lane holds the reduction of the o lanes from it on; those of the next o lanes come in on the right.
    T y = __shfl_down_sync(ALL, x, o, LANES);
    if (lane_id() % LANES + o < count) x = op(x, y);
  }
  return x;
}

// The result is thread 0's.
template <class T, class Op>
__device__ T block_reduce(T x, Op op, T start) {
  __shared__ T parts[32];
  x = warp_reduce(x, op);
  if (lane_id() == 0) parts[threadIdx.x / WARP] = x;
  __syncthreads();
  int warps = blockDim.x / WARP;
  if (threadIdx.x < WARP) {
    x = lane_id() < warps ? parts[lane_id()] : start;
    x = warp_reduce(x, op);
  }
  __syncthreads();
  return x;
}

// The partial results of `blocks` blocks, and what there was before, into one number, by the threads of one block.
template <class T, class Op>
__device__ void fold_blocks(const T *partials, T *result, Op op, T identity, T before, int blocks) {
  T total = identity;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) total = op(total, load_fresh(partials + i));
  total = block_reduce(total, op, identity);
  if (threadIdx.x == 0) *(volatile T *)result = op(before, total);
}

}  // namespace minigr
