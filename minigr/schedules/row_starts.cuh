// Where each row of a frontier would begin if the rows stood one after the other: the exclusive scan of their lengths,
// with the sum of all lengths at its end. For all vertices, the offsets of CSR are these starts. Otherwise the lengths
// are scanned, in two phases.
#pragma once
#include "jit/grid.cuh"
#include "primitives/collectives.cuh"

namespace minigr {

// The scan, by chunks: each block scans the chunks that it takes. After a barrier, the sums of the chunks before it are
// added to every chunk. CHUNKS is the maximum number of chunks, and the length of `sums`. Chunks don't depend on the
// team, because another team may run after the barrier. The length of a row is counted in units of UNIT positions.
template <int CHUNKS>
struct RowStarts {
  const Grid &grid;
  i64 *starts;  // length + 1
  i64 *sums;

  // All threads of the grid call this.
  template <class Rows, class Vertices>
  __device__ void scan(const Rows &rows, const Vertices &vertices) const {
    const i64 size = this->size(vertices.length);
    for (i64 chunk = blockIdx.x; chunk * size < vertices.length; chunk += gridDim.x) {
      const i64 begin = chunk * size, end = min(begin + size, vertices.length);
      i64 before = 0;
      for (i64 base = begin; base < end; base += blockDim.x * ITEMS) {
        const i64 first = base + threadIdx.x * ITEMS;
        i64 lengths[ITEMS], mine = 0, all;
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
          lengths[j] = first + j < end ? units<Rows>(rows.row(vertices.vertex(first + j)).length()) : 0;
          mine += lengths[j];
        }
        i64 start = before + block_sum_before(mine, all);
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
          if (first + j < end) starts[first + j] = start;
          start += lengths[j];
        }
        before += all;
      }
      if (threadIdx.x == 0) sums[chunk] = before;
    }
  }

  // All threads of the grid call this after a barrier. Also reports the amount of work as a number of slices of hubs,
  // because few vertices may have many edges. The team of the next phase is chosen by this number.
  template <class Rows>
  __device__ void join(i64 length) const {
    const i64 size = this->size(length);
    for (i64 chunk = blockIdx.x; chunk * size < length; chunk += gridDim.x) {
      const i64 begin = chunk * size, end = min(begin + size, length);
      i64 mine = 0, before;
      for (i64 i = threadIdx.x; i < chunk; i += blockDim.x) mine += load_fresh(sums + i);
      block_sum_before(mine, before);
      if (chunk > 0)
        for (i64 i = begin + threadIdx.x; i < end; i += blockDim.x) starts[i] = load_fresh(starts + i) + before;
      if (end == length && threadIdx.x == 0) {
        const i64 all = before + load_fresh(sums + chunk);
        starts[length] = all;
        grid.add(WORD_HUBS, all * Rows::UNIT / SLICE);
      }
    }
  }

 private:
  static constexpr int ITEMS = 4;  // items that a thread takes at a time
  static constexpr i64 LEAST = 2048;  // a block takes at least so many items

  __device__ __forceinline__ static i64 size(i64 length) { return max((length + CHUNKS - 1) / CHUNKS, LEAST); }

  template <class Rows>
  __device__ __forceinline__ static i64 units(i64 positions) {
    return (positions + Rows::UNIT - 1) / Rows::UNIT;
  }
};

}  // namespace minigr
