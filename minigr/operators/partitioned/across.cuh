// What the parts of a graph tell each other between two operators, where each part runs the loop on a GPU.
//
// A part's copies of others' vertices (ghosts) are in lists by owner, and the owner has them in a list in the same order
// (mirrors). So a place in the list says which vertex is meant. A part writes to the memory of others, and reads its own.
#pragma once
#include "jit/grid.cuh"
#include "primitives/collectives.cuh"
#include "primitives/fold.cuh"

namespace minigr {

// The lists of all other parts, one after the other; the peers' table says where those of a part begin and end.
struct Lists {
  const i32 *ghosts;
  const i32 *mirrors;
};

// Whether two elements differ in their bits.
template <class T>
__device__ __forceinline__ bool differ(T x, T y) {
  if constexpr (sizeof(T) == 4) {
    u32 a, b;
    memcpy(&a, &x, 4);
    memcpy(&b, &y, 4);
    return a != b;
  } else {
    u64 a, b;
    memcpy(&a, &x, 8);
    memcpy(&b, &y, 8);
    return a != b;
  }
}

// Send what became of ghosts to their owners. what(i, vertex) says it by bits, 0 for nothing, of ghost number i of all;
// put(i, vertex, q, place) then puts the elements at this place of owner q's mail.
template <class What, class Put>
__device__ void send_ghosts(const Grid &grid, const Lists &lists, What what, Put put) {
  for (int q = 0; q < PARTS; q++) {
    if (q == grid.across.part) continue;
    const i64 begin = grid.across.number(q, PEER_GHOST_BEGIN), end = grid.across.number(q, PEER_GHOST_END);
    u64 *heads = grid.across.at<u64>(q, PEER_HEADS);
    for (i64 base = begin + grid.warp() * WARP; base < end; base += grid.warps() * WARP) {
      const i64 i = base + lane_id();
      const i32 vertex = i < end ? lists.ghosts[i] : -1;
      const u32 bits = i < end ? what(i, vertex) : 0;
      const Kept kept(bits != 0);
      if (!kept.any()) continue;
      const i64 place = warp_room([&] { return grid.send(q, kept.count()); }) + kept.place();
      if (lane_id() == 0) grid.note_change();
      if (bits == 0) continue;
      heads[place] = (u64)bits << 32 | (u32)(i - begin);
      put(i, vertex, q, place);
    }
  }
}

// Take what others sent, part by part in their order. take(has, at, mirror, vertex, bits) is called by all lanes of a warp
// together: `at` is a place in the mail, `mirror` one in the list of all mirrors.
template <class Take>
__device__ void take_mail(const Grid &grid, const Lists &lists, const u64 *heads, Take take) {
  for (int q = 0, left = PARTS - 1; q < PARTS; q++) {
    if (q == grid.across.part) continue;
    const i64 begin = grid.across.number(q, PEER_MIRROR_BEGIN), count = grid.sent_by(q);
    for (i64 base = grid.warp() * WARP; base < count; base += grid.warps() * WARP) {
      const i64 i = base + lane_id();
      const bool has = i < count;
      const u64 head = has ? load_across(heads + begin + i) : 0;
      const i64 mirror = begin + (u32)head;
      take(has, begin + i, mirror, has ? lists.mirrors[mirror] : -1, (u32)(head >> 32));
    }
    if (--left > 0) grid.meet_own();  // what one part did comes before the next one's
  }
}

// Look at all mirrors: look(mirror, vertex, q, place), where part q has the ghost at this place of its list.
template <class Look>
__device__ void each_mirror(const Grid &grid, const Lists &lists, Look look) {
  for (int q = 0; q < PARTS; q++) {
    if (q == grid.across.part) continue;
    const i64 begin = grid.across.number(q, PEER_MIRROR_BEGIN), end = grid.across.number(q, PEER_MIRROR_END);
    for (i64 i = begin + grid.thread(); i < end; i += grid.threads()) look(i, lists.mirrors[i], q, i - begin);
  }
}

// Note a change if a mirror differs(i, vertex) from what others know. Where there are many mirrors it is noted unseen: to
// look at all of them takes longer than the barrier that may be saved. The last threads begin, as the first ones look at ghosts.
template <class Differs>
__device__ void note_mirrors(const Grid &grid, const Lists &lists, Differs differs) {
  const i64 end = grid.across.number(PARTS - 1, PEER_MIRROR_END), i = grid.threads() - 1 - grid.thread();
  if (end > grid.threads() ? i == 0 : i < end && differs(i, lists.mirrors[i])) grid.note_change();
}

// As fold_blocks, of the blocks of all grids in the order of parts; `column`: where grids have their partial results.
template <class T, class Op>
__device__ void fold_across(const Grid &grid, int column, i64 most_blocks, T *result, Op op, T identity, T before,
                            int blocks, T *also) {
  T total = before;
  for (int q = 0; q < PARTS; q++) {
    const T *partials = grid.partials(grid.across.at<T>(q, column), most_blocks);
    T of_part = identity;
    for (int i = threadIdx.x; i < blocks; i += blockDim.x) of_part = op(of_part, load_across(partials + i));
    total = op(total, block_reduce(of_part, op, identity));
  }
  if (threadIdx.x > 0) return;
  *(volatile T *)result = total;
  if (also) *(volatile T *)also = total;
}

}  // namespace minigr
