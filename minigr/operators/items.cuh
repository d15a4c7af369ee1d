// The items of a frontier as filter and compute visit them: one after the other, without neighbors.
#pragma once
#include "graphs/csr.cuh"
#include "jit/grid.cuh"

namespace minigr {

// The data about an item that a functor may use.
template <class W>
struct Item {
  i32 vertex = -1;
  i64 edge = -1;
  i32 src = -1;
  i32 dst = -1;
  W weight = W(0);
};

// KIND: 'v' for vertices, 'e' for edges, 'p' for pairs of vertices, source << 32 | destination. EVERY: the input is all
// vertices or all edges, with no list.
template <bool EVERY, class T>
__device__ __forceinline__ i64 item_id(const T *items, i64 idx) {
  return EVERY ? idx : (i64)__ldcg(items + idx);
}

// Whether an item has this id, where the loop goes over all ids.
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

// All threads of the grid call this together. Calls each(item, idx) for every item.
template <class Functor, class W, char KIND, bool EVERY, class Rows, class T, class Each>
__device__ __forceinline__ void each_item(const Grid &grid, const Rows &graph, const T *items, i64 length, Each each) {
  for (i64 idx = grid.thread(); idx < length; idx += grid.threads()) {
    const i64 id = item_id<EVERY>(items, idx);
    if (exists<KIND, EVERY>(graph, id)) each(describe<Functor, W, KIND>(graph, id), idx);
  }
}

}  // namespace minigr
