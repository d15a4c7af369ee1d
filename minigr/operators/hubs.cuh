// Vertices of high degree, put off and dealt out to the whole grid in slices of equal length.
//
// A warp that met a hub would still walk its edges when all others are done. Instead it writes the hub down as slices,
// and after a barrier every warp takes its share of them. SLICE is the positions in a slice, and the length of a row above
// which its vertex is put off.
#pragma once
#include "graphs/csr.cuh"

namespace minigr {

struct Slices {
  i32 *vertices;
  i64 *begins;
  i64 *segs;      // the vertex's position in the frontier
  i64 capacity;
  int slot;

  // All lanes of a warp together: those with a hub put it off. Returns its first slice's number, -1 where there is no room.
  // One addition makes room for the whole warp, because every warp that meets hubs would meet at the count.
  __device__ i64 defer(const Grid &grid, bool hub, i32 vertex, i64 begin, i64 length, i64 seg) const {
    if (!__any_sync(ALL, hub)) return -1;
    i32 n = hub ? (i32)((length + SLICE - 1) / SLICE) : 0, after = warp_scan(n);
    i32 total = __shfl_sync(ALL, after, WARP - 1);
    i64 base = lane_id() == 0 ? grid.add(WORD_HUBS, total) : 0;
    base = __shfl_sync(ALL, base, 0);
    if (base + total > capacity) {
      grid.overflow(slot);
      return -1;
    }
    i64 at = base + after - n;
    for (i32 i = 0; i < n; i++) {
      vertices[at + i] = vertex;
      begins[at + i] = begin + (i64)i * SLICE;
      segs[at + i] = seg;
    }
    return hub ? at : -1;
  }
};

}  // namespace minigr
