// Tiles: the rows of a frontier, or parts of rows, as a schedule passes them to an operator.
//
// A schedule calls an operator `Work` in this way:
// - begin() and end(): all threads of the block, before the first tile of a phase and after the last one;
// - meet(vertex, arcs): a lane that comes to a vertex, before the vertex's edges; `arcs` is the number of edges that
//   are looked at;
// - tiles(t): all lanes of a warp together, each with a tile (`WholeRows` here, `SharedRows` in shares.cuh). The
//   operator may visit all positions of all lanes with t.each, in any order. Or it reduces the lane's own tile and,
//   with the other lanes, the longer tiles of other lanes, and passes the results on with t.leave;
// - group<LANES>(tile, count, leave): all lanes of a group together, with the same tile. If the operator reduces, all
//   lanes call leave(has, any, result), and the first lane of the group has the result;
// - finish(has, vertex, seg, any, result): all lanes of a warp together, when rows have been reduced, if the operator
//   reduces;
// - edge(has, src, dst, position): all lanes of a warp together, each with an arc, where no rows are read
//   (edge_parallel.cuh).
#pragma once
#include "graphs/csr.cuh"
#include "primitives/collectives.cuh"

namespace minigr {

// Consecutive positions of a vertex's row. The first position is `begin`, which is number `rank` in the row and number
// `idx` among all edges of the frontier. The vertex has place `seg` in the frontier.
struct Tile {
  i32 vertex;
  i64 begin, rank, idx, seg;
};

// A whole row for each lane of a warp; lane i has the vertex at place base + i.
template <class Row>
struct WholeRows {
  i32 vertex;
  Row row;
  i32 count;  // positions; 0 if the row is put off
  i64 base;
  bool has;  // there is a vertex, and its row is not put off

  __device__ __forceinline__ bool is_short() const { return row.is_short(); }
  __device__ __forceinline__ Tile mine() const { return {vertex, row.begin(), 0, row.begin(), base + lane_id()}; }
  __device__ __forceinline__ Tile of(int lane) const {
    const i32 v = __shfl_sync(ALL, vertex, lane);
    const i64 begin = __shfl_sync(ALL, row.begin(), lane);
    return {v, begin, 0, begin, base + lane};
  }

  // All lanes call this together. Calls each(has, tile) for every position; the tile begins at this position.
  template <class Each>
  __device__ __forceinline__ void each(Each each) const {
    const i32 after = warp_prefix(count), before = after - count;
    warp_lbs(before, __shfl_sync(ALL, after, WARP - 1), [&](bool has, i32 k, int owner) {
      const i32 v = __shfl_sync(ALL, vertex, owner);
      const i64 begin = __shfl_sync(ALL, row.begin(), owner);
      const i32 rank = k - __shfl_sync(ALL, before, owner);
      each(has, Tile{v, begin + rank, rank, begin + rank, base + owner});
    });
  }

  template <class Work, class T>
  __device__ __forceinline__ void leave(Work &work, bool any, T x) const {
    work.finish(has, vertex, base + lane_id(), any, x);
  }
};

// Passes the result of a whole row from a group to the operator.
template <class Work>
struct FinishRow {
  Work &work;
  i32 vertex;
  i64 seg;
  bool has;
  template <class T>
  __device__ __forceinline__ void operator()(bool here, bool any, T x) const {
    work.finish(here && has, vertex, seg, any, x);
  }
};

// All lanes of a group call this together. Calls each(has, tile) for `count` positions, LANES at a time. BY_LINES: the
// first turn takes only the positions up to the end of a cache line.
template <int LANES, bool BY_LINES, class Each>
__device__ __forceinline__ void each_of_group(const Tile &tile, i32 count, Each each) {
  const i32 lane = lane_id() % LANES, before = BY_LINES && count > 0 ? (i32)(tile.begin % LANES) : 0;
  for (i32 first = -before; LANES == WARP ? first < count : __any_sync(ALL, first + lane < count); first += LANES) {
    const i32 i = first + lane;
    each((!BY_LINES || i >= 0) && i < count, Tile{tile.vertex, tile.begin + i, tile.rank + i, tile.idx + i, tile.seg});
  }
}

// All lanes of a warp call this together, each with a position of a row if `has`. Visits the entry at the position, and
// the entries in the chain behind it. For an arc, a lane calls pass(src, dst, position, seg, is_first); then all lanes
// call take(passed, src, dst, position). One branch encloses everything that a lane does first, because small steps
// take longer if the lanes meet in between.
template <class Rows, class Pass, class Take>
__device__ __forceinline__ void arcs_at(const Rows &rows, bool has, i32 src, i64 position, i64 seg, Pass pass, Take take) {
  bool keep = false;
  i32 dst = 0, next = -1;
  if (has) {
    dst = rows.entry(position);
    keep = rows.is_edge(position, dst) && pass(src, dst, position, seg, true);
    next = rows.follower(position, dst);
  }
  take(keep, src, dst, position);
  if constexpr (!Rows::GAPS) return;
  for (u32 left = __ballot_sync(ALL, next >= 0); left; left &= left - 1) {
    const int owner = __ffs(left) - 1;
    const i32 from = __shfl_sync(ALL, src, owner);
    const i64 place = __shfl_sync(ALL, seg, owner);
    for (i32 slab = __shfl_sync(ALL, next, owner); slab >= 0;) {
      const i64 at = (i64)slab * WARP + lane_id();
      const i32 to = rows.entry(at);
      take(rows.is_edge(at, to) && pass(from, to, at, place, false), from, to, at);
      slab = __shfl_sync(ALL, rows.follower(at, to), WARP - 1);
    }
  }
}

}  // namespace minigr
