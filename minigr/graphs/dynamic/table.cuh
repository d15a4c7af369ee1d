// A table that tells which of the equal pairs of a batch is the first, and which is the last.
#pragma once
#include "graphs/dynamic/edge_batch.cuh"

namespace minigr {
namespace dynamic {

// A hash table of pairs with linear probing. A cell holds the index of a pair and needs only four bytes, because the ends
// can be read by the index. Of equal pairs, the table keeps the one with the lower or the higher index.
struct Table {
  i32 *cells;
  u32 mask;  // the number of cells minus one; that number is a power of two
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

  // The pair that the table keeps of those that equal pair i. Pair i must be in the table.
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
