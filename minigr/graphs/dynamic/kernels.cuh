// The kernels that Python launches. They are thin wrappers that build structs from their parameters.
#pragma once
#include "graphs/dynamic/build.cuh"
#include "graphs/dynamic/chains.cuh"
#include "graphs/dynamic/moves.cuh"
#include "graphs/dynamic/rows.cuh"
#include "graphs/dynamic/table.cuh"
#include "graphs/dynamic/update.cuh"
#include "graphs/dynamic/weights.cuh"

using namespace minigr;
using namespace minigr::dynamic;

// A search holds 32 slabs of each warp in registers, so half of the threads that a multiprocessor could hold are enough.
#define SEARCH extern "C" __global__ void __launch_bounds__(THREADS, 1024 / THREADS)
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)
#define GRAPH_PARAMETERS i64 vertices, i64 slabs, const int2 *heads, i32 *degrees, i32 *pool, const u8 *marks
#define GRAPH \
  Slabs { vertices, slabs, heads, degrees, pool, marks }
#define BATCH_PARAMETERS const i32 *src, const i32 *dst, i64 pairs, bool mirror, bool reverse, bool loops
#define BATCH \
  Batch { src, dst, pairs, mirror, reverse, loops }
#define REPORT_PARAMETERS i64 *words, i64 *host
#define REPORT \
  Report { words, host, 0 }
#define SUPPLY_PARAMETERS const i32 *free, i64 free_count, i64 bump, i64 capacity, i32 *returned, REPORT_PARAMETERS
#define SUPPLY \
  Supply { free, free_count, bump, capacity, returned, REPORT }
#define FOR_EACH_GROUP(i, count)                                                                          \
  for (i64 i = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / GROUP, i##_step = warps() * (WARP / GROUP); \
       i < count; i += i##_step)
#define FOR_EACH(i, count) \
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (i64)gridDim.x * blockDim.x)

// --- batches ----------------------------------------------------------------------------------------------------------

SEARCH insert_arcs(Update update) { insert<false>(update); }
SEARCH insert_arcs_reusing(Update update) { insert<true>(update); }
SEARCH remove_arcs(Update update) { remove(update); }
KERNEL restore_arcs(Update update) { restore(update); }
SEARCH find_arcs(Update update) { find(update); }
SEARCH mark_arcs(Update update) { mark(update); }

// For each arc that changed the graph, mark the pair that the table kept among the pairs that equal the arc's pair.
KERNEL mask_changed(BATCH_PARAMETERS, i32 *cells, u32 mask, const u8 *states, bool *changed) {
  Table table{cells, mask, mirror};
  Batch batch = BATCH;
  FOR_EACH(i, batch.arcs()) {
    if (states[i] == CHANGED) changed[table.get(batch, batch.pair(i))] = true;
  }
}

// --- vertices that move -----------------------------------------------------------------------------------------------

KERNEL list_owners(BATCH_PARAMETERS, const u8 *states, i32 *coming, i32 *listed, REPORT_PARAMETERS) {
  dynamic::list_owners(BATCH, states, coming, listed, REPORT);
}

KERNEL plan_moves(GRAPH_PARAMETERS, const i32 *listed, i64 count, const i32 *coming, bool all, double keys_of_bucket,
                  double growth, i64 tombstones, i64 free_count, Plan *plans, REPORT_PARAMETERS) {
  dynamic::plan_moves(GRAPH, listed, count, coming, all, keys_of_bucket, growth, tombstones, free_count, plans, REPORT);
}

KERNEL open_runs(GRAPH_PARAMETERS, const i32 *listed, i64 count, const Plan *plans, const i32 *free, i64 free_count,
                 int2 *new_heads, i32 *old, REPORT_PARAMETERS) {
  dynamic::open_runs(GRAPH, listed, count, plans, free, free_count, new_heads, old, REPORT);
}

SEARCH move_slabs(GRAPH_PARAMETERS, const i32 *old, i32 part, bool again, i64 target_slabs, const int2 *target_heads,
                  i32 *target_pool, i32 width, const void *given, void *weights, SUPPLY_PARAMETERS) {
  Slabs target{vertices, target_slabs, target_heads, nullptr, target_pool, nullptr};
  if (again)
    dynamic::move_slabs<true>(GRAPH, old, (Part)part, target, SUPPLY, width, given, weights);
  else
    dynamic::move_slabs<false>(GRAPH, old, (Part)part, target, SUPPLY, width, given, weights);
}

KERNEL note_moved(GRAPH_PARAMETERS, const i32 *listed, i64 count, const Plan *plans, u8 *noted) {
  dynamic::note_moved(GRAPH, listed, count, plans, noted);
}

KERNEL close_slabs(const i32 *old, i32 *pool, u8 *marks, REPORT_PARAMETERS) { dynamic::close_slabs(old, pool, marks, REPORT); }

KERNEL publish_words(REPORT_PARAMETERS) { REPORT.publish(); }

// --- whole graphs -----------------------------------------------------------------------------------------------------

KERNEL count_arcs(BATCH_PARAMETERS, i64 vertices, i32 *out, i32 *into, REPORT_PARAMETERS) {
  dynamic::count_arcs(BATCH, vertices, out, into, REPORT);
}

KERNEL lay_out(const i32 *degrees, i64 vertices, double keys_of_bucket, int2 *heads, REPORT_PARAMETERS) {
  dynamic::lay_out(degrees, vertices, keys_of_bucket, heads, REPORT);
}

KERNEL set_owners(const int2 *heads, i64 vertices, i32 *pool) { dynamic::set_owners(heads, vertices, pool); }

KERNEL count_parts(const int2 *heads, const i32 *degrees, i64 vertices, i32 shift, u32 *counts) {
  dynamic::count_parts(heads, degrees, vertices, shift, counts);
}

KERNEL place_parts(const u32 *counts, u32 *begins, u32 *cursors, u32 *end) { dynamic::place_parts(counts, begins, cursors, end); }

extern "C" __global__ void __launch_bounds__(DEALERS)
    deal_out(BATCH_PARAMETERS, const int2 *heads, i32 shift, i32 parts, u32 *cursors, i32 *owners, i32 *keys) {
  dynamic::deal_out(BATCH, heads, shift, parts, cursors, owners, keys);
}

extern "C" __global__ void __launch_bounds__(BUILDERS)
    build_parts(GRAPH_PARAMETERS, const i32 *owners, const i32 *keys, const u32 *begins, const u32 *cursors, i64 parts,
                i32 shift, u8 *states, REPORT_PARAMETERS) {
  dynamic::build_parts(GRAPH, owners, keys, begins, cursors, parts, shift, states, REPORT);
}

// --- chains, rows, weights --------------------------------------------------------------------------------------------

// The last of equal pairs gives the weight, so that no weight is written twice. The weights that were there before go to
// `held`, unless it is null. The slots of arcs that give no weight become -1.
template <class W>
__device__ __forceinline__ void put_weights(const Update &update) {
  const Batch batch = update.batch();
  const Table table = update.table(update.last);
  W *const weights = (W *)update.pool_weights;
  FOR_EACH(i, batch.arcs()) {
    i64 e = batch.pair(i), slot = update.slots[i];
    if (slot < 0) continue;
    if (table.get(batch, e) != e) {
      update.slots[i] = -1;
      continue;
    }
    if (update.held) ((W *)update.held)[i] = weights[slot];
    weights[slot] = ((const W *)update.weights)[e];
  }
}

template <class W>
__device__ __forceinline__ void restore_weights(const i64 *slots, i64 arcs, const W *held, W *weights) {
  FOR_EACH(i, arcs) {
    if (slots[i] >= 0) weights[slots[i]] = held[i];
  }
}

KERNEL clear_slabs(const i32 *which, i64 count, const i32 *owners, i32 *pool) {
  FOR_EACH_GROUP(i, count) store_empty(pool, which[i], owners[i]);
}

KERNEL measure_chains(GRAPH_PARAMETERS, const i32 *firsts, i64 count, bool since, i64 *lives, i64 *used, i64 *lengths) {
  Slabs graph = GRAPH;
  FOR_EACH_GROUP(i, count) {
    i64 live, full, length;
    if (since)
      measure_chain<true>(graph, firsts[i], live, full, length);
    else
      measure_chain<false>(graph, firsts[i], live, full, length);
    if (group_lane() == 0) {
      lives[i] = live;
      used[i] = full;
      lengths[i] = length;
    }
  }
}

template <class W>
__device__ __forceinline__ void read_chains(const Slabs &graph, const i32 *firsts, i64 count, const i64 *offsets, bool since,
                                            const W *weights, i32 *owners, i32 *keys, W *out) {
  FOR_EACH_GROUP(i, count) {
    if (since)
      read_chain<true>(graph, firsts[i], offsets[i], weights, owners, keys, out);
    else
      read_chain<false>(graph, firsts[i], offsets[i], weights, owners, keys, out);
  }
}

KERNEL note_fills(GRAPH_PARAMETERS, const i32 *firsts, i64 count, u8 *noted) {
  FOR_EACH_GROUP(i, count) note_fill(GRAPH, firsts[i], noted);
}

KERNEL sweep_slabs(GRAPH_PARAMETERS, const bool *dead, u32 *swept, REPORT_PARAMETERS) {
  Slabs graph = GRAPH;
  Counters counters;
  FOR_EACH_GROUP(slab, slabs) sweep_slab(graph, (i32)slab, dead, swept, counters.changed, counters.loops);
  __syncwarp();
  counters.add_to(REPORT);
  REPORT.publish();
}

KERNEL restore_slabs(GRAPH_PARAMETERS, const u32 *swept) {
  FOR_EACH_GROUP(slab, slabs) restore_slab(GRAPH, (i32)slab, swept);
}

// Weights are read and written as unsigned integers of their width.
#define FOR_WIDTH(W, bits)                                                                                              \
  KERNEL put_weights_##bits(Update update) {                                                                            \
    put_weights<W>(update);                                                                                             \
  }                                                                                                                     \
  KERNEL restore_weights_##bits(const i64 *slots, i64 arcs, const W *held, W *weights) {                                \
    restore_weights(slots, arcs, held, weights);                                                                        \
  }                                                                                                                     \
  KERNEL read_chains_##bits(GRAPH_PARAMETERS, const i32 *firsts, i64 count, const i64 *offsets, bool since,             \
                            const W *weights, i32 *owners, i32 *keys, W *out) {                                         \
    read_chains(GRAPH, firsts, count, offsets, since, weights, owners, keys, out);                                      \
  }                                                                                                                     \
  KERNEL short_rows_##bits(GRAPH_PARAMETERS, const i64 *ends, const W *weights, i32 *keys, W *out, i32 *listed,         \
                           u64 *count) {                                                                                \
    short_rows(GRAPH, ends, weights, keys, out, listed, count);                                                         \
  }                                                                                                                     \
  KERNEL long_rows_##bits(GRAPH_PARAMETERS, const i64 *ends, const W *weights, i32 *keys, W *out, const i32 *listed,    \
                          const u64 *count) {                                                                           \
    long_rows(GRAPH, ends, weights, keys, out, listed, count);                                                          \
  }

FOR_WIDTH(u32, 32)
FOR_WIDTH(u64, 64)

#define FOR_WEIGHTS(T, name)                                                              \
  KERNEL summarize_##name(GRAPH_PARAMETERS, const T *weights, double *parts) {            \
    summarize_weights(GRAPH, weights, parts);                                             \
  }

FOR_WEIGHTS(i32, int32)
FOR_WEIGHTS(i64, int64)
FOR_WEIGHTS(float, float32)
FOR_WEIGHTS(double, float64)
