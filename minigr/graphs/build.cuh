// Building rows from arcs: count the arcs of each row, place the arcs, and gather the values that belong to arcs.
// build_cuda.py launches these kernels and documents their order; build_sort.cuh sorts each row.
#pragma once
#include "primitives/scan.cuh"
#include "primitives/sort.cuh"

namespace minigr {

constexpr int THREADS = 256;
constexpr int SCAN_ITEMS = 4;

// The rows in which some arcs may be: those in [low, high).
struct RowsAround {
  const i64 *offsets;
  i64 low, high;

  // The row of arc `i`, by binary search: the last row that begins at i or before.
  __device__ __forceinline__ i32 row_of(i64 i) const {
    i64 first = low, end = high;
    while (end - first > 1) {
      const i64 middle = (first + end) / 2;
      if (load_constant(offsets + middle) <= i)
        first = middle;
      else
        end = middle;
    }
    return (i32)first;
  }
  __device__ __forceinline__ RowsAround narrowed(i64 first, i64 last) const {
    const i64 begin = row_of(first);
    return {offsets, begin, RowsAround{offsets, begin, high}.row_of(last) + 1};
  }
};

// Calls visit(has, i) for each i below `count`, with all threads of the grid together. The lanes of a warp get consecutive
// numbers. A lane without a number also calls `visit`, because lanes may work together.
template <class Visit>
__device__ __forceinline__ void each_number(i64 count, Visit visit) {
  const i64 threads = (i64)gridDim.x * THREADS;
  for (i64 base = (i64)blockIdx.x * THREADS; base < count; base += threads) visit(base + threadIdx.x < count, base + threadIdx.x);
}

// Calls visit(has, i, around) for each arc i of `rows`. `around` holds the rows of the tile of arcs that a block visits,
// so that a search for the row of one of these arcs is short.
template <class Visit>
__device__ __forceinline__ void each_arc(i64 count, const RowsAround &rows, Visit visit) {
  constexpr i64 TILE = 8 * THREADS;
  for (i64 begin = blockIdx.x * TILE; begin < count; begin += gridDim.x * TILE) {
    const i64 end = min(begin + TILE, count);
    const RowsAround around = rows.narrowed(begin, end - 1);
    for (i64 i = begin + threadIdx.x; i - threadIdx.x < end; i += THREADS) visit(i < end, i, around);
  }
}

// Adds one to the count of a row for each lane that has this row. One atomic operation serves all lanes with the same row.
__device__ __forceinline__ void count_together(bool has, i32 row, u64 *counts) {
  const u32 same = __match_any_sync(ALL, has ? row : -1);
  if (has && lane_id() == __ffs(same) - 1) atomicAdd(counts + row, (u64)__popc(same));
}

// Arcs, as the host gives them: edges with both ends, or the arcs of rows. `src` is null for arcs of rows.
struct Arcs {
  i64 count, rows;
  const i32 *src;
  const i64 *offsets;
  const i64 *begins;  // where each row begins in `dst`; null: as in `offsets`
  const i32 *dst;
  const i32 *place;  // the new number of each vertex; with `begins`, -1 for a vertex that is left out; null: no new numbers
  u32 options;
  i32 low, high;  // the rows of this turn; entries of other rows are skipped

  __device__ __forceinline__ bool is_due(i32 row) const { return row >= low && row < high; }
  // Whether consecutive arcs often belong to the same row.
  template <bool ROWS>
  __device__ __forceinline__ bool is_in_runs() const {
    return ROWS && !(options & TURN);
  }

  // Calls put(has, row, column, i) for each entry that arc `i` adds to a row.
  template <bool ROWS, class Put>
  __device__ __forceinline__ void each(Put put) const {
    if constexpr (ROWS)
      each_arc(count, RowsAround{offsets, 0, rows}, [&](bool has, i64 i, const RowsAround &around) {
        if (begins)
          put_chosen(has, i, around, put);
        else
          put_entries(has, i, [&] { return around.row_of(i); }, put);
      });
    else
      each_number(count, [&](bool has, i64 i) { put_entries(has, i, [&] { return src[i]; }, put); });
  }

 private:
  // The entry of a row that begins elsewhere in `dst`, if its neighbor has a new number.
  template <class Put>
  __device__ __forceinline__ void put_chosen(bool has, i64 i, const RowsAround &around, Put put) const {
    const i32 row = has ? around.row_of(i) : 0;
    has = has && is_due(row);
    const i64 at = has ? begins[row] + i - offsets[row] : 0;
    const i32 column = has ? place[dst[at]] : -1;
    put(column >= 0, row, column, at);
  }

  // `source` finds the source of the arc.
  template <class Source, class Put>
  __device__ __forceinline__ void put_entries(bool has, i64 i, Source source, Put put) const {
    if (!place && (options & ~TURN) == 0) {  // one end says whether the entry is due; only then the other end is read
      const bool turned = options == TURN;
      const i32 row = !has ? 0 : turned ? dst[i] : source();
      has = has && is_due(row);
      put(has, row, !has ? 0 : turned ? source() : dst[i], i);
      return;
    }
    i32 u = has ? source() : 0, v = has ? dst[i] : 0;
    if (place && has) u = place[u], v = place[v];
    if ((options & FOLD_DOWN) ? u < v : (options & TURN) != 0) {
      const i32 before = u;
      u = v, v = before;
    }
    if (options & (KEEP_DOWN | FOLD_DOWN)) has = has && u > v;
    put(has && is_due(u), u, v, i);
    if (options & MIRROR) put(has && u != v && is_due(v), v, u, i);
  }
};

// Decreases the end of a row by one for each lane that has an entry for the row. Returns the place of the entry. With
// `together`, one atomic operation serves all lanes with the same row.
__device__ __forceinline__ i64 claim(bool has, i32 row, i64 *ends, bool together) {
  if (!together) return has ? (i64)atomicAdd((u64 *)ends + row, ~0ull) - 1 : 0;
  const u32 same = __match_any_sync(ALL, has ? row : -1);
  const int leader = __ffs(same) - 1;
  i64 end = 0;
  if (has && lane_id() == leader) end = (i64)atomicAdd((u64 *)ends + row, 0ull - (u64)__popc(same));
  end = __shfl_sync(ALL, end, leader);
  return end - __popc(same) + __popc(same & lanes_below());
}

template <bool ROWS>
__device__ __forceinline__ void count_entries(const Arcs &arcs, u64 *counts) {
  arcs.each<ROWS>([&](bool has, i32 row, i32, i64) {
    if (arcs.is_in_runs<ROWS>())
      count_together(has, row, counts);
    else if (has)
      atomicAdd(counts + row, 1ull);
  });
}

template <bool ROWS, class Position>
__device__ __forceinline__ void place_entries(const Arcs &arcs, i64 *ends, i32 *columns, Position *positions) {
  arcs.each<ROWS>([&](bool has, i32 row, i32 column, i64 i) {
    const i64 at = claim(has, row, ends, arcs.is_in_runs<ROWS>());
    if (!has) return;
    columns[at] = column;
    if constexpr (IS_KEPT<Position>) positions[at] = (Position)i;
  });
}

// Writes the numbers of the arcs of rows instead of columns.
__device__ __forceinline__ void place_numbers(const Arcs &arcs, i64 *ends, i32 *numbers) {
  arcs.each<true>([&](bool has, i32 row, i32, i64 i) {
    const i64 at = claim(has, row, ends, arcs.is_in_runs<true>());
    if (has) numbers[at] = (i32)i;
  });
}

}  // namespace minigr

using namespace minigr;

#define ARCS                                                                                                          \
  i64 count, i64 rows, const i32 *src, const i64 *offsets, const i64 *begins, const i32 *dst, const i32 *place,        \
      u32 options, i32 low, i32 high
#define THE_ARCS (Arcs{count, rows, src, offsets, begins, dst, place, options, low, high})

extern "C" __global__ void __launch_bounds__(THREADS) count_edges(ARCS, u64 *counts) { count_entries<false>(THE_ARCS, counts); }
extern "C" __global__ void __launch_bounds__(THREADS) count_rows(ARCS, u64 *counts) { count_entries<true>(THE_ARCS, counts); }

// Turns the counts of rows into the ends of rows.
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_counts(i64 count, i64 *counts, u64 *words, i64 *aggregates, i64 *prefixes) {
  LookBack<i64> back(words, aggregates, prefixes);
  scan<THREADS, SCAN_ITEMS, true, false>(count, [&](i64 i) { return counts[i]; }, Add(), (i64)0, back, counts);
}

// Each entry goes to the end of its row and decreases this end. At last the ends are the beginnings of the rows.
#define PLACE(name, ROWS, Position)                                                                                   \
  extern "C" __global__ void __launch_bounds__(THREADS) name(ARCS, i64 *ends, i32 *columns, Position *positions) {     \
    place_entries<ROWS>(THE_ARCS, ends, columns, positions);                                                          \
  }
PLACE(place_edges, false, Nothing)
PLACE(place_edges_32, false, u32)
PLACE(place_edges_64, false, i64)
PLACE(place_rows, true, Nothing)
PLACE(place_rows_32, true, u32)
PLACE(place_rows_64, true, i64)
extern "C" __global__ void __launch_bounds__(THREADS) number_rows(ARCS, i64 *ends, i32 *numbers) {
  place_numbers(THE_ARCS, ends, numbers);
}

// Values of 32 or 64 bits, by positions of 32 or 64 bits.
#define GATHER(name, Position, Value)                                                                                 \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                               \
      name(i64 count, const Position *positions, const Value *values, Value *out) {                                   \
    each_number(count, [&](bool has, i64 i) {                                                                         \
      if (has) out[i] = values[positions[i]];                                                                         \
    });                                                                                                               \
  }
GATHER(gather_32_32, u32, u32)
GATHER(gather_32_64, u32, u64)
GATHER(gather_64_32, i64, u32)
GATHER(gather_64_64, i64, u64)
