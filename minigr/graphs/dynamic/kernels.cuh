// The kernels that kernels_cuda.py launches: thin wrappers, which take apart structs are put together from.
#pragma once
#include "graphs/dynamic/chains.cuh"
#include "graphs/dynamic/deal_out.cuh"
#include "graphs/dynamic/update.cuh"

using namespace minigr;
using namespace minigr::dynamic;

// Blocks that fill a multiprocessor. Searches wait for memory most of the time, so as many are to be under way as can be.
#if __CUDA_ARCH__ == 750
#define BLOCKS (1024 / THREADS)
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ == 1200
#define BLOCKS (1536 / THREADS)
#else
#define BLOCKS (2048 / THREADS)
#endif

#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
#define GRAPH_PARAMETERS i64 vertices, i64 slabs, const int2 *heads, i32 *degrees, i32 *pool, const u8 *marks
#define GRAPH \
  Slabs { vertices, slabs, heads, degrees, pool, marks }
#define BATCH_PARAMETERS const i32 *src, const i32 *dst, i64 pairs, bool mirror, bool reverse, bool loops
#define BATCH \
  Batch { src, dst, pairs, mirror, reverse, loops }
#define FOR_EACH_GROUP(i, count) for (i64 i = group_id(); i < count; i += groups())
#define FOR_EACH(i, count) \
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (i64)gridDim.x * blockDim.x)

KERNEL check_pairs(BATCH_PARAMETERS, i64 vertices, i64 *report) { check(BATCH, vertices, report); }

// How often each id occurs. Does nothing if a pair names no vertex.
KERNEL count_ids(const i32 *ids, i64 count, i32 *counts, const i64 *report) {
  if (load_fresh(report + WORD_BAD) != NOT_BAD) return;
  FOR_EACH(i, count) atomicAdd(counts + __ldg(ids + i), 1);
}

KERNEL count_arcs_of_parts(BATCH_PARAMETERS, i32 shift, u64 *counts, const i64 *report) {
  if (load_fresh(report + WORD_BAD) == NOT_BAD) count_parts(BATCH, shift, counts);
}

// Keeps many arcs in registers, so it is not held to as many blocks as the others.
extern "C" __global__ void __launch_bounds__(THREADS)
    deal_out_arcs(BATCH_PARAMETERS, i32 shift, u64 *cursors, i32 *owners, i32 *keys, const i64 *report) {
  if (load_fresh(report + WORD_BAD) == NOT_BAD) deal_out(BATCH, shift, cursors, owners, keys);
}

KERNEL insert_arcs(BATCH_PARAMETERS, GRAPH_PARAMETERS, const i32 *free, i64 free_count, i64 bump, i64 capacity,
                   i32 *returned, i64 *report, i32 limit, bool resume, u8 *states, i64 *slots) {
  insert(BATCH, GRAPH, Supply{free, free_count, bump, capacity, returned, report}, limit, resume, states, slots);
}

KERNEL remove_arcs(BATCH_PARAMETERS, GRAPH_PARAMETERS, bool only_changed, u8 *states, i64 *report) {
  remove(BATCH, GRAPH, only_changed, states, report);
}

KERNEL find_arcs(BATCH_PARAMETERS, GRAPH_PARAMETERS, bool *found, i64 *slots, i64 *report) {
  find(BATCH, GRAPH, found, slots, report);
}

KERNEL keep_pairs(BATCH_PARAMETERS, i32 *cells, u32 mask, bool last) {
  Table table{cells, mask, mirror};
  FOR_EACH(i, pairs) table.put(BATCH, (i32)i, last);
}

// Arcs that changed the graph name, of the pairs that equal theirs, the one that was kept.
KERNEL mask_changed(BATCH_PARAMETERS, i32 *cells, u32 mask, const u8 *states, bool *changed) {
  Table table{cells, mask, mirror};
  Batch batch = BATCH;
  FOR_EACH(i, batch.arcs()) {
    if (states[i] == CHANGED) changed[table.get(batch, batch.pair(i))] = true;
  }
}

template <class W>
__device__ __forceinline__ void put_weights(const Batch &batch, const Table &table, const i64 *slots, const W *given,
                                            W *weights) {
  FOR_EACH(i, batch.arcs()) {
    i64 e = batch.pair(i);
    if (slots[i] >= 0 && (!table.cells || table.get(batch, e) == e)) weights[slots[i]] = given[e];
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
                                            const W *weights, i32 *owners, i32 *keys, W *out, bool *fresh) {
  FOR_EACH_GROUP(i, count) {
    if (since)
      read_chain<true>(graph, firsts[i], offsets[i], weights, owners, keys, out, fresh);
    else
      read_chain<false>(graph, firsts[i], offsets[i], weights, owners, keys, out, fresh);
  }
}

KERNEL list_slabs(const i32 *firsts, i64 count, const i64 *offsets, const i32 *pool, i32 *found) {
  FOR_EACH(i, count) {
    i64 at = offsets[i];
    for (i32 slab = firsts[i]; slab != NIL; slab = pool[(i64)slab * LANES + NEXT]) found[at++] = slab;
  }
}

KERNEL note_fills(GRAPH_PARAMETERS, const i32 *firsts, i64 count, u8 *noted) {
  FOR_EACH_GROUP(i, count) note_fill(GRAPH, firsts[i], noted);
}

KERNEL sweep_slabs(GRAPH_PARAMETERS, const bool *dead, i64 *report) {
  Slabs graph = GRAPH;
  Counters counters;
  FOR_EACH_GROUP(slab, slabs) sweep_slab(graph, (i32)slab, dead, counters.changed, counters.loops);
  __syncwarp();
  counters.report(report);
}

template <class W>
__device__ __forceinline__ void sort_short_rows(i64 rows, const i64 *offsets, i32 *keys, W *weights) {
  i64 warp = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / WARP, warps = (i64)gridDim.x * blockDim.x / WARP;
  for (i64 v = warp; v < rows; v += warps) {
    i64 begin = offsets[v], length = offsets[v + 1] - begin;
    if (length > 1 && length <= SHORT_ROW) sort_short_row(keys, weights, begin, (int)length);
  }
}

template <class W>
__device__ __forceinline__ void sort_middle_rows(const i64 *which, i64 count, const i64 *offsets, i32 *keys, W *weights) {
  for (i64 i = blockIdx.x; i < count; i += gridDim.x) {
    i64 begin = offsets[which[i]];
    sort_middle_row(keys, weights, begin, (int)(offsets[which[i] + 1] - begin));
  }
}

// What weights are read and written as: whole numbers of their width.
#define FOR_WIDTH(W, bits)                                                                                              \
  KERNEL put_weights_##bits(BATCH_PARAMETERS, i32 *cells, u32 mask, const i64 *slots, const W *given, W *weights) {     \
    put_weights(BATCH, Table{cells, mask, mirror}, slots, given, weights);                                              \
  }                                                                                                                     \
  KERNEL read_chains_##bits(GRAPH_PARAMETERS, const i32 *firsts, i64 count, const i64 *offsets, bool since,             \
                            const W *weights, i32 *owners, i32 *keys, W *out, bool *fresh) {                            \
    read_chains(GRAPH, firsts, count, offsets, since, weights, owners, keys, out, fresh);                               \
  }                                                                                                                     \
  KERNEL sort_short_rows_##bits(i64 rows, const i64 *offsets, i32 *keys, W *weights) {                                  \
    sort_short_rows(rows, offsets, keys, weights);                                                                      \
  }                                                                                                                     \
  KERNEL sort_middle_rows_##bits(const i64 *which, i64 count, const i64 *offsets, i32 *keys, W *weights) {              \
    sort_middle_rows(which, count, offsets, keys, weights);                                                             \
  }

FOR_WIDTH(u32, 32)
FOR_WIDTH(u64, 64)
