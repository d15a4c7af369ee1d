// Queries about sorted rows: which arcs are simple, which are out of order, whether a row holds a neighbor, and what the
// weights are.
#pragma once
#include "graphs/build.cuh"
#include "graphs/summary.cuh"
#include "primitives/compact.cuh"

namespace minigr {

// Rows, as the host gives them.
struct Rows {
  i64 rows, arcs;
  const i64 *offsets;
  const i32 *columns;

  __device__ __forceinline__ RowsAround all() const { return {offsets, 0, rows}; }
  __device__ __forceinline__ i32 row(i64 i) const { return all().row_of(i); }
  // Whether the previous neighbor of the row is the same.
  __device__ __forceinline__ bool repeats(i64 i, i32 row) const {
    return i > load_constant(offsets + row) && columns[i] == columns[i - 1];
  }
  // Whether the arc is neither a self-loop nor a repeat. `vertex` is the vertex of the first row.
  __device__ __forceinline__ bool is_simple(i64 i, i32 row, i32 vertex) const {
    return columns[i] != vertex + row && !repeats(i, row);
  }
};

}  // namespace minigr

#define OF_ROWS i64 rows, i64 arcs, const i64 *offsets, const i32 *columns
#define THE_ROWS (Rows{rows, arcs, offsets, columns})

extern "C" __global__ void __launch_bounds__(THREADS) rows_of_arcs(OF_ROWS, i32 *out) {
  each_arc(arcs, THE_ROWS.all(), [&](bool has, i64 i, const RowsAround &around) {
    if (has) out[i] = around.row_of(i);
  });
}

// Whether each arc is different from the one before it in its row.
extern "C" __global__ void __launch_bounds__(THREADS) mark_first(OF_ROWS, bool *is_first) {
  each_arc(arcs, THE_ROWS.all(), [&](bool has, i64 i, const RowsAround &around) {
    if (has) is_first[i] = !THE_ROWS.repeats(i, around.row_of(i));
  });
}

// Counts the arcs of each row that are neither self-loops nor repeats.
extern "C" __global__ void __launch_bounds__(THREADS) count_simple(OF_ROWS, i32 vertex, u64 *counts) {
  each_arc(arcs, THE_ROWS.all(), [&](bool has, i64 i, const RowsAround &around) {
    const i32 row = has ? around.row_of(i) : 0;
    count_together(has && THE_ROWS.is_simple(i, row, vertex), row, counts);
  });
}

// Writes the simple arcs among the `count` arcs from `first` on, in their order; `kept` gets their number.
extern "C" __global__ void __launch_bounds__(THREADS)
    keep_simple(OF_ROWS, i32 vertex, i64 first, i64 count, u64 *words, i64 *aggregates, i64 *prefixes, i32 *out,
                i64 *kept) {
  LookBack<i64> back(words, aggregates, prefixes);
  compact<THREADS, SCAN_ITEMS>(
      count, [&](i64 k) { return THE_ROWS.is_simple(first + k, THE_ROWS.row(first + k), vertex); },
      [&](i64 k) { return columns[first + k]; }, back, out, count, kept);
}

// The first arc whose neighbor is less than the previous one in its row. `first` must be greater than all arcs before.
extern "C" __global__ void __launch_bounds__(THREADS) first_disorder(OF_ROWS, u64 *first) {
  each_number(arcs, [&](bool has, i64 i) {
    if (has && i > 0 && columns[i] < columns[i - 1] && i > offsets[THE_ROWS.row(i)]) atomicMin(first, (u64)i);
  });
}

// `counts` gets the numbers of self-loops and of repeats.
extern "C" __global__ void __launch_bounds__(THREADS) count_loops_and_repeats(OF_ROWS, u64 *counts) {
  each_arc(arcs, THE_ROWS.all(), [&](bool has, i64 i, const RowsAround &around) {
    const i32 row = has ? around.row_of(i) : 0;
    const int loops = Kept(has && columns[i] == row).count(), repeats = Kept(has && THE_ROWS.repeats(i, row)).count();
    if (lane_id() == 0 && loops) atomicAdd(counts, (u64)loops);
    if (lane_id() == 0 && repeats) atomicAdd(counts + 1, (u64)repeats);
  });
}

// Whether row src[k] holds dst[k].
extern "C" __global__ void __launch_bounds__(THREADS)
    contains(OF_ROWS, i64 count, const i32 *src, const i32 *dst, bool *found) {
  each_number(count, [&](bool has, i64 k) {
    if (!has) return;
    i64 low = offsets[src[k]];
    const i64 end = offsets[src[k] + 1];
    for (i64 high = end; low < high;) {
      const i64 middle = (low + high) / 2;
      if (columns[middle] < dst[k])
        low = middle + 1;
      else
        high = middle;
    }
    found[k] = low < end && columns[low] == dst[k];
  });
}

// The summary of the weights times `factor` that a block reads goes into `parts`.
#define SUMMARIZE(T, name)                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                               \
      summarize_##name(i64 count, const T *weights, double factor, double *parts) {                                   \
    WeightSummary summary;                                                                                            \
    each_number(count, [&](bool has, i64 i) {                                                                         \
      if (has) summary.add((double)weights[i] * factor);                                                              \
    });                                                                                                               \
    summary.write(parts);                                                                                             \
  }
SUMMARIZE(i32, int32)
SUMMARIZE(i64, int64)
SUMMARIZE(float, float32)
SUMMARIZE(double, float64)
