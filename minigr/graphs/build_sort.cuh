// Sorting rows: each row by its columns, and equal columns by their positions if there are positions.
//
// FEW lanes sort a row of up to FEW entries in registers. A warp sorts a row of up to WARP_ROW entries, and a block one of
// up to BLOCK_ROW entries, both in shared memory. Longer rows are sorted by digits, beginning with the last digit. This
// needs as much additional memory as the rows take. Longer rows are cut into slices that all blocks share, because a
// single row may have most of the entries.
#pragma once
#include "graphs/build.cuh"

namespace minigr {

constexpr int WARPS = THREADS / WARP;
constexpr int WARP_ROW = 256;
constexpr int SHARED = 32 << 10;  // bytes of the row of a block
constexpr int DIGIT_SLICE = 16 * DIGIT_THREADS;

// The number of entries of a row that a block sorts in shared memory.
template <class Position>
constexpr int BLOCK_ROW = SHARED / sizeof(Entry<Position>);

// Rows that another kernel must sort. `list` has rows for blocks from its front on, and rows to sort by digits from its end on.
struct Longer {
  i32 *list;
  i64 capacity;
  u64 *counts;  // how many rows for blocks, and how many to sort by digits

  __device__ __forceinline__ void note(i64 row, bool by_digits) const {
    const i64 at = (i64)atomicAdd(counts + by_digits, 1ull);
    list[by_digits ? capacity - 1 - at : at] = (i32)row;
  }
};

// Sorts rows of up to WARP_ROW entries, and notes the others. A warp takes 32 rows at a time.
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

// Rows that are sorted by digits. They begin at `offsets` in the arrays of all rows. In the spare arrays they are
// contiguous and begin at `room`. `slices` has, for each row, the number of slices of the rows before it, and at the end
// the number of all slices.
struct RowsByDigits {
  i64 number;
  const i32 *rows;
  const i64 *slices, *room, *offsets;

  // Calls visit(at, spare_at, further, size, first, stride) for each slice, with all threads of a block together. `at` and
  // `spare_at` say where the slice begins in the arrays of all rows and in the spare arrays. `further` is the difference
  // between these places for the row. `size` is the number of entries of the slice. `first` and `stride` say where its
  // counts of digits begin in the table, and how far apart they are.
  template <class Visit>
  __device__ void each_slice(Visit visit) const {
    const RowsAround all{slices, 0, number};
    for (i64 slice = blockIdx.x; slice < slices[number]; slice += gridDim.x) {
      const i64 k = all.row_of(slice), rank = slice - slices[k], within = rank * DIGIT_SLICE;
      const i64 begin = offsets[rows[k]], length = offsets[rows[k] + 1] - begin;
      visit(begin + within, room[k] + within, begin - room[k], min(length - within, (i64)DIGIT_SLICE),
            DIGITS * slices[k] + rank, slices[k + 1] - slices[k]);
    }
  }
};

// One pass over these rows: the digit of `bits` bits from bit `shift` on, of columns or of positions. `back`: the entries
// are in the spare arrays and return to the arrays of all rows. `table` has a count for each row, digit and slice, in this
// order. After a scan of the table, the element before a count says where the entries of this count go.
template <class Position>
struct DigitPass {
  RowsByDigits rows;
  i32 *columns, *spare_columns;
  Position *positions, *spare_positions;
  i64 *table;
  int shift, bits;
  bool of_positions, back;

  __device__ __forceinline__ int operator()(const Entry<Position> &entry) const {
    const int mask = (1 << bits) - 1;
    if constexpr (IS_KEPT<Position>)
      if (of_positions) return (int)((u64)entry.position >> shift) & mask;
    return entry.column >> shift & mask;
  }
  __device__ void count() const {
    rows.each_slice([&](i64 at, i64 spare_at, i64, i64 size, i64 first, i64 stride) {
      if (back)
        count_digits(size, spare_columns + spare_at, at_position(spare_positions, spare_at), *this, table + first, stride);
      else
        count_digits(size, columns + at, at_position(positions, at), *this, table + first, stride);
    });
  }
  __device__ void move() const {
    rows.each_slice([&](i64 at, i64 spare_at, i64 further, i64 size, i64 first, i64 stride) {
      const auto place = [&](int digit) {
        const i64 count = first + digit * stride;
        return (count ? table[count - 1] : 0) + (back ? further : 0);
      };
      if (back)
        move_by_digit(size, spare_columns + spare_at, at_position(spare_positions, spare_at), columns, positions, *this, place);
      else
        move_by_digit(size, columns + at, at_position(positions, at), spare_columns, spare_positions, *this, place);
    });
  }

 private:
  __device__ __forceinline__ static Position *at_position(Position *positions, i64 at) {
    if constexpr (IS_KEPT<Position>) return positions + at;
    return positions;
  }
};

}  // namespace minigr

#define DIGIT_PASS(Position)                                                                                          \
  i64 number, const i32 *rows, const i64 *slices, const i64 *room, const i64 *offsets, i32 *columns,                   \
      Position *positions, i32 *spare_columns, Position *spare_positions, i64 *table, int shift, int bits,             \
      int of_positions, int back
#define THE_PASS(Position)                                                                                            \
  (DigitPass<Position>{{number, rows, slices, room, offsets}, columns, spare_columns, positions, spare_positions, table, \
                       shift, bits, of_positions != 0, back != 0})
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
  extern "C" __global__ void __launch_bounds__(DIGIT_THREADS) count_digits##ending(DIGIT_PASS(Position)) {            \
    THE_PASS(Position).count();                                                                                       \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(DIGIT_THREADS) move_by_digit##ending(DIGIT_PASS(Position)) {           \
    THE_PASS(Position).move();                                                                                        \
  }
SORT(, Nothing)
SORT(_32, u32)
SORT(_64, i64)
