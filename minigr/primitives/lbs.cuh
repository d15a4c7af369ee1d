// lbs, the load-balanced search: for each work item its segment and its rank there.
#pragma once
#include "primitives/merge_path.cuh"
#include "primitives/prefix.cuh"

namespace minigr {

// All threads of the grid together: calls visit(idx, seg, rank) for each item of the segments.
template <int THREADS, int ITEMS, class O, class Visit>
__device__ void lbs(i64 segments, const O *offsets, Visit visit) {
  for_merge_tiles<THREADS, ITEMS>(segments, offsets, [&](const MergeTile<THREADS, ITEMS> &tile) {
    for (int k = threadIdx.x; k < tile.items; k += THREADS) visit(tile.item + k, tile.seg(k), tile.rank(k));
  });
}

// All lanes of a warp together, each with a segment: the lane whose segment holds item k. `before` is the exclusive sum of
// the segments' lengths. Empty segments share their sum with the next one, so the last lane with a sum of at most k owns k.
__device__ __forceinline__ int warp_owner(i32 before, i32 k) {
  int found = 0;
#pragma unroll
  for (int step = WARP / 2; step; step >>= 1) {
    i32 candidate = __shfl_sync(ALL, before, found + step);
    if (candidate <= k) found += step;
  }
  return found;
}

// The same for every item: calls visit(has, k, owner) with all lanes together, `total` items in all. A lane without an item
// is named an owner, too.
template <class Visit>
__device__ __forceinline__ void warp_lbs(i32 before, i32 total, Visit visit) {
  for (i32 first = 0; first < total; first += WARP) {
    const i32 k = first + lane_id();
    visit(k < total, k, warp_owner(before, k));
  }
}

}  // namespace minigr
