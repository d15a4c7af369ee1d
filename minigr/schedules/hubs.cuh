// Vertices of high degree (hubs), put off and spread over the whole grid in slices of equal length.
//
// A warp that met a hub would still read the hub's edges when all other warps are done. Instead, the warp stores the
// hub as slices, and after a barrier every warp takes its share of the slices. SLICE is the number of positions in a
// slice; a vertex is put off if its row has more positions than that. If the operator reduces, the value of each slice
// is stored. After another barrier, a warp reduces the slices of each hub in their order.
#pragma once
#include "primitives/collectives.cuh"
#include "schedules/tiles.cuh"

namespace minigr {

// For a graph without hubs.
struct NoHubs {
  __device__ __forceinline__ bool holds(i64 length) const { return false; }
  __device__ __forceinline__ void defer(const Grid &, bool, i32, i64, i64, i64) const {}
};

struct Slices {
  i32 *vertices;
  i64 *begins;
  i64 *segs;  // the vertex's place in the frontier
  i64 capacity;
  int slot;

  __device__ __forceinline__ bool holds(i64 length) const { return length > SLICE; }

  // All lanes of a warp call this together. Puts off the hubs of the lanes that have one. Returns the number of the
  // hub's first slice, or -1 if there is no hub or no room.
  __device__ i64 defer(const Grid &grid, bool hub, i32 vertex, i64 begin, i64 length, i64 seg) const {
    if (!__any_sync(ALL, hub)) return -1;
    i32 n = hub ? (i32)((length + SLICE - 1) / SLICE) : 0, after = warp_prefix(n);
    const i32 total = __shfl_sync(ALL, after, WARP - 1);
    const i64 base = warp_room([&] { return grid.add(WORD_HUBS, total); });
    if (base + total > capacity) {
      grid.overflow(slot);
      return -1;
    }
    const i64 at = base + after - n;
    // A hub of a million edges has thousands of slices. So the whole warp writes the slices of a hub that has many.
    if (n <= ALONE) write(at, 0, n, 1, vertex, begin, seg);
    for (u32 many = __ballot_sync(ALL, n > ALONE); many; many &= many - 1) {
      const int owner = __ffs(many) - 1;
      write(shuffle(at, owner), lane_id(), shuffle(n, owner), WARP, shuffle(vertex, owner), shuffle(begin, owner),
            shuffle(seg, owner));
    }
    return hub ? at : -1;
  }

  // After a barrier: a warp calls each(slice, row, tile) for each slice. The tile begins where the slice does.
  template <class Rows, class Each>
  __device__ __forceinline__ void each(const Grid &grid, const Rows &rows, Each each) const {
    const i64 count = grid.word(WORD_HUBS);
    for (i64 slice = grid.warp(); slice < count; slice += grid.warps()) one(slice, rows, each);
  }

  // Like `each`, for slices that take different times: a warp claims the next slice whenever it is done with one.
  template <class Rows, class Each>
  __device__ __forceinline__ void each_in_turn(const Grid &grid, const Rows &rows, Each each) const {
    const i64 count = grid.word(WORD_HUBS), before = grid.word(WORD_CURSOR);
    for (i64 slice = grid.warp(); slice < count;) {
      // claimed early, to hide the wait
      const i64 next = lane_id() == 0 ? grid.warps() + grid.add(WORD_CURSOR, 1) - before : 0;
      one(slice, rows, each);
      slice = __shfl_sync(ALL, next, 0);
    }
  }

  template <bool GAPS, class T>
  __device__ __forceinline__ void leave(i64 slice, bool any, T x) const {}

 private:
  static constexpr i32 ALONE = 8;

  template <class Rows, class Each>
  __device__ __forceinline__ void one(i64 slice, const Rows &rows, Each each) const {
    const i32 vertex = __ldcg(vertices + slice);
    const i64 begin = __ldcg(begins + slice), seg = __ldcg(segs + slice);
    const typename Rows::Row row = rows.row(vertex);
    each(slice, row, Tile{vertex, begin, begin - row.begin(), begin, seg});
  }

  // Writes slices number first, first + stride and so on below n of a hub. The hub's first slice is at place `at`.
  __device__ __forceinline__ void write(i64 at, i32 first, i32 n, i32 stride, i32 vertex, i64 begin, i64 seg) const {
    for (i32 i = first; i < n; i += stride) {
      vertices[at + i] = vertex;
      begins[at + i] = begin + (i64)i * SLICE;
      segs[at + i] = seg;
    }
  }
};

// Like Slices, with a value for each slice, and a list of the hubs.
template <class T>
struct ReducedSlices : Slices {
  T *values;
  i32 *hub_vertices;
  i64 *hub_segs;
  i64 *first_slices;

  __device__ __forceinline__ void defer(const Grid &grid, bool hub, i32 vertex, i64 begin, i64 length, i64 seg) const {
    const i64 at = Slices::defer(grid, hub, vertex, begin, length, seg);
    const Kept kept(at >= 0);
    if (!kept.any()) return;
    const i64 number = warp_room([&] { return grid.add(WORD_CURSOR, kept.count()); }) + kept.place();
    if (at < 0) return;
    hub_vertices[number] = vertex;
    hub_segs[number] = seg;
    first_slices[number] = at;
  }

  template <bool GAPS>
  __device__ __forceinline__ void leave(i64 slice, bool any, T x) const {
    values[slice] = x;
    if (GAPS && !any) vertices[slice] = NO_VALUE;
  }
  template <bool GAPS>
  __device__ __forceinline__ bool has_value(i64 slice) const {
    return !GAPS || load_fresh(vertices + slice) != NO_VALUE;
  }

 private:
  static constexpr i32 NO_VALUE = -1;  // stored in place of a slice's vertex
};

// After a barrier: a warp takes each slice.
template <class Rows, class SlicesT, class Work>
__device__ void by_slices(Grid &grid, const Rows &rows, const SlicesT &slices, Work &work) {
  work.begin();
  slices.each(grid, rows, [&](i64 slice, const auto &row, const Tile &tile) {
    work.template group<WARP>(tile, (i32)min((i64)SLICE, row.end() - tile.begin), [&](bool has, bool any, auto x) {
      if (has) slices.template leave<Rows::GAPS>(slice, any, x);
    });
  });
  work.end();
}

// After another barrier, if the operator reduces: a warp reduces the slices of each hub.
template <class Rows, class T, class Work>
__device__ void finish_hubs(Grid &grid, const Rows &rows, const ReducedSlices<T> &slices, Work &work) {
  const i64 count = grid.word(WORD_CURSOR);
  work.begin();
  for (i64 hub = grid.warp(); hub < count; hub += grid.warps()) {
    const i32 vertex = __ldcg(slices.hub_vertices + hub);
    const i64 seg = __ldcg(slices.hub_segs + hub), first = __ldcg(slices.first_slices + hub);
    T x{};
    const bool any = warp_reduce_pieces(
        (rows.row(vertex).length() + SLICE - 1) / SLICE, [&](i64 i) { return load_fresh(slices.values + first + i); },
        [&](i64 i) { return slices.template has_value<Rows::GAPS>(first + i); }, x, work.op());
    work.finish(lane_id() == 0, vertex, seg, any, x);
  }
  work.end();
}

}  // namespace minigr
