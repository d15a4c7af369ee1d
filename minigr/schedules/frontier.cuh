// The vertices of a frontier by their places in the frontier, as schedules read them.
#pragma once
#include "jit/grid.cuh"

namespace minigr {

// A list of vertices.
struct Listed {
  static constexpr bool EVERY = false;
  const i32 *items;
  i64 length;
  __device__ __forceinline__ i32 vertex(i64 seg) const { return __ldcg(items + seg); }
};

// The destinations of a list of edges.
template <class Rows>
struct Destinations {
  static constexpr bool EVERY = false;
  const Rows &rows;
  const i64 *edges;
  i64 length;
  __device__ __forceinline__ i32 vertex(i64 seg) const { return rows.entry(__ldcg(edges + seg)); }
};

// All vertices. The next vertex is known in advance, so a schedule may load its row early.
struct Everyone {
  static constexpr bool EVERY = true;
  i64 length;
  __device__ __forceinline__ i32 vertex(i64 seg) const { return (i32)seg; }
};

}  // namespace minigr
