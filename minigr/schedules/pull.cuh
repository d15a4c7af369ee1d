// Schedule of a pull: each vertex searches its in-edges, and may end its search early.
//
// Each lane takes a vertex and looks at the vertex's first in-edges alone. Then the warp shares the remaining edges of
// the rows whose search is still open. A search ends when `target` no longer holds for its vertex.
//
// Besides the functions that tiles.cuh names, the schedule calls these functions of an operator:
// - target(dst): whether a vertex searches;
// - look(src, dst, position, begin): whether an arc is taken, at a position of the row that begins at `begin`;
// - put(hit, dst, id): called by all lanes of a warp together after each look, if Work::EACH; `id` is the id of the
//   arc;
// - count(edge): called by a lane for each position that it looked at; `edge` says whether an arc was there;
// - found(hit, dst, row): called by all lanes together, when their vertices are done.
#pragma once
#include "graphs/csr.cuh"

namespace minigr {

// A bit for each vertex: whether the vertex is in the frontier. Without a bitmap, every vertex is in the frontier.
struct Bitmap {
  const u64 *bits;
  __device__ __forceinline__ bool has(i32 vertex) const { return !bits || (bits[vertex / 64] >> (vertex % 64) & 1); }
};

// Sets the bits of the frontier in one bitmap, which is clear, and clears the other bitmap for the next pull.
//
// A pull puts out vertices mostly in ascending order. So neighboring lanes often have the same word, and the first of
// them sets the bits of all of them.
__device__ __forceinline__ void mark_frontier(const Grid &grid, const i32 *items, i64 length, u64 *bits, u64 *other, i64 words) {
  for (i64 base = grid.warp() * WARP; base < length; base += grid.warps() * WARP) {
    const i64 i = base + lane_id();
    const i32 vertex = i < length ? __ldcg(items + i) : -1, word = vertex >> 5;
    u32 mine = vertex < 0 ? 0 : 1u << (vertex & 31);
#pragma unroll
    for (int o = 1; o < WARP; o *= 2) {
      const u32 further = __shfl_down_sync(ALL, mine, o);
      if (__shfl_down_sync(ALL, word, o) == word) mine |= further;
    }
    const bool is_first = __shfl_up_sync(ALL, word, 1) != word || lane_id() == 0;
    if (is_first && mine) atomicOr((u32 *)bits + word, mine);
  }
  for (i64 i = grid.thread(); i < words; i += grid.threads()) other[i] = 0;
}

template <class Rows, class Work>
__device__ void by_search(Grid &grid, const Rows &in, Work &work) {
  typedef typename Rows::Row Row;
  constexpr int ALONE = 8;
  work.begin();
  const bool listed = in.nonempty != nullptr;  // then no lane with an empty row waits for its warp
  const i64 stride = grid.warps() * WARP;
  const i64 count = listed ? in.num_nonempty : grid.across.own_count(in.vertices);
  for (i64 base = grid.warp() * WARP; base < count; base += stride) {
    const bool there = base + lane_id() < count;
    const i32 dst = !there ? 0 : listed ? __ldg(in.nonempty + base + lane_id()) : grid.across.own(base + lane_id());
    bool open = there && work.target(dst);
    const Row row = !open ? Row() : listed ? in.listed_row(base + lane_id()) : in.row(dst);
    i64 begin = row.begin(), end = row.end(), position = begin;
    bool found = false;
#pragma unroll 1
    for (int i = 0; i < ALONE; i++) {
      const bool has = open && position < end;
      if (!__any_sync(ALL, has)) break;
      const i32 src = !has ? 0 : i == 0 ? in.first_entry(dst, position) : in.entry(position);
      const bool edge = has && in.is_edge(position, src);
      const bool hit = edge && work.look(src, dst, position, begin);
      if (Work::EACH) work.put(hit, dst, hit ? in.id(position, src, dst) : 0);
      found |= hit;
      work.count(edge);
      if (has) position = in.after(position, src, end);
      if (hit && !work.target(dst)) open = false;
    }
    for (u32 rest = __ballot_sync(ALL, open && position < end); rest; rest &= rest - 1) {
      const int owner = __ffs(rest) - 1;
      const i32 target = __shfl_sync(ALL, dst, owner);
      const i64 first = __shfl_sync(ALL, begin, owner), last = __shfl_sync(ALL, end, owner);
      const i64 from = __shfl_sync(ALL, position, owner);
      i64 at = Rows::BY_LINES ? from - from % WARP : from;
      i32 chained = -1;  // the next slab of the chain, which follows the positions looked at
      bool any = false;
      while (chained >= 0 || at < last) {
        const i64 mine = chained >= 0 ? (i64)chained * WARP + lane_id() : at + lane_id();
        const bool has = chained >= 0 || ((!Rows::BY_LINES || mine >= from) && mine < last);
        if (chained < 0) at += WARP;
        const i32 src = has ? in.entry(mine) : 0;
        const bool edge = has && in.is_edge(mine, src);
        const bool hit = edge && work.look(src, target, mine, first);
        if (Work::EACH) work.put(hit, target, hit ? in.id(mine, src, target) : 0);
        work.count(edge);
        if (__any_sync(ALL, hit)) {
          any = true;
          if (__any_sync(ALL, !work.target(target))) break;
        }
        if (Rows::GAPS) {  // at most one of WARP positions is the last of a slab
          const i32 next = has ? in.follower(mine, src) : -1;
          const u32 follows = __ballot_sync(ALL, next >= 0);
          chained = follows ? __shfl_sync(ALL, next, __ffs(follows) - 1) : -1;
        }
      }
      if (any && lane_id() == owner) found = true;
    }
    work.found(found, dst, row);
  }
  work.end();
}

}  // namespace minigr
