// merge: equal shares of all the edges of a frontier, by the merge path of its rows and their edges.
//
// `starts` says where each row would begin if the rows of the frontier stood one after the other: the exclusive scan of
// their degrees, with the number of edges at its end. The graph's own offsets say it of all vertices; for a list they are
// scanned first, in two phases. Then every warp finds where its shares begin, however long rows are and however many are
// empty, so there are no hubs to put off.
#pragma once
#include "graphs/csr.cuh"
#include "primitives/merge_path.cuh"

namespace minigr {

// The scan of a list's degrees, by chunks: each block scans those that it takes, and after a barrier every chunk is
// raised by the sums of the chunks before it. CHUNKS is the most there are, and the length of `sums`; chunks don't depend
// on the team, which may be another one after the barrier.
template <int CHUNKS>
struct RowStarts {
  const Grid &grid;
  i64 *starts;  // length + 1
  i64 *sums;
  i64 length;

  // All threads of the grid; degree(i) is that of the list's item i.
  template <class Degree>
  __device__ void scan(Degree degree) const {
    for (i64 chunk = blockIdx.x; chunk * size() < length; chunk += gridDim.x) {
      const i64 begin = chunk * size(), end = min(begin + size(), length);
      i64 before = 0;
      for (i64 base = begin; base < end; base += blockDim.x * ITEMS) {
        const i64 first = base + threadIdx.x * ITEMS;
        i64 degrees[ITEMS], mine = 0, all;
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
          degrees[j] = first + j < end ? degree(first + j) : 0;
          mine += degrees[j];
        }
        i64 start = before + block_scan(mine, all);
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
          if (first + j < end) starts[first + j] = start;
          start += degrees[j];
        }
        before += all;
      }
      if (threadIdx.x == 0) sums[chunk] = before;
    }
  }

  // All threads of the grid, after a barrier. Says how much there is to do in slices of hubs, by which the team of the
  // next phase is chosen: few vertices may have many edges.
  __device__ void join() const {
    for (i64 chunk = blockIdx.x; chunk * size() < length; chunk += gridDim.x) {
      const i64 begin = chunk * size(), end = min(begin + size(), length);
      i64 mine = 0, before;
      for (i64 i = threadIdx.x; i < chunk; i += blockDim.x) mine += load_fresh(sums + i);
      block_scan(mine, before);
      if (chunk > 0)
        for (i64 i = begin + threadIdx.x; i < end; i += blockDim.x) starts[i] = load_fresh(starts + i) + before;
      if (end == length && threadIdx.x == 0) {
        const i64 edges = before + load_fresh(sums + chunk);
        starts[length] = edges;
        grid.add(WORD_HUBS, edges / SLICE);
      }
    }
  }

 private:
  static constexpr int ITEMS = 4;      // of a thread at a time
  static constexpr i64 LEAST = 2048;   // items worth a block

  __device__ __forceinline__ i64 size() const { return max((length + CHUNKS - 1) / CHUNKS, LEAST); }

  // All threads of the block: the sum over the threads before this one, and over all.
  __device__ static i64 block_scan(i64 x, i64 &all) {
    __shared__ i64 sums[MAX_WARPS];
    const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    i64 before = warp_scan(x) - x;
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
};

// A piece of the path: from edge `item`, of row `segment` or at its end, up to but not including (last_segment,
// last_item). The rows from `segment` to before `last_segment` end in it.
struct Share {
  i64 number;
  i64 segment, item;
  i64 last_segment, last_item;
};

// How the path over `segments` rows is cut into shares of equal size: at most `most`, of at least `least` places.
struct Shares {
  i64 places, size, count;

  __device__ Shares(const i64 *starts, i64 segments, i64 most, i64 least) {
    places = segments == 0 ? 0 : segments + starts[segments];
    size = max((places + most - 1) / most, least);
    count = (places + size - 1) / size;
  }
};

// Calls work(share) with all lanes of a warp for the shares that belong to this warp: consecutive ones.
template <class Work>
__device__ void for_shares(const Grid &grid, const i64 *starts, i64 segments, const Shares &shares, Work work) {
  const i64 first = shares.count * grid.warp() / grid.warps(), last = shares.count * (grid.warp() + 1) / grid.warps();
  if (first == last) return;
  i64 segment = ends_before(starts, 0, segments, first * shares.size);
  for (i64 number = first; number < last; number++) {
    const i64 end = min((number + 1) * shares.size, shares.places);
    const i64 next = ends_before(starts, segment, min(segments, segment + shares.size), end);
    work(Share{number, segment, number * shares.size - segment, next, end - next});
    segment = next;
  }
}

}  // namespace minigr
