// filter and compute: one visit to each item of a frontier, no neighbors.
#pragma once
#include "graphs/csr.cuh"
#include "primitives/fold.cuh"
#include "operators/sink.cuh"

namespace minigr {

// What a functor may ask for about an item.
template <class W>
struct Item {
  i32 vertex = -1;
  i64 edge = -1;
  i32 src = -1;
  i32 dst = -1;
  W weight = W(0);
};

// KIND: 'v' for vertices, 'e' for edges, 'p' for pairs of vertices, source << 32 | destination. EVERY: the input is all of
// them, with no list.
template <class Functor, class W, char KIND, bool EVERY, class T>
__device__ __forceinline__ i64 item_id(const T *items, i64 idx) {
  return EVERY ? idx : (i64)__ldcg(items + idx);
}

// Whether there is an item of this id, where all ids are gone through.
template <char KIND, bool EVERY, class Rows>
__device__ __forceinline__ bool exists(const Rows &graph, i64 id) {
  return !EVERY || KIND == 'v' || graph.has_id(id);
}

template <class Functor, class W, char KIND, class Rows>
__device__ __forceinline__ Item<W> describe(const Rows &graph, i64 id) {
  Item<W> item;
  if (KIND == 'v') {
    item.vertex = (i32)id;
    return item;
  }
  if (KIND == 'p') {
    item.src = (i32)(id >> 32);
    item.dst = (i32)id;
    return item;
  }
  item.edge = id;
  item.dst = graph.entry(id);
  if (Functor::SRC) item.src = graph.source(id);
  if (Functor::WEIGHT) item.weight = graph.weight(id);
  return item;
}

// The ids that a block saw last. An id that is found there was let through since the phase began; two lanes may miss each
// other's, so an id may be let through more than once.
template <class T>
struct Recent {
  static constexpr int SIZE = 1024;

  // All threads of the block, before the first question of a phase.
  __device__ static void clear() {
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x) table()[i] = -1;
    __syncthreads();
  }
  __device__ __forceinline__ static bool holds(T id) {
    volatile T *const at = table() + (u64)id % SIZE;
    if (*at == id) return true;
    *at = id;
    return false;
  }

 private:
  __device__ __forceinline__ static T *table() {
    __shared__ T ids[SIZE];
    return ids;
  }
};

// CULLS: items are dropped that a table of recent ones holds.
template <class Functor, class W, char KIND, bool EVERY, bool UNIQUE, bool CULLS, class Rows, class T, class SinkT>
__device__ void filter(Grid &grid, const Rows &graph, Functor functor, const T *items, i64 length, SinkT sink,
                       i32 *stamps, i32 iteration) {
  if (CULLS) Recent<T>::clear();
  sink.begin();
  for (i64 base = grid.warp() * WARP; base < length; base += grid.warps() * WARP) {
    i64 idx = base + lane_id();
    bool keep = false;
    i64 id = 0;
    if (idx < length) id = item_id<Functor, W, KIND, EVERY>(items, idx);
    if (idx < length && exists<KIND, EVERY>(graph, id)) {
      Item<W> x = describe<Functor, W, KIND>(graph, id);
      keep = functor.cond(x.vertex, x.edge, x.src, x.dst, x.weight, idx, iteration);
      if (UNIQUE && keep) keep = first_time(grid, stamps, id, iteration);
      if (CULLS && keep) keep = !Recent<T>::holds((T)id);
      if (keep) functor.apply(x.vertex, x.edge, x.src, x.dst, x.weight, idx, iteration);
    }
    sink.push(keep, id);
  }
  sink.end();
}

template <class Functor, class W, char KIND, bool EVERY, class Rows, class T>
__device__ void compute(Grid &grid, const Rows &graph, Functor functor, const T *items, i64 length, i32 iteration) {
  for (i64 idx = grid.thread(); idx < length; idx += grid.threads()) {
    const i64 id = item_id<Functor, W, KIND, EVERY>(items, idx);
    if (!exists<KIND, EVERY>(graph, id)) continue;
    Item<W> x = describe<Functor, W, KIND>(graph, id);
    functor.apply(x.vertex, x.edge, x.src, x.dst, x.weight, idx, iteration);
  }
}

// As compute; what `apply` returns is reduced into this block's element of `partials`.
template <class Functor, class W, char KIND, bool EVERY, class Op, class S, class Rows, class T>
__device__ void compute_reduce(Grid &grid, const Rows &graph, Functor functor, const T *items, i64 length,
                               i32 iteration, Op op, S start, S *partials) {
  S total = start;
  for (i64 idx = grid.thread(); idx < length; idx += grid.threads()) {
    const i64 id = item_id<Functor, W, KIND, EVERY>(items, idx);
    if (!exists<KIND, EVERY>(graph, id)) continue;
    Item<W> x = describe<Functor, W, KIND>(graph, id);
    total = op(total, (S)functor.apply(x.vertex, x.edge, x.src, x.dst, x.weight, idx, iteration));
  }
  total = block_reduce(total, op, start);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

}  // namespace minigr
