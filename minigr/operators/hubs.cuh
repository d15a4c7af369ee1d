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
  int slot;

  // One lane; returns the first slice's number, or -1 where there is no room.
  __device__ i64 defer(const Grid &grid, i32 vertex, i64 begin, i64 degree, i64 seg) const {
    i64 n = (degree + SLICE - 1) / SLICE;
    i64 at = grid.add(WORD_HUBS, n);
    if (at + n > capacity) {
      grid.overflow(slot);
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
