// scan, lbs and compact by one warp, and scan by one block; fold.cuh has the reductions. All lanes of the warp, or all
// threads of the block, call these functions together.
#pragma once
#include "primitives/fold.cuh"

namespace minigr {

// scan: returns the reduction over this lane and the lanes below it. No identity is needed.
template <class T, class Op = Add>
__device__ __forceinline__ T warp_prefix(T x, Op op = Op()) {
#pragma unroll
  for (int o = 1; o < WARP; o <<= 1) {
    T y = __shfl_up_sync(ALL, x, o);
    if (lane_id() >= o) x = op(y, x);
  }
  return x;
}

// Returns the sum over the threads of the block before this one. `all` becomes the sum over the block.
template <class T>
__device__ T block_sum_before(T x, T &all) {
  __shared__ T sums[WARP];  // one for each warp that a block may have
  const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
  const T up_to = warp_prefix(x);
  if (lane_id() == WARP - 1) sums[warp] = up_to;
  __syncthreads();
  const T of_warps = warp_prefix(lane_id() < warps ? sums[lane_id()] : T(0));
  all = __shfl_sync(ALL, of_warps, WARP - 1);
  const T before = __shfl_sync(ALL, of_warps, max(warp - 1, 0));
  __syncthreads();
  return up_to - x + (warp > 0 ? before : T(0));
}

// lbs, where each lane has a segment: returns the lane whose segment holds item k. `before` is the exclusive sum of the
// segments' lengths. An empty segment has the same sum as the next segment, so the last lane with a sum of at most k
// owns item k.
__device__ __forceinline__ int warp_owner(i32 before, i32 k) {
  int found = 0;
#pragma unroll
  for (int step = WARP / 2; step; step >>= 1) {
    i32 candidate = __shfl_sync(ALL, before, found + step);
    if (candidate <= k) found += step;
  }
  return found;
}

// Like warp_owner, for every item: calls visit(has, k, owner) for `total` items. A lane without an item gets an owner
// too.
template <class Visit>
__device__ __forceinline__ void warp_lbs(i32 before, i32 total, Visit visit) {
  for (i32 first = 0; first < total; first += WARP) {
    const i32 k = first + lane_id();
    visit(k < total, k, warp_owner(before, k));
  }
}

// compact: which lanes keep an item.
struct Kept {
  u32 lanes;

  __device__ __forceinline__ explicit Kept(bool keep) : lanes(__ballot_sync(ALL, keep)) {}
  __device__ __forceinline__ bool any() const { return lanes != 0; }
  __device__ __forceinline__ i32 count() const { return __popc(lanes); }
  // position of this lane's item among the items that are kept
  __device__ __forceinline__ i32 place() const { return __popc(lanes & lanes_below()); }
};

// Returns the result of `claim`, which only lane 0 calls, and which reserves room for the items of all lanes with one
// addition. If each item had an addition of its own, all warps would collide at the counter much more often.
template <class Claim>
__device__ __forceinline__ i64 warp_room(Claim claim) {
  const i64 base = lane_id() == 0 ? claim() : 0;
  return __shfl_sync(ALL, base, 0);
}

// Reserves places in a list for the lanes that have an item, and returns the place of this lane's item. `length` counts
// the items of the list.
__device__ __forceinline__ i64 warp_append(bool has, u64 *length) {
  const Kept kept(has);
  if (!kept.any()) return 0;
  return warp_room([&] { return (i64)atomicAdd(length, (u64)kept.count()); }) + kept.place();
}

}  // namespace minigr
