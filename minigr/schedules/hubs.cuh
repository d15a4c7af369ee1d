// Vertices of high degree, put off and dealt out to the whole grid in slices of equal length.
//
// A warp that met a hub would still walk the hub's edges when all others are done. Instead it writes the hub down as
// slices, and after a barrier every warp takes its share of the slices. SLICE is the positions in a slice, and the length
// of a row above which its vertex is put off. Where the operator reduces, a slice's value is kept, and after another
// barrier a warp reduces each hub's slices in their order.
#pragma once
#include "primitives/collectives.cuh"
#include "schedules/tiles.cuh"

namespace minigr {

// Of a graph without hubs.
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

  // All lanes of a warp together: those with a hub put it off. Returns its first slice's number, -1 where there is no room.
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
    // A hub of a million edges has thousands of slices: those of many are written by the warp together.
    if (n <= ALONE) write(at, 0, n, 1, vertex, begin, seg);
    for (u32 many = __ballot_sync(ALL, n > ALONE); many; many &= many - 1) {
      const int owner = __ffs(many) - 1;
      write(shuffle(at, owner), lane_id(), shuffle(n, owner), WARP, shuffle(vertex, owner), shuffle(begin, owner),
            shuffle(seg, owner));
    }
    return hub ? at : -1;
  }

  // After a barrier: each(slice, row, tile) for every slice, by one warp; the tile begins where the slice does.
  template <class Rows, class Each>
  __device__ __forceinline__ void each(const Grid &grid, const Rows &rows, Each each) const {
    const i64 count = grid.word(WORD_HUBS);
    for (i64 slice = grid.warp(); slice < count; slice += grid.warps()) one(slice, rows, each);
  }

  // The same where a slice may take much longer than another: a warp takes the next one as it gets done.
  template <class Rows, class Each>
  __device__ __forceinline__ void each_in_turn(const Grid &grid, const Rows &rows, Each each) const {
    const i64 count = grid.word(WORD_HUBS), before = grid.word(WORD_CURSOR);
    for (i64 slice = grid.warp(); slice < count;) {
      const i64 next = lane_id() == 0 ? grid.warps() + grid.add(WORD_CURSOR, 1) - before : 0;  // known when it is needed
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

  // Slices first, first + stride and so on below n of a hub, the hub's first one at place `at`.
  __device__ __forceinline__ void write(i64 at, i32 first, i32 n, i32 stride, i32 vertex, i64 begin, i64 seg) const {
    for (i32 i = first; i < n; i += stride) {
      vertices[at + i] = vertex;
      begins[at + i] = begin + (i64)i * SLICE;
      segs[at + i] = seg;
    }
  }
};

// The same with a value for each slice, and a list of the hubs.
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
  static constexpr i32 NO_VALUE = -1;  // in the place of a slice's vertex
};

// After a barrier: each slice by one warp.
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

// After another barrier, where the operator reduces: each hub's slices by one warp.
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
