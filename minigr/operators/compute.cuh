// compute: one visit to each item of a frontier.
#pragma once
#include "operators/items.cuh"
#include "primitives/fold.cuh"

namespace minigr {

template <class Functor, class W, char KIND, bool EVERY, class Rows, class T>
__device__ void compute(Grid &grid, const Rows &graph, Functor functor, const T *items, i64 length, i32 iteration) {
  each_item<Functor, W, KIND, EVERY>(grid, graph, items, length, [&](const Item<W> &x, i64 idx) {
    functor.apply(x.vertex, x.edge, x.src, x.dst, x.weight, idx, iteration);
  });
}

// Like compute, but reduces the return values of `apply` into this block's element of `partials`.
template <class Functor, class W, char KIND, bool EVERY, class Op, class S, class Rows, class T>
__device__ void compute_reduce(Grid &grid, const Rows &graph, Functor functor, const T *items, i64 length,
                               i32 iteration, Op op, S start, S *partials) {
  S total = start;
  each_item<Functor, W, KIND, EVERY>(grid, graph, items, length, [&](const Item<W> &x, i64 idx) {
    total = op(total, (S)functor.apply(x.vertex, x.edge, x.src, x.dst, x.weight, idx, iteration));
  });
  total = block_reduce(total, op, start);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

}  // namespace minigr
