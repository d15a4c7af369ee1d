// filter: the items of a frontier for which a condition holds.
#pragma once
#include "operators/items.cuh"
#include "operators/sink.cuh"

namespace minigr {

// The ids that a block has seen most recently. An id in this table was let through since the phase began. Another id
// may have replaced it in the table, so an id may be let through more than once.
template <class T>
struct Recent {
  static constexpr int SIZE = 1024;
  T ids[SIZE];

  // All threads of the block call this before the first call of `holds` in a phase.
  __device__ void clear() {
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x) ids[i] = (T)-1;
    __syncthreads();
  }
  __device__ __forceinline__ bool holds(T id) {
    T *const at = ids + (u64)id % SIZE;
    if (*(volatile T *)at == id) return true;
    // The lanes of a warp read at the same time, but their exchanges run one after the other.
    if constexpr (sizeof(T) == 4)
      return (T)atomicExch((u32 *)at, (u32)id) == id;
    else
      return (T)atomicExch((u64 *)at, (u64)id) == id;
  }
};

// CULLS: drop items that a table of recent ids holds.
template <class Functor, class W, char KIND, bool EVERY, bool UNIQUE, bool CULLS, class Rows, class T, class SinkT>
__device__ void filter(Grid &grid, const Rows &graph, Functor functor, const T *items, i64 length, SinkT sink,
                       i32 *stamps, Recent<T> *recent, i32 iteration) {
  if (CULLS) recent->clear();
  sink.begin();
  for (i64 base = grid.warp() * WARP; base < length; base += grid.warps() * WARP) {
    i64 idx = base + lane_id();
    bool keep = false;
    i64 id = 0;
    if (idx < length) id = item_id<EVERY>(items, idx);
    if (idx < length && exists<KIND, EVERY>(graph, id)) {
      Item<W> x = describe<Functor, W, KIND>(graph, id);
      keep = functor.cond(x.vertex, x.edge, x.src, x.dst, x.weight, idx, iteration);
      if (UNIQUE && keep) keep = first_time(grid, stamps, id, iteration);
      if (CULLS && keep) keep = !recent->holds((T)id);
      if (keep) functor.apply(x.vertex, x.edge, x.src, x.dst, x.weight, idx, iteration);
    }
    sink.push(keep, id);
  }
  sink.end();
}

}  // namespace minigr
