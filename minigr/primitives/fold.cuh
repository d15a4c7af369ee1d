// Reductions within a warp, within a block, and over the partial results of blocks, always in the same order.
#pragma once
#include "jit/warp.cuh"

namespace minigr {

struct Add {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};
// NaN is ignored in either argument, because a lane may begin with NaN.
struct Min {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; }
  __device__ __forceinline__ float operator()(float a, float b) const { return fminf(a, b); }
  __device__ __forceinline__ double operator()(double a, double b) const { return fmin(a, b); }
};
struct Max {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return b > a ? b : a; }
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
  __device__ __forceinline__ double operator()(double a, double b) const { return fmax(a, b); }
};
struct Or {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return a | b; }
};

// Returns the one of two pairs (value, id) that has the least value, or the greatest. NaN comes last. For equal values,
// the pair with the lesser id is returned, and ids below zero come last. So every order of the pairs has the same
// result.
template <bool GREATEST>
struct ArgBest {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return goes_before(b, a) ? b : a; }

 private:
  template <class T>
  static __device__ __forceinline__ bool goes_before(const T &x, const T &y) {
    if (GREATEST ? x.x0 > y.x0 : x.x0 < y.x0) return true;
    if (GREATEST ? y.x0 > x.x0 : y.x0 < x.x0) return false;
    const bool is_nan = x.x0 != x.x0, other_is = y.x0 != y.x0;
    if (is_nan != other_is) return other_is;
    return (x.x1 < 0) != (y.x1 < 0) ? y.x1 < 0 : x.x1 < y.x1;
  }
};
typedef ArgBest<false> ArgMin;
typedef ArgBest<true> ArgMax;

// Reduces over the first `count` lanes of each group of LANES, in the order of lanes. The first lane of the group gets
// the result.
template <int LANES = WARP, class T, class Op>
__device__ __forceinline__ T warp_reduce(T x, Op op, int count = LANES) {
#pragma unroll
  for (int o = 1; o < LANES; o <<= 1) {
    // A lane holds the reduction of o lanes, from itself on. The reduction of the next o lanes is the right operand.
    T y = shuffle_down<LANES>(x, o);
    if (lane_id() % LANES + o < count) x = op(x, y);
  }
  return x;
}

// Reduces over the lanes with a value in each group of LANES, in the order of lanes. The first lane of the group gets
// the result in x, and returns whether there is a result.
template <int LANES = WARP, class T, class Op>
__device__ __forceinline__ bool warp_reduce_some(bool any, T &x, Op op) {
#pragma unroll
  for (int o = 1; o < LANES; o <<= 1) {
    const T y = shuffle_down<LANES>(x, o);
    const bool other = __shfl_down_sync(ALL, (int)any, o, LANES) && lane_id() % LANES + o < LANES;
    if (other) x = any ? op(x, y) : y;
    any |= other;
  }
  return any;
}

// All lanes of a warp call this together. Reduces piece(0) to piece(n - 1), as far as they exist, in their order. Lane
// 0 gets the result.
template <class T, class Piece, class Has, class Op>
__device__ __forceinline__ bool warp_reduce_pieces(i64 n, Piece piece, Has has, T &x, Op op) {
  const i64 share = (n + WARP - 1) / WARP, low = share * lane_id(), high = min(n, low + share);
  bool any = false;
  for (i64 i = low; i < high; i++) {
    if (!has(i)) continue;
    x = any ? op(x, piece(i)) : piece(i);
    any = true;
  }
  return warp_reduce_some(any, x, op);
}

// Reduces over the threads of a block. Thread 0 gets the result.
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

// The threads of one block reduce the partial results of `blocks` blocks, and the result `before`, to one number. The
// number is stored in `result` and also, unless it is null, in `also`.
template <class T, class Op>
__device__ void fold_blocks(const T *partials, T *result, Op op, T identity, T before, int blocks, T *also) {
  T total = identity;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) total = op(total, load_fresh(partials + i));
  total = block_reduce(total, op, identity);
  if (threadIdx.x > 0) return;
  total = op(before, total);
  *(volatile T *)result = total;
  if (also) *(volatile T *)also = total;
}

}  // namespace minigr
