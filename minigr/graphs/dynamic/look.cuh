// Searches by whole warps: 32 arcs at a time, one to a lane.
//
// Each lane computes the slab in which its arc would be, so that all lanes with an arc read ends of arcs and heads of
// vertices in parallel. A group of eight lanes searches the slabs of its own arcs one after the other, after it has
// loaded all eight slabs at once. A butterfly returns each result to the lane of its arc. It halves the arcs at each step,
// and takes seven shuffles for all eight arcs.
#pragma once
#include "graphs/dynamic/slabs.cuh"

namespace minigr {
namespace dynamic {

// The result of a search in a slab: the lane of the key, UNUSED + the first lane that was never used, or at least FULL.
constexpr int UNUSED = 32;
constexpr int FULL = 64;
constexpr i32 NO_KEY = -3;  // the words of a missing slab: neither a key that is searched for, nor EMPTY

static_assert(EMPTY == NIL, "an empty slab without owner and successor is all ones");

__device__ __forceinline__ i64 warp_id() { return ((i64)blockIdx.x * blockDim.x + threadIdx.x) / WARP; }
__device__ __forceinline__ i64 warps() { return (i64)gridDim.x * blockDim.x / WARP; }

// Load four words of the slab of each lane of the group. The words are NO_KEY where `slab` is NIL. The warp's.
__device__ __forceinline__ void load_slabs(const i32 *pool, i32 slab, int4 (&quad)[GROUP]) {
#pragma unroll
  for (int r = 0; r < GROUP; ++r) {
    i32 from = __shfl_sync(ALL, slab, r, GROUP);
    quad[r] = make_int4(NO_KEY, NO_KEY, NO_KEY, NO_KEY);
    if (from != NIL) quad[r] = __ldcg((const int4 *)pool + (i64)from * GROUP + group_lane());
  }
}

// Replace tombstones that keep their keys by plain tombstones.
__device__ __forceinline__ void make_tombstones_alike(int4 (&quad)[GROUP]) {
#pragma unroll
  for (int r = 0; r < GROUP; ++r)
    quad[r] = make_int4(max(quad[r].x, TOMBSTONE), max(quad[r].y, TOMBSTONE), max(quad[r].z, TOMBSTONE),
                        max(quad[r].w, TOMBSTONE));
}

// Search for each lane's `key` in its slab. The group has loaded the words of the slab. The warp's.
__device__ __forceinline__ int look_into(const int4 (&quad)[GROUP], i32 key) {
  const bool last = group_lane() == GROUP - 1;  // the third and fourth words of the last lane are the owner and the next slab
  const i32 unused = last ? NO_KEY - 1 : EMPTY;
  int found[GROUP];
#pragma unroll
  for (int r = 0; r < GROUP; ++r) {
    i32 wanted = __shfl_sync(ALL, key, r, GROUP), here = last ? NO_KEY - 1 : wanted;
    int at = FULL;
    at = quad[r].w == unused ? UNUSED + 3 : at;
    at = quad[r].z == unused ? UNUSED + 2 : at;
    at = quad[r].y == EMPTY ? UNUSED + 1 : at;
    at = quad[r].x == EMPTY ? UNUSED : at;
    at = quad[r].w == here ? 3 : at;
    at = quad[r].z == here ? 2 : at;
    at = quad[r].y == wanted ? 1 : at;
    at = quad[r].x == wanted ? 0 : at;
    found[r] = at + 4 * group_lane();
  }
#pragma unroll
  for (int half = GROUP / 2; half; half >>= 1) {
    bool upper = group_lane() & half;
#pragma unroll
    for (int r = 0; r < half; ++r) {
      int away = upper ? found[r] : found[r + half], kept = upper ? found[r + half] : found[r];
      found[r] = min(kept, __shfl_xor_sync(ALL, away, half));
    }
  }
  return found[0];
}

// Search for each lane's `key` in its `slab`. `slab` is NIL if the lane has no search. The warp's.
__device__ __forceinline__ int look(const i32 *pool, i32 slab, i32 key) {
  int4 quad[GROUP];
  load_slabs(pool, slab, quad);
  return look_into(quad, key);
}

__device__ __forceinline__ i32 next_slab(const i32 *pool, i32 slab) { return __ldcg(pool + (i64)slab * LANES + NEXT); }

// The position of each lane's arc in the pool, or -1. The warp's.
__device__ __forceinline__ i64 find_lanes(const Slabs &graph, bool wanted, i32 owner, i32 key) {
  i32 slab = wanted ? graph.first_slab(owner, key) : NIL;
  i64 slot = -1;
  while (__any_sync(ALL, slab != NIL)) {
    int seen = look(graph.pool, slab, key);
    if (slab == NIL) continue;
    if (seen < UNUSED) slot = (i64)slab * LANES + seen;
    slab = seen < FULL ? NIL : next_slab(graph.pool, slab);
  }
  return slot;
}

}  // namespace dynamic
}  // namespace minigr
