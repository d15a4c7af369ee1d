// Which of the equal pairs of a batch is the first, and which the last.
#pragma once
#include "graphs/dynamic/edge_batch.cuh"

namespace minigr {
namespace dynamic {

// A hash table of pairs with linear probing. A cell holds the number of a pair, from which its ends can be read, so that
// four bytes do for a cell; equal pairs replace each other, by the lower or the higher number.
struct Table {
  i32 *cells;
  u32 mask;  // cells less one, a power of two less one
  bool unordered;

  __device__ __forceinline__ void ends(const Batch &batch, i64 i, i32 &u, i32 &v) const {
    u = __ldg(batch.src + i);
    v = __ldg(batch.dst + i);
    if (unordered && u > v) {
      i32 t = u;
      u = v;
      v = t;
    }
  }

  __device__ __forceinline__ u32 hash(i32 u, i32 v) const {
    u64 x = ((u64)(u32)u << 32 | (u32)v) * 0x9E3779B97F4A7C15ull;
    return (u32)(x >> 32) ^ (u32)(x >> 47);
  }

  __device__ __forceinline__ void put(const Batch &batch, i32 i, bool last) const {
    i32 u, v;
    ends(batch, i, u, v);
    for (u32 cell = hash(u, v) & mask;; cell = (cell + 1) & mask) {
      i32 held = atomicCAS(cells + cell, NIL, i);
      if (held == NIL) return;
      i32 a, b;
      ends(batch, held, a, b);
      if (a == u && b == v) {
        if (last)
          atomicMax(cells + cell, i);
        else
          atomicMin(cells + cell, i);
        return;
      }
    }
  }

  // The pair that was kept of those that equal i, which is in the table.
  __device__ __forceinline__ i32 get(const Batch &batch, i64 i) const {
    i32 u, v;
    ends(batch, i, u, v);
    for (u32 cell = hash(u, v) & mask;; cell = (cell + 1) & mask) {
      i32 held = __ldg(cells + cell), a, b;
      ends(batch, held, a, b);
      if (a == u && b == v) return held;
    }
  }
};

}  // namespace dynamic
}  // namespace minigr
