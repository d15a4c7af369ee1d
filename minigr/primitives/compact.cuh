// compact: keeps the items for which a predicate holds, in their order, in one pass. All threads of the grid call it
// together.
#pragma once
#include "primitives/look_back.cuh"
#include "primitives/collectives.cuh"

namespace minigr {

// Puts item(i) at its place for each i for which holds(i), as long as there is room, and stores the number of these i
// in `kept`. The workspace needs a tile for each THREADS * ITEMS items.
template <int THREADS, int ITEMS, class Holds, class Item, class Out>
__device__ void compact(i64 count, Holds holds, Item item, LookBack<i64> back, Out *out, i64 capacity, i64 *kept) {
  constexpr int TILE = THREADS * ITEMS, WARPS = THREADS / WARP;
  __shared__ i64 warps[WARPS];
  __shared__ i64 tile_prefix;
  const i64 tiles = (count + TILE - 1) / TILE;
  const int warp = threadIdx.x / WARP;
  back.begin();
  for (i64 tile = back.next(tiles); tile < tiles; tile = back.next(tiles)) {
    // The items of a warp are consecutive. So the order of warps, and of lanes in a warp, is the order of items.
    const i64 base = tile * TILE + warp * (ITEMS * WARP) + lane_id();
    u32 found[ITEMS];
    int sum = 0;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const i64 i = base + k * WARP;
      found[k] = __ballot_sync(ALL, i < count && holds(i));
      sum += __popc(found[k]);
    }
    if (lane_id() == 0) warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
      i64 x = warp_prefix(lane_id() < WARPS ? warps[lane_id()] : 0, Add());
      const i64 aggregate = __shfl_sync(ALL, x, WARP - 1);
      if (lane_id() < WARPS) warps[lane_id()] = x;
      x = back.before(tile, aggregate, (i64)0, Add());
      if (lane_id() == 0) {
        tile_prefix = x;
        if (tile == tiles - 1) *kept = x + aggregate;
      }
    }
    __syncthreads();
    i64 at = tile_prefix + (warp > 0 ? warps[warp - 1] : 0);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const i64 mine = at + __popc(found[k] & lanes_below());
      if ((found[k] >> lane_id() & 1) && mine < capacity) out[mine] = (Out)item(base + k * WARP);
      at += __popc(found[k]);
    }
  }
  if (tiles == 0 && blockIdx.x == 0 && threadIdx.x == 0) *kept = 0;
}

}  // namespace minigr
