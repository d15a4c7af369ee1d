// The merge path of segments and items, which divides uneven work evenly. Merrill and Garland, Merge-based Parallel
// Sparse Matrix-Vector Multiplication (SC 2016), section 3.
//
// Segments and items are merged into one sequence: the items of a segment, then the end of the segment. Equal pieces of
// this sequence are equal work, for segments of any length and any number of empty segments. A place in the sequence is
// (segment, item). The end of segment s stands at offsets[s + 1] + s.
#pragma once
#include "jit/warp.cuh"

namespace minigr {

// All lanes of one warp call this. Returns how many of the segments below `high` end before place `place`; `low` of
// them are known to end before it.
template <class O>
__device__ i64 ends_before(const O *offsets, i64 low, i64 high, i64 place) {
  while (low < high) {
    // The lanes look at places that cut the range into 33 parts. Lanes whose place is before `place` come first.
    const i64 step = (high - low + WARP) / (WARP + 1), probe = low + step * (lane_id() + 1) - 1;
    const bool is_before = probe < high && (i64)offsets[probe + 1] + probe < place;
    const int count = __popc(__ballot_sync(ALL, is_before));
    const i64 base = low;
    low = base + step * count;
    if (count < WARP) high = min(high, base + step * (count + 1) - 1);
  }
  return low;
}

// A piece of the path that one block works on, with the data that the block keeps in shared memory.
template <int THREADS, int ITEMS>
struct MergeTile {
  static constexpr int SIZE = THREADS * ITEMS;
  i64 segment, item;  // where the tile begins
  i64 begin;                 // first item of that segment, which may lie in an earlier tile
  int segments, items;  // numbers of segment ends and of items in the tile
  int ends[SIZE + 1];        // where each segment ends, counted from `item`; the last one may lie past the tile
  unsigned short of[SIZE];   // which segment, counted from `segment`, each item belongs to

  __device__ __forceinline__ i64 seg(int k) const { return segment + of[k]; }
  __device__ __forceinline__ i64 rank(int k) const { return of[k] ? k - ends[of[k] - 1] : item + k - begin; }

  // Returns the segment in which the calling thread's part of the tile begins. The first item is the place minus the
  // segment.
  __device__ int first_segment(int place) const {
    int low = 0, high = segments;
    while (low < high) {
      int middle = (low + high) / 2;
      if (ends[middle] + middle < place)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  // All threads of the block call this. Fills the tile, which ends before (last_segment, last_item).
  template <class O>
  __device__ void fill(const O *offsets, i64 all_segments, i64 last_segment, i64 last_item) {
    if (threadIdx.x == 0) {
      segments = (int)(last_segment - segment);
      items = (int)(last_item - item);
      begin = (i64)offsets[segment];
    }
    __syncthreads();
    for (int s = threadIdx.x; s <= segments; s += THREADS)
      ends[s] = segment + s < all_segments ? (int)min((i64)offsets[segment + s + 1] - item, (i64)SIZE + 1) : SIZE + 1;
    __syncthreads();
    const int first = min((int)threadIdx.x * ITEMS, segments + items), last = min(first + ITEMS, segments + items);
    int s = first_segment(first);
    for (int k = first - s; k + s < last;) {
      if (k < ends[s])
        of[k++] = (unsigned short)s;
      else
        s++;
    }
    __syncthreads();
  }
};

// Calls work(tile) with all threads of the block for the tiles of this block. These tiles are consecutive, and are the
// same for every grid of the same size. Reads offsets[0 .. segments].
template <int THREADS, int ITEMS, class O, class Work>
__device__ void for_merge_tiles(i64 segments, const O *offsets, Work work) {
  constexpr int SIZE = THREADS * ITEMS;
  __shared__ MergeTile<THREADS, ITEMS> tile;
  __shared__ i64 next_segment;
  const i64 places = segments == 0 ? 0 : segments + (i64)offsets[segments];
  const i64 tiles = (places + SIZE - 1) / SIZE;
  const i64 first = tiles * blockIdx.x / gridDim.x, last = tiles * (blockIdx.x + 1) / gridDim.x;
  if (first == last) return;
  i64 segment = 0;
  for (i64 t = first - 1; t < last; t++) {  // the first round only finds where the block begins
    const i64 end = min((t + 1) * SIZE, places);
    if (threadIdx.x < WARP) {
      const i64 high = t < first ? segments : min(segments, segment + SIZE);
      const i64 found = ends_before(offsets, segment, high, end);
      if (threadIdx.x == 0) {
        next_segment = found;
        tile.segment = segment;
        tile.item = t * SIZE - segment;
      }
    }
    __syncthreads();
    const i64 last_segment = next_segment;
    if (t >= first) {
      tile.fill(offsets, segments, last_segment, end - last_segment);
      work(tile);
    }
    segment = last_segment;
    __syncthreads();
  }
}

}  // namespace minigr
