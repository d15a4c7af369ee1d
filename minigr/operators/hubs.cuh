// Vertices of high degree, put off and dealt out to the whole grid in slices of equal length.
//
// A warp that met a hub would still walk its edges when all others are done. Instead it writes the hub down as slices,
// and after a barrier every warp takes its share of them. SLICE is the edges in a slice, and the degree above which a
// vertex is put off.
#pragma once
#include "graphs/csr.cuh"

namespace minigr {

struct Slices {
  i32 *vertices;
  i64 *begins;
  i64 *segs;      // the vertex's position in the frontier
  i64 capacity;
  i64 *count;     // control word
  i64 *overflow;  // control word that names the slot
  int slot;

  // One lane; returns the first slice's number, or -1 where there is no room.
  __device__ i64 defer(i32 vertex, i64 begin, i64 degree, i64 seg) const {
    i64 n = (degree + SLICE - 1) / SLICE;
    i64 at = (i64)atomicAdd((u64 *)count, (u64)n);
    if (at + n > capacity) {
      *(volatile i64 *)overflow = slot + 1;
      return -1;
    }
    for (i64 i = 0; i < n; i++) {
      vertices[at + i] = vertex;
      begins[at + i] = begin + i * SLICE;
      segs[at + i] = seg;
    }
    return at;
  }
};

}  // namespace minigr
