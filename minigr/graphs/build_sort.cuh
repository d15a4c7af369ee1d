// Rows in order: each by its columns, and where positions stand beside these, equal columns by their positions.
//
// Rows of up to FEW entries are sorted in registers by as many lanes each, those of up to WARP_ROW in shared memory by a
// warp, those of up to BLOCK_ROW by a block. Longer ones are few; a block sorts each by digits, the last one first, with
// as much memory again as the row takes.
#pragma once
#include "graphs/build.cuh"

namespace minigr {

constexpr int WARPS = THREADS / WARP;
constexpr int WARP_ROW = 256;
constexpr int SHARED = 32 << 10;  // bytes of a block's row

// Entries of a block's row in shared memory.
template <class Position>
constexpr int BLOCK_ROW = SHARED / sizeof(Entry<Position>);

// Rows that another kernel is to sort: those of blocks from the front of `list`, those by digits from its end.
struct Longer {
  i32 *list;
  i64 capacity;
  u64 *counts;  // of the one and of the other

  __device__ __forceinline__ void note(i64 row, bool by_digits) const {
    const i64 at = (i64)atomicAdd(counts + by_digits, 1ull);
    list[by_digits ? capacity - 1 - at : at] = (i32)row;
  }
};

// Sorts rows of up to WARP_ROW entries, and notes the others. A warp has 32 rows at a time.
template <class Position>
__device__ void sort_short_rows(i64 rows, const i64 *offsets, i32 *columns, Position *positions, Longer longer) {
  using Item = Entry<Position>;
  __shared__ Item shared[WARPS][WARP_ROW];
  const int warp = threadIdx.x / WARP, group = lane_id() / FEW;
  const i64 warps = (i64)gridDim.x * WARPS;
  for (i64 base = ((i64)blockIdx.x * WARPS + warp) * WARP; base < rows; base += warps * WARP) {
    const i64 own = base + lane_id();
    const i64 begin = own < rows ? offsets[own] : 0, length = own < rows ? offsets[own + 1] - begin : 0;
    if (length > WARP_ROW) longer.note(own, length > BLOCK_ROW<Position>);
    if (__any_sync(ALL, length > 1 && length <= FEW)) {
      for (int first = 0; first < WARP; first += WARP / FEW) {
        const i64 at = __shfl_sync(ALL, begin, first + group) + lane_id() % FEW;
        const i64 its_length = __shfl_sync(ALL, length, first + group);
        const bool has = its_length <= FEW && lane_id() % FEW < its_length;
        const Item sorted = sort_lanes(has ? Item::at(columns, positions, at) : Item::greatest());
        if (has) sorted.put(columns, positions, at);
      }
    }
    for (u32 left = __ballot_sync(ALL, length > FEW && length <= WARP_ROW); left; left &= left - 1) {
      const int lane = __ffs(left) - 1;
      const i64 at = __shfl_sync(ALL, begin, lane);
      const int count = (int)__shfl_sync(ALL, length, lane);
      for (int i = lane_id(); i < count; i += WARP) shared[warp][i] = Item::at(columns, positions, at + i);
      sort_shared(shared[warp], count, lane_id(), WARP, [] { __syncwarp(); });
      for (int i = lane_id(); i < count; i += WARP) shared[warp][i].put(columns, positions, at + i);
      __syncwarp();
    }
  }
}

// Sorts the rows that were noted for blocks.
template <class Position>
__device__ void sort_long_rows(const i64 *offsets, i32 *columns, Position *positions, Longer longer) {
  using Item = Entry<Position>;
  __shared__ Item shared[BLOCK_ROW<Position>];
  const i64 count = (i64)longer.counts[0];
  for (i64 k = blockIdx.x; k < count; k += gridDim.x) {
    const i64 begin = offsets[longer.list[k]];
    const int length = (int)(offsets[longer.list[k] + 1] - begin);
    for (int i = threadIdx.x; i < length; i += THREADS) shared[i] = Item::at(columns, positions, begin + i);
    sort_shared(shared, length, threadIdx.x, THREADS, [] { __syncthreads(); });
    for (int i = threadIdx.x; i < length; i += THREADS) shared[i].put(columns, positions, begin + i);
    __syncthreads();
  }
}

// Sorts `rows` by digits; `room` says where in the spare arrays there is room for each, and bits are those that columns
// and positions have.
template <class Position>
__device__ void sort_by_digits(i64 number, const i32 *rows, const i64 *room, const i64 *offsets, i32 *columns,
                               Position *positions, i32 *spare_columns, Position *spare_positions, int column_bits,
                               int position_bits) {
  for (i64 k = blockIdx.x; k < number; k += gridDim.x) {
    const i64 begin = offsets[rows[k]], count = offsets[rows[k] + 1] - begin;
    i32 *from = columns + begin, *to = spare_columns + room[k];
    Position *its = positions, *theirs = spare_positions;
    if constexpr (IS_KEPT<Position>) its += begin, theirs += room[k];
    auto move = [&](auto digit_of) {
      if (!move_by_digit(count, from, its, to, theirs, digit_of)) return;
      i32 *const columns_there = to;
      Position *const positions_there = theirs;
      to = from, theirs = its, from = columns_there, its = positions_there;
    };
    if constexpr (IS_KEPT<Position>) {
      for (int shift = 0; shift < position_bits; shift += 8)
        move([=](const Entry<Position> &entry) { return (int)((u64)entry.position >> shift & 255); });
    }
    for (int shift = 0; shift < column_bits; shift += 8)
      move([=](const Entry<Position> &entry) { return entry.column >> shift & 255; });
    if (from == columns + begin) continue;
    for (i64 i = threadIdx.x; i < count; i += DIGIT_THREADS) Entry<Position>::at(from, its, i).put(to, theirs, i);
  }
}

}  // namespace minigr

#define LONGER i32 *list, i64 capacity, u64 *noted
#define SORT(ending, Position)                                                                                        \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                               \
      sort_short##ending(i64 rows, const i64 *offsets, i32 *columns, Position *positions, LONGER) {                   \
    sort_short_rows(rows, offsets, columns, positions, Longer{list, capacity, noted});                                \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                               \
      sort_long##ending(const i64 *offsets, i32 *columns, Position *positions, LONGER) {                              \
    sort_long_rows(offsets, columns, positions, Longer{list, capacity, noted});                                       \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(DIGIT_THREADS) sort_digits##ending(                                    \
      i64 number, const i32 *which, const i64 *room, const i64 *offsets, i32 *columns, Position *positions,           \
      i32 *spare_columns, Position *spare_positions, int column_bits, int position_bits) {                            \
    sort_by_digits(number, which, room, offsets, columns, positions, spare_columns, spare_positions, column_bits,     \
                   position_bits);                                                                                    \
  }
SORT(, Nothing)
SORT(_32, u32)
SORT(_64, i64)
