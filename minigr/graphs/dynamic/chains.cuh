// Functions over whole chains or the whole pool, by groups of eight lanes; see chains_cpu.py.
#pragma once
#include "graphs/dynamic/slabs.cuh"

namespace minigr {
namespace dynamic {

// Count the live keys, the used lanes and the slabs of a chain. SINCE: only lanes after the mark count as live or used.
template <bool SINCE>
__device__ __forceinline__ void measure_chain(const Slabs &graph, i32 slab, i64 &lives, i64 &used, i64 &length) {
  lives = used = length = 0;
  while (slab != NIL) {
    Quad quad = load_slab(graph.pool, slab);
    int first = SINCE ? graph.marks[slab] : 0;
    i32 live = 0, full = 0;
    for (int w = 0; w < 4; ++w) {
      bool is_key = w < Quad::keys() && group_lane() * 4 + w >= first;
      live += is_key && quad.word[w] >= 0;
      full += is_key && quad.word[w] != EMPTY;
    }
    lives += group_sum(live);
    used += group_sum(full);
    ++length;
    slab = quad.next();
  }
}

// Write the live arcs of a chain from position `at` on. Outputs may be null, except `keys`.
template <bool SINCE, class W>
__device__ __forceinline__ void read_chain(const Slabs &graph, i32 slab, i64 at, const W *weights, i32 *owners, i32 *keys,
                                           W *out) {
  while (slab != NIL) {
    Quad quad = load_slab(graph.pool, slab);
    int mark = SINCE ? graph.marks[slab] : 0;
    i32 live = 0;
    bool wanted[4];
    for (int w = 0; w < 4; ++w) {
      wanted[w] = w < Quad::keys() && quad.word[w] >= 0 && group_lane() * 4 + w >= mark;
      live += wanted[w];
    }
    i32 owner = quad.owner();
    i64 place = at + group_scan(live);
    for (int w = 0; w < 4; ++w) {
      if (!wanted[w]) continue;
      keys[place] = quad.word[w];
      if (owners) owners[place] = owner;
      if (out) out[place] = weights[slot_of(slab, group_lane(), w)];
      ++place;
    }
    at += group_sum(live);
    slab = quad.next();
  }
}

// Store how many lanes are used in each slab of a chain.
__device__ __forceinline__ void note_fill(const Slabs &graph, i32 slab, u8 *marks) {
  while (slab != NIL) {
    Quad quad = load_slab(graph.pool, slab);
    i32 full = 0;
    for (int w = 0; w < 4; ++w) full += w < Quad::keys() && quad.word[w] != EMPTY;
    full = group_sum(full);
    if (group_lane() == 0) marks[slab] = (u8)full;
    slab = quad.next();
  }
}

// Delete the arcs of a slab whose keys are dead. Count them in `gone`, and those that are self-loops in `loops`. `swept`
// gets one bit for the lane of each deleted arc, and the tombstones keep the keys.
__device__ __forceinline__ void sweep_slab(const Slabs &graph, i32 slab, const bool *dead, u32 *swept, u32 &gone,
                                           u32 &loops) {
  Quad quad = load_slab(graph.pool, slab);
  i32 owner = quad.owner(), here = 0, lanes = 0;
  for (int w = 0; w < 4; ++w) {
    i32 key = quad.word[w];
    if (w >= Quad::keys() || key < 0 || !dead[key]) continue;
    graph.pool[slot_of(slab, group_lane(), w)] = TOMBSTONE - key;
    lanes |= 1 << (group_lane() * 4 + w);
    ++here;
    loops += key == owner;
  }
  gone += here;
  here = group_sum(here);
  lanes = group_sum(lanes);
  if (group_lane() != 0) return;
  swept[slab] = (u32)lanes;
  if (here) atomicSub(graph.degrees + owner, here);
}

// Put back the arcs of a slab that `sweep_slab` has deleted.
__device__ __forceinline__ void restore_slab(const Slabs &graph, i32 slab, const u32 *swept) {
  const u32 lanes = swept[slab];
  if (!lanes) return;
  i32 *keys = graph.pool + (i64)slab * LANES;
  for (int lane = group_lane(); lane < KEYS; lane += GROUP)
    if (lanes >> lane & 1) keys[lane] = TOMBSTONE - keys[lane];
  if (group_lane() == 0) atomicAdd(graph.degrees + keys[OWNER], __popc(lanes));
}

}  // namespace dynamic
}  // namespace minigr
