// What goes through whole chains or the whole pool, by groups of eight lanes; see chains_cpu.py. Rows are sorted by warps
// and blocks.
#pragma once
#include "graphs/dynamic/slabs.cuh"

namespace minigr {
namespace dynamic {

constexpr int SHORT_ROW = WARP;   // keys that a warp sorts in registers
constexpr int MIDDLE_ROW = 1024;  // keys that a block sorts in shared memory

// Live keys, used lanes and slabs of a chain.
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

// The live arcs of a chain from position `at`; outputs that are null are left alone.
template <bool SINCE, class W>
__device__ __forceinline__ void read_chain(const Slabs &graph, i32 slab, i64 at, const W *weights, i32 *owners, i32 *keys,
                                           W *out, bool *fresh) {
  while (slab != NIL) {
    Quad quad = load_slab(graph.pool, slab);
    int mark = graph.marks ? graph.marks[slab] : 0;
    i32 live = 0;
    bool wanted[4];
    for (int w = 0; w < 4; ++w) {
      wanted[w] = w < Quad::keys() && quad.word[w] >= 0 && (!SINCE || group_lane() * 4 + w >= mark);
      live += wanted[w];
    }
    i32 owner = quad.owner();
    i64 place = at + group_scan(live);
    for (int w = 0; w < 4; ++w) {
      if (!wanted[w]) continue;
      keys[place] = quad.word[w];
      if (owners) owners[place] = owner;
      if (out) out[place] = weights[slot_of(slab, group_lane(), w)];
      if (fresh) fresh[place] = group_lane() * 4 + w >= mark;
      ++place;
    }
    at += group_sum(live);
    slab = quad.next();
  }
}

// Note how many lanes of each slab of a chain are used.
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

// Delete the arcs of a slab whose keys are dead; how many, and how many of them were self-loops.
__device__ __forceinline__ void sweep_slab(const Slabs &graph, i32 slab, const bool *dead, u32 &gone, u32 &loops) {
  Quad quad = load_slab(graph.pool, slab);
  i32 owner = quad.owner(), here = 0;
  for (int w = 0; w < 4; ++w) {
    i32 key = quad.word[w];
    if (w >= Quad::keys() || key < 0 || !dead[key]) continue;
    graph.pool[slot_of(slab, group_lane(), w)] = TOMBSTONE;
    ++here;
    loops += key == owner;
  }
  gone += here;
  here = group_sum(here);
  if (group_lane() == 0 && here) atomicSub(graph.degrees + owner, here);
}

// Sort a row of at most 32 keys: each lane finds the rank of its key. The warp's.
template <class W>
__device__ __forceinline__ void sort_short_row(i32 *keys, W *weights, i64 begin, int length) {
  bool mine = lane_id() < length;
  i32 key = mine ? keys[begin + lane_id()] : 0;
  W weight = mine && weights ? weights[begin + lane_id()] : W();
  int rank = 0;
  for (int other = 0; other < length; ++other) rank += __shfl_sync(ALL, key, other) < key;
  __syncwarp();
  if (mine) {
    keys[begin + rank] = key;
    if (weights) weights[begin + rank] = weight;
  }
}

// The same for at most MIDDLE_ROW keys. The block's.
template <class W>
__device__ __forceinline__ void sort_middle_row(i32 *keys, W *weights, i64 begin, int length) {
  __shared__ i32 row[MIDDLE_ROW];
  __shared__ W value[MIDDLE_ROW];
  __syncthreads();
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    row[i] = keys[begin + i];
    if (weights) value[i] = weights[begin + i];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    i32 key = row[i];
    int rank = 0;
    for (int other = 0; other < length; ++other) rank += row[other] < key;
    keys[begin + rank] = key;
    if (weights) weights[begin + rank] = value[i];
  }
}

}  // namespace dynamic
}  // namespace minigr
