// scan, lbs and compact by one warp, and scan by one block; fold.cuh has the reductions. All lanes of the warp, or all
// threads of the block, call them together.
#pragma once
#include "primitives/fold.cuh"

namespace minigr {

// scan: over this lane and those below it; no identity is needed.
template <class T, class Op = Add>
__device__ __forceinline__ T warp_prefix(T x, Op op = Op()) {
#pragma unroll
  for (int o = 1; o < WARP; o <<= 1) {
    T y = __shfl_up_sync(ALL, x, o);
    if (lane_id() >= o) x = op(y, x);
  }
  return x;
}

// The sum over the threads of the block before this one; `all` becomes the sum over the block.
template <class T>
__device__ T block_sum_before(T x, T &all) {
  __shared__ T sums[WARP];  // as many warps as a block may have
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

// lbs, where each lane has a segment: the lane whose segment holds item k. `before` is the exclusive sum of the segments'
// lengths. Empty segments share their sum with the next one, so the last lane with a sum of at most k owns item k.
__device__ __forceinline__ int warp_owner(i32 before, i32 k) {
  int found = 0;
#pragma unroll
  for (int step = WARP / 2; step; step >>= 1) {
    i32 candidate = __shfl_sync(ALL, before, found + step);
    if (candidate <= k) found += step;
  }
  return found;
}

// The same for every item: calls visit(has, k, owner), `total` items in all. A lane without an item
// is named an owner, too.
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
  __device__ __forceinline__ i32 place() const { return __popc(lanes & lanes_below()); }  // of this lane's item among them
};

// What `claim` returns to lane 0, which makes room for the items of all lanes with one
// addition. Every warp would meet every other one at the counter if each item had an addition of its own.
template <class Claim>
__device__ __forceinline__ i64 warp_room(Claim claim) {
  const i64 base = lane_id() == 0 ? claim() : 0;
  return __shfl_sync(ALL, base, 0);
}

// Where the items of those lanes that have one go in a list, which `length` counts.
__device__ __forceinline__ i64 warp_append(bool has, u64 *length) {
  const Kept kept(has);
  if (!kept.any()) return 0;
  return warp_room([&] { return (i64)atomicAdd(length, (u64)kept.count()); }) + kept.place();
}

}  // namespace minigr
