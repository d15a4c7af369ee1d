// sort: a group of lanes sorts in registers, a warp or a block sorts in shared memory (bitonic: Batcher, Sorting
// Networks and their Applications, AFIPS 1968), and the blocks of a grid sort in global memory, digit by digit.
#pragma once
#include "primitives/collectives.cuh"

namespace minigr {

constexpr int FEW = 8;  // number of lanes that sort together
constexpr int DIGITS = 256;  // values of a digit, in a pass over items in global memory
constexpr int DIGIT_THREADS = 512;

struct Nothing {};  // takes the place of a position where positions are not kept

template <class Position>
constexpr bool IS_KEPT = true;
template <>
constexpr bool IS_KEPT<Nothing> = false;

// An item: an entry of a row and, if positions are kept, its position. The position orders entries with equal columns.
template <class Position>
struct Entry {
  i32 column;
  Position position;

  static __device__ __forceinline__ Entry greatest() { return {0x7fffffff, (Position)(~0ull >> 1)}; }
  static __device__ __forceinline__ Entry at(const i32 *columns, const Position *positions, i64 i) {
    return {columns[i], positions[i]};
  }
  __device__ __forceinline__ void put(i32 *columns, Position *positions, i64 i) const {
    columns[i] = column, positions[i] = position;
  }
  __device__ __forceinline__ bool operator<(const Entry &other) const {
    return column < other.column || (column == other.column && position < other.position);
  }
  __device__ __forceinline__ Entry of_lane(int mask) const {
    return {__shfl_xor_sync(ALL, column, mask), __shfl_xor_sync(ALL, position, mask)};
  }
};

template <>
struct Entry<Nothing> {
  i32 column;

  static __device__ __forceinline__ Entry greatest() { return {0x7fffffff}; }
  static __device__ __forceinline__ Entry at(const i32 *columns, const Nothing *, i64 i) { return {columns[i]}; }
  __device__ __forceinline__ void put(i32 *columns, Nothing *, i64 i) const { columns[i] = column; }
  __device__ __forceinline__ bool operator<(const Entry &other) const { return column < other.column; }
  __device__ __forceinline__ Entry of_lane(int mask) const { return {__shfl_xor_sync(ALL, column, mask)}; }
};

// Sorts the entries of each FEW consecutive lanes. Each lane has one entry.
template <class Item>
__device__ __forceinline__ Item sort_lanes(Item mine) {
  const int lane = lane_id() % FEW;
#pragma unroll
  for (int size = 2; size <= FEW; size *= 2) {
#pragma unroll
    for (int step = size / 2; step; step /= 2) {
      const Item other = mine.of_lane(step);
      const bool keeps_lesser = ((lane & step) == 0) == ((lane & size) == 0);
      if (keeps_lesser ? other < mine : mine < other) mine = other;
    }
  }
  return mine;
}

// Sorts `count` items in shared memory. All of `threads` threads call this, each with its number `thread`; meet() is a
// barrier for them. The first step for each size compares items with mirrored partners. So the positions past the end
// count as greatest, and items never move there.
template <class Item, class Meet>
__device__ __forceinline__ void sort_shared(Item *items, int count, int thread, int threads, Meet meet) {
  for (int log = 0; (1 << log) < count; log++) {  // runs of 2^log items become runs of twice as many
    for (int step = log; step >= 0; step--) {
      const int half = 1 << step;
      meet();
      for (int pair = thread;; pair += threads) {
        const int low = ((pair >> step) << (step + 1)) | (pair & (half - 1));
        if (low >= count) break;
        const int high = step == log ? low ^ (2 * half - 1) : low + half;
        if (high < count && items[high] < items[low]) {
          const Item before = items[low];
          items[low] = items[high], items[high] = before;
        }
      }
    }
  }
  meet();
}

// A block counts one digit in a part of a row: the number of entries that have each digit, stored in `counts` at a
// distance of `stride`.
template <class Position, class Digit>
__device__ void count_digits(i64 count, const i32 *columns, const Position *positions, Digit digit_of, i64 *counts, i64 stride) {
  __shared__ u32 found[DIGITS];
  const int thread = threadIdx.x;
  __syncthreads();
  if (thread < DIGITS) found[thread] = 0;
  __syncthreads();
  for (i64 i = thread; i < count; i += DIGIT_THREADS) atomicAdd(found + digit_of(Entry<Position>::at(columns, positions, i)), 1u);
  __syncthreads();
  if (thread < DIGITS) counts[thread * stride] = found[thread];
}

// A block moves the same part to other arrays. The entries with digit d go to consecutive places from `place(d)` on.
// Entries with equal digits keep their order.
template <class Position, class Digit, class Place>
__device__ void move_by_digit(i64 count, const i32 *columns, const Position *positions, i32 *to_columns,
                              Position *to_positions, Digit digit_of, Place place) {
  using Item = Entry<Position>;
  constexpr int ITS_WARPS = DIGIT_THREADS / WARP;
  __shared__ i64 begins[DIGITS];
  // by warp and digit: entries of the warp with the digit; then the sum over the warps before it
  __shared__ u32 before[ITS_WARPS][DIGITS];
  const int thread = threadIdx.x, warp = thread / WARP;
  i64 next = thread < DIGITS ? place(thread) : 0;
  __syncthreads();
  for (i64 base = 0; base < count; base += DIGIT_THREADS) {
    const i64 i = base + thread;
    for (int digit = lane_id(); digit < DIGITS; digit += WARP) before[warp][digit] = 0;
    __syncwarp();
    Item item = Item::greatest();
    if (i < count) item = Item::at(columns, positions, i);
    const int digit = i < count ? digit_of(item) : DIGITS;
    const u32 same = __match_any_sync(ALL, digit);
    const int rank = __popc(same & lanes_below());
    if (i < count && rank == 0) before[warp][digit] = __popc(same);
    __syncthreads();
    if (thread < DIGITS) {
      u32 sum = 0;
      for (int w = 0; w < ITS_WARPS; w++) {
        const u32 of_warp = before[w][thread];
        before[w][thread] = sum;
        sum += of_warp;
      }
      begins[thread] = next;
      next += sum;
    }
    __syncthreads();
    if (i < count) item.put(to_columns, to_positions, begins[digit] + before[warp][digit] + rank);
    __syncwarp();
  }
}

}  // namespace minigr
