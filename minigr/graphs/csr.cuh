// The adjacency contract over compressed sparse rows: the view of a graph that device code holds by value.
#pragma once
#include "jit/grid.cuh"

namespace minigr {

// Rows of one direction. `weights` and `ids` may be null where no functor asks for them.
template <class W>
struct Csr {
  i64 vertices;
  i64 arcs;
  const i64 *offsets;
  const i32 *indices;
  const W *weights;
  const i64 *ids;  // id of each arc; null: its position

  __device__ __forceinline__ i64 begin(i32 v) const { return __ldg(offsets + v); }
  __device__ __forceinline__ i64 end(i32 v) const { return __ldg(offsets + v + 1); }
  __device__ __forceinline__ i64 degree(i32 v) const { return end(v) - begin(v); }
  __device__ __forceinline__ i32 neighbor(i64 position) const { return __ldg(indices + position); }
  __device__ __forceinline__ W weight(i64 position) const { return __ldg(weights + position); }
  // The same for a warp whose lanes read one position after the other's: what is read isn't read again, and would only
  // push out of the L1 cache what is.
  __device__ __forceinline__ i32 neighbor_once(i64 position) const {
    i32 v;
    asm("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(v) : "l"(indices + position));
    return v;
  }
  __device__ __forceinline__ i64 id(i64 position) const { return ids ? __ldg(ids + position) : position; }

  // The vertex whose row holds `position`, by binary search.
  __device__ i32 row_of(i64 position) const {
    i64 low = 0, high = vertices;
    while (high - low > 1) {
      i64 middle = (low + high) / 2;
      if (begin((i32)middle) <= position)
        low = middle;
      else
        high = middle;
    }
    return (i32)low;
  }
};

}  // namespace minigr
