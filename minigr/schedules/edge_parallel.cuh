// Schedule over all arcs of slabs: a warp takes a slab of the pool, and each lane takes one position of the slab. A
// slab stores its vertex, so the work is even for any degrees.
#pragma once
#include "schedules/tiles.cuh"

namespace minigr {

template <class Rows, class Work>
__device__ void by_slabs(Grid &grid, const Rows &rows, Work &work) {
  work.begin();
  for (i64 first = grid.warp() * WARP; first < rows.edge_ids; first += grid.threads()) {
    const i64 position = first + lane_id();
    const i32 dst = rows.entry(position), src = rows.source(position);
    work.edge(rows.is_edge(position, dst), src, dst, position);
  }
  work.end();
}

}  // namespace minigr
