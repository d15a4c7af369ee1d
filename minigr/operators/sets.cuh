// Set operations: stamp the ids of one frontier, and let ids of the other frontier through by their stamps.
#pragma once
#include "operators/items.cuh"
#include "operators/sink.cuh"

namespace minigr {

// EVERY: the frontier is all vertices or all edges, with no list.
template <bool EVERY, class T>
__device__ void mark_items(const Grid &grid, const T *items, i64 length, i32 *stamps, i32 stamp) {
  for (i64 idx = grid.thread(); idx < length; idx += grid.threads())
    stamps[EVERY ? idx : (i64)__ldcg(items + idx)] = stamp;
}

// True for one caller for each item that has the stamp. This call removes the stamp.
__device__ __forceinline__ bool taken(i32 *stamps, i64 id, i32 stamp) {
  return load_fresh(stamps + id) == stamp && atomicExch(stamps + id, -stamp) == stamp;
}

// Gives the sink each item of two frontiers once. MARKED: only items that have the stamp of this step; otherwise only
// items that don't have it. KIND and EVERY are as in items.cuh.
template <char KIND, bool EVERY, bool EVERY_OTHER, bool MARKED, class Rows, class T, class SinkT>
__device__ void combine(Grid &grid, const Rows &graph, const T *items, i64 length, const T *other, i64 more, SinkT sink,
                        i32 *stamps, i32 iteration) {
  sink.begin();
  for (i64 base = grid.warp() * WARP; base < length + more; base += grid.warps() * WARP) {
    const i64 idx = base + lane_id();
    bool keep = idx < length + more;
    i64 id = 0;
    if (keep && idx < length) id = EVERY ? idx : (i64)__ldcg(items + idx);
    if (keep && idx >= length) id = EVERY_OTHER ? idx - length : (i64)__ldcg(other + (idx - length));
    keep = keep && exists<KIND, EVERY || EVERY_OTHER>(graph, id);
    if (keep) keep = MARKED ? taken(stamps, id, iteration) : first_time(grid, stamps, id, iteration);
    sink.push(keep, id);
  }
  sink.end();
}

}  // namespace minigr
