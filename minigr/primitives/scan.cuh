// scan: prefix reductions of a sequence, in one pass. All threads of the grid call it together.
#pragma once
#include "primitives/look_back.cuh"
#include "primitives/collectives.cuh"

namespace minigr {

// Where each item of a tile stands in shared memory. One place is skipped after each 32, so that threads that each read
// consecutive items have no bank conflicts.
__device__ __forceinline__ int padded(int item) { return item + item / WARP; }

// Stores the prefix before each of `count` items and, if TOTAL, the prefix before the end. INCLUSIVE: a prefix includes
// its item. Reads each value once, before the item is written, so `out` may be the array that `value` reads. The
// workspace needs a tile for each THREADS * ITEMS items.
template <int THREADS, int ITEMS, bool INCLUSIVE, bool TOTAL, class Value, class Op, class T>
__device__ void scan(i64 count, Value value, Op op, T initial, LookBack<T> back, T *out) {
  constexpr int TILE = THREADS * ITEMS, WARPS = THREADS / WARP;
  __shared__ T items[TILE + TILE / WARP];
  __shared__ T warps[WARPS];
  __shared__ T tile_prefix;
  const i64 outputs = count + TOTAL;
  const i64 tiles = (outputs + TILE - 1) / TILE;
  const int thread = threadIdx.x, warp = thread / WARP;
  back.begin();
  for (i64 tile = back.next(tiles); tile < tiles; tile = back.next(tiles)) {
    const i64 base = tile * TILE;

    // Consecutive threads load consecutive items. Past the end, they load some value, which reaches no output.
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const int item = k * THREADS + thread;
      items[padded(item)] = base + item < count ? (T)value(base + item) : initial;
    }
    __syncthreads();

    // Then each thread takes consecutive items.
    T mine[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) mine[k] = items[padded(thread * ITEMS + k)];
    T sum = mine[0];
#pragma unroll
    for (int k = 1; k < ITEMS; k++) sum = op(sum, mine[k]);

    // Before this thread come the earlier tiles, the earlier warps and the earlier lanes.
    sum = warp_prefix(sum, op);
    if (lane_id() == WARP - 1) warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
      T x = warp_prefix(warps[min(lane_id(), WARPS - 1)], op);
      const T aggregate = __shfl_sync(ALL, x, WARPS - 1);
      __syncwarp();  // every lane has read `warps`
      if (lane_id() < WARPS) warps[lane_id()] = x;
      x = back.before(tile, aggregate, initial, op);
      if (lane_id() == 0) tile_prefix = x;
    }
    __syncthreads();
    T running = tile_prefix;
    if (warp > 0) running = op(running, warps[warp - 1]);
    sum = __shfl_up_sync(ALL, sum, 1);
    if (lane_id() > 0) running = op(running, sum);

#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const T before = running;
      running = op(running, mine[k]);
      items[padded(thread * ITEMS + k)] = INCLUSIVE ? running : before;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const int item = k * THREADS + thread;
      if (base + item < outputs) out[base + item] = items[padded(item)];
    }
  }
}

}  // namespace minigr
